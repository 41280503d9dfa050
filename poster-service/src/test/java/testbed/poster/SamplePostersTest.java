package testbed.poster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SamplePostersTest {

  @Test
  void theImagesOfTheLoadPlansAreWhatIsMade() throws IOException {
    var folder = Path.of("..", "jmeter", "images");

    for (var made : SamplePosters.files().entrySet()) {
      assertThat(Files.readAllBytes(folder.resolve(made.getKey())))
          .as(made.getKey())
          .isEqualTo(made.getValue());
    }
  }
}

package testbed.poster.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.awt.Color;
import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import testbed.poster.SamplePosters;

class StepTest {

  @ParameterizedTest
  @CsvSource({
    "2560, 1440, 1920, 1080",
    "3840, 2160, 1920, 1080",
    "1440, 2560, 608, 1080",
    "1930, 1080, 1920, 1074",
    "9000, 3, 1920, 1",
    "2, 9000, 1, 1080"
  })
  void reducesLargeImagesInProportion(int width, int height, int toWidth, int toHeight) {
    var reduced = Step.ADJUST.applied(image(width, height, Color.RED));

    assertThat(reduced.getWidth()).isEqualTo(toWidth);
    assertThat(reduced.getHeight()).isEqualTo(toHeight);
    assertThat(new Color(reduced.getRGB(toWidth / 2, toHeight / 2))).isEqualTo(Color.RED);
  }

  @ParameterizedTest
  @CsvSource({"1920, 1080", "1, 1", "1080, 1080"})
  void leavesImagesThatFitAsTheyAre(int width, int height) {
    var image = image(width, height, Color.RED);

    assertThat(Step.ADJUST.applied(image)).isSameAs(image);
  }

  @Test
  void looksAtEveryPixelOfALargeImage() {
    // In each block of 4 x 4 pixels one is white. A single interpolation would miss most of them.
    var image = image(7680, 1080, Color.BLACK);
    for (int y = 0; y < 1080; y += 4) {
      for (int x = 0; x < 7680; x += 4) {
        image.setRGB(x, y, 0xffffff);
      }
    }

    var reduced = Step.ADJUST.applied(image);

    double sum = 0;
    for (byte sample : Raw.samples(reduced)) {
      sum += sample & 0xff;
    }
    assertThat(sum / Raw.samples(reduced).length).isCloseTo(255 / 16.0, within(1.5));
  }

  @ParameterizedTest
  @CsvSource({"ff0000, 76", "00ff00, 150", "0000ff, 29", "ffffff, 255", "000000, 0", "808080, 128"})
  void weighsColoursAsTelevisionDoes(String colour, int gray) {
    var converted = Step.CONVERT.applied(image(3, 2, new Color(Integer.parseInt(colour, 16))));

    assertThat(converted.getType()).isEqualTo(BufferedImage.TYPE_BYTE_GRAY);
    assertThat(Raw.samples(converted)).hasSize(6).containsOnly((byte) gray);
  }

  @Test
  void leavesGrayImagesAsTheyAre() {
    var gray = Step.CONVERT.applied(SamplePosters.image(50, 40, 1));

    assertThat(Step.CONVERT.applied(gray)).isSameAs(gray);
  }

  @Test
  void writesIntoTheLowerRightCornerOnly() {
    var gray = image(400, 300, Color.GRAY);

    var labeled = Step.LABEL.applied(gray);

    int changed = 0;
    for (int y = 0; y < 300; y++) {
      for (int x = 0; x < 400; x++) {
        if (labeled.getRGB(x, y) != gray.getRGB(x, y)) {
          changed++;
          assertThat(x).isBetween(285, 396);
          assertThat(y).isBetween(270, 297);
        }
      }
    }
    assertThat(changed).isGreaterThan(400);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1, 1080", "1920, 1"})
  void writesOnTheSmallestImages(int width, int height) {
    assertThat(Step.LABEL.applied(image(width, height, Color.GRAY)).getWidth()).isEqualTo(width);
  }

  @ParameterizedTest
  @EnumSource
  void leavesTheGivenImageAsItIs(Step step) {
    var image = SamplePosters.image(2000, 1100, 7);
    var before = Codec.digest(image);

    var once = Codec.digest(step.applied(image));

    assertThat(Codec.digest(image)).isEqualTo(before).isNotEqualTo(once);
    assertThat(Codec.digest(step.applied(image))).isEqualTo(once);
  }

  private static BufferedImage image(int width, int height, Color colour) {
    var image = new BufferedImage(width, height, BufferedImage.TYPE_3BYTE_BGR);
    var graphics = image.createGraphics();
    graphics.setColor(colour);
    graphics.fillRect(0, 0, width, height);
    graphics.dispose();
    return image;
  }
}

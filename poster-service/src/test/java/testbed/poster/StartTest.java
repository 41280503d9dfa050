package testbed.poster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;
import testbed.poster.PosterSettings.Answers;
import testbed.poster.image.Format;
import testbed.poster.image.Step;
import testbed.support.testing.LongLimits;

@ExtendWith(OutputCaptureExtension.class)
class StartTest {

  @ParameterizedTest
  @ValueSource(strings = {"tuned", "thesis"})
  void doesEverythingByDefault(String preset) {
    try (var node = new RunningNode("testbed.preset=" + preset, LongLimits.OFF)) {
      assertThat(node.bean(PosterSettings.class))
          .isEqualTo(
              new PosterSettings(
                  List.of(Step.ADJUST, Step.CONVERT, Step.LABEL),
                  null,
                  Answers.CHAIN,
                  null,
                  Format.JPEG,
                  2,
                  Duration.ofSeconds(10),
                  Duration.ofSeconds(14),
                  DataSize.ofMegabytes(16),
                  3840L * 2160,
                  0.9f));
      var jpeg = SamplePosters.files().get("720p.jpg");
      assertThat(node.post(Format.JPEG, jpeg).getStatusCode().value()).isEqualTo(200);
      assertThat(node.managed("/actuator/health/readiness").getStatusCode().value()).isEqualTo(200);
      assertThat(node.managed("/actuator/prometheus").getBody())
          .contains(
              "poster_step_seconds_count{",
              "step=\"adjust\"",
              "step=\"convert\"",
              "step=\"label\"",
              "operation=\"decode\"",
              "operation=\"encode\"")
          .containsPattern("poster_wait_seconds_count\\{.*kind=\"turn\"")
          .containsPattern("poster_step_seconds_bucket\\{.*le=\"0.05\"");
    }
  }

  @Test
  void isCalledAsItsSettingSays() {
    try (var node = new RunningNode("POSTER_NAME=poster-labeler")) {
      assertThat(node.bean(Environment.class).getProperty("spring.application.name"))
          .isEqualTo("poster-labeler");
    }
  }

  @Test
  void editsOnThreadsThatTheSystemSchedules() throws Exception {
    try (var node = new RunningNode()) {
      var threads = node.bean(ExecutorService.class);
      assertThat(threads.submit(() -> Thread.currentThread().isVirtual()).get()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "poster.steps=, poster.steps",
    "poster.held-bytes=512B, poster.held-bytes",
    "poster.steps=enlarge, poster.steps",
    "poster.wire=gif, poster.wire",
    "poster.concurrency=0, poster.concurrency",
    "poster.quality=1.1, poster.quality",
    "poster.answers=first, poster.answers=first needs"
  })
  void stopsOnASettingThatCannotBe(String setting, String message, CapturedOutput output) {
    assertThatThrownBy(() -> new RunningNode(setting)).isNotNull();

    assertThat(output).contains(message);
  }
}

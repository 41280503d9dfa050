package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class HandicapTest {

  private final ApplicationContextRunner cinema =
      new ApplicationContextRunner()
          .withUserConfiguration(Core.class)
          .withPropertyValues("cinema.name=ucd");

  @Test
  void isNoneByDefault() {
    cinema.run(
        started ->
            assertThat(started.getBean(CinemaSettings.class).handicap()).isEqualTo(Duration.ZERO));
  }

  @Test
  void keepsItsThreadBusy() {
    cinema
        .withPropertyValues("cinema.handicap=80ms")
        .run(
            started -> {
              var start = System.nanoTime();
              started.getBean(Handicap.class).burn();
              assertThat(Duration.ofNanos(System.nanoTime() - start))
                  .isGreaterThan(Duration.ofMillis(1));
            });
  }

  @Test
  void mayTakeUpToATenthOfASecond() {
    cinema
        .withPropertyValues("cinema.handicap=100ms")
        .run(started -> assertThat(started).hasNotFailed());
  }

  @Test
  void mayBeNoneUnderPresetThesis() {
    cinema
        .withPropertyValues("spring.profiles.active=thesis", "cinema.handicap=0")
        .run(started -> assertThat(started).hasNotFailed());
  }

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(CinemaSettings.class)
  @Import(Handicap.class)
  static class Core {}
}

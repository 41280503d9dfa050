package testbed.aggregator.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.BindException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

class MeasuredRouteTest {

  private static final CinemaName UCD = new CinemaName("ucd");

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  @Test
  void measuresAnswersAndFailuresOfEachCinema() {
    new MeasuredRoute(cinema -> () -> Cinema.of(cinema, List.of()), meters).ask(UCD).answer();
    var failing =
        new MeasuredRoute(
            cinema ->
                () -> {
                  throw new IllegalStateException("gone");
                },
            meters);
    assertThatThrownBy(() -> failing.ask(UCD).answer()).hasMessage("gone");
    assertThatThrownBy(() -> failing.ask(UCD).answer()).hasMessage("gone");

    var portless =
        new MeasuredRoute(
            cinema ->
                () -> {
                  throw new ResourceAccessException("", new BindException());
                },
            meters);
    assertThatThrownBy(() -> portless.ask(UCD).answer()).isInstanceOf(NoPortLeft.class);

    assertThat(asked("answered")).isEqualTo(1);
    assertThat(asked("no_port")).isEqualTo(1);
    assertThat(asked("failed")).isEqualTo(2);
  }

  private long asked(String outcome) {
    return meters
        .get("aggregator.questions")
        .tags("cinema", "ucd", "outcome", outcome)
        .timer()
        .count();
  }
}

package testbed.aggregator.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import testbed.aggregator.AggregatorSettings.Breaker;
import testbed.aggregator.movie.CinemaRoute.Question;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

class GuardedRouteTest {

  private static final CinemaName UCD = new CinemaName("ucd");
  private static final CinemaName DUNDRUM = new CinemaName("dundrum");
  private static final int ENOUGH = 4;

  private final List<CinemaName> asked = new ArrayList<>();
  private final CircuitBreakerRegistry breakers =
      GuardedRoute.breakers(new Breaker(true, ENOUGH, ENOUGH, 50, Duration.ofHours(1), 1));
  private final GuardedRoute route = new GuardedRoute(this::ask, breakers);
  private Supplier<Cinema> answer = () -> Cinema.of(UCD, List.of());

  static List<RuntimeException> failures() {
    return List.of(new ResourceAccessException("No answer"), answered(500));
  }

  static List<RuntimeException> noFailures() {
    return List.of(
        new NoPortLeft(),
        new ResourceAccessException("Full pool", new ConnectionRequestTimeoutException()),
        answered(503),
        answered(504));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void leavesACinemaOutThatFailsTooOften(RuntimeException failure) {
    failEnough(failure);

    assertThatThrownBy(() -> route.ask(UCD).answer()).isInstanceOf(CallNotPermittedException.class);
    assertThat(asked).hasSize(ENOUGH);
  }

  @ParameterizedTest
  @MethodSource("noFailures")
  void goesOnAskingACinemaThatIsNotToBlame(RuntimeException failure) {
    failEnough(failure);

    assertThatThrownBy(() -> route.ask(UCD).answer()).isSameAs(failure);
    assertThat(asked).hasSize(ENOUGH + 1);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void countsAQuestionThatCannotBeAsked(RuntimeException failure) {
    var failing =
        new GuardedRoute(
            cinema -> {
              throw failure;
            },
            breakers);
    for (int i = 0; i < ENOUGH; i++) {
      assertThatThrownBy(() -> failing.ask(UCD)).isSameAs(failure);
    }

    assertThatThrownBy(() -> route.ask(UCD)).isInstanceOf(CallNotPermittedException.class);
  }

  @Test
  void goesOnAskingOtherCinemas() {
    failEnough(answered(500));
    answer = () -> Cinema.of(DUNDRUM, List.of());

    assertThat(route.ask(DUNDRUM).answer()).isNotNull();
  }

  @Test
  void asksAgainWhenItsTimeHasCome() {
    failEnough(answered(500));
    answer = () -> Cinema.of(UCD, List.of());
    breakers.circuitBreaker("ucd-list").transitionToHalfOpenState();

    for (int i = 0; i < ENOUGH; i++) {
      assertThat(route.ask(UCD).answer()).isNotNull();
    }
  }

  private void failEnough(RuntimeException failure) {
    answer =
        () -> {
          throw failure;
        };
    for (int i = 0; i < ENOUGH; i++) {
      assertThatThrownBy(() -> route.ask(UCD).answer()).isSameAs(failure);
    }
  }

  private Question ask(CinemaName cinema) {
    asked.add(cinema);
    return answer::get;
  }

  private static RuntimeException answered(int status) {
    return HttpServerErrorException.create(
        HttpStatus.valueOf(status), "", HttpHeaders.EMPTY, new byte[0], null);
  }
}

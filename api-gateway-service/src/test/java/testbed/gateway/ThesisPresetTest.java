package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static testbed.support.testing.StandInServer.respond;

import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.env.Environment;
import org.springframework.test.context.TestPropertySource;
import testbed.support.deadline.Deadline;

@TestPropertySource(properties = "testbed.preset=thesis")
class ThesisPresetTest extends RunningGateway {

  @Autowired private CircuitBreakerRegistry breakers;
  @Autowired private Environment environment;

  @Test
  void routesWithTheLibrarysOwnFilters() {
    assertThat(environment.matchesProfiles(RoutingProfile.STOCK)).isTrue();
  }

  @Test
  void usesTheLibrarysDefaultsForABreaker() {
    service.answersAsCinema("savoy");
    registerCinema("savoy");
    get("/cinema/savoy/movie/list").expectStatus().isOk();

    var breaker = breakers.circuitBreaker("cinema-savoy-service").getCircuitBreakerConfig();
    var defaults = CircuitBreakerConfig.ofDefaults();

    assertThat(breaker)
        .returns(defaults.getSlidingWindowSize(), CircuitBreakerConfig::getSlidingWindowSize)
        .returns(defaults.getMinimumNumberOfCalls(), CircuitBreakerConfig::getMinimumNumberOfCalls)
        .returns(defaults.getFailureRateThreshold(), CircuitBreakerConfig::getFailureRateThreshold)
        .returns(
            defaults.getWaitIntervalFunctionInOpenState().apply(1),
            config -> config.getWaitIntervalFunctionInOpenState().apply(1));
  }

  @Test
  void tellsServicesNothingOfItsTimeLimit() {
    var hasTimeout = new AtomicBoolean(true);
    service.does(
        request -> {
          hasTimeout.set(request.getRequestHeaders().containsKey(Deadline.HEADER));
          respond(request, 200, "application/json", "[]");
        });
    registerCinema("tivoli");

    get("/cinema/tivoli/movie/list").expectStatus().isOk();

    assertThat(hasTimeout).isFalse();
  }

  @Test
  void countsOnlyAnswersThatDoNotCome() {
    service.answers(500, "application/problem+json", "{}");
    registerCinema("adelphi");

    // More than the whole window.
    for (int i = 0; i < 110; i++) {
      get("/cinema/adelphi/movie/list").expectStatus().isEqualTo(500);
    }

    assertThat(service.requests()).hasSize(110);
  }
}

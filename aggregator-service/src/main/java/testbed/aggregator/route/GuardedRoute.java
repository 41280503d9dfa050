package testbed.aggregator.route;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;
import testbed.aggregator.AggregatorSettings.Breaker;
import testbed.aggregator.movie.CinemaRoute;
import testbed.aggregator.movie.NoPortLeft;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;

/**
 * Leaves out a cinema that has failed too often of late, so that lists do not wait for it: a
 * circuit breaker for each, which tries the cinema again from time to time. What is a failure is as
 * at the gateway: a 500, or no answer.
 */
class GuardedRoute implements CinemaRoute {

  private final CinemaRoute route;
  private final CircuitBreakerRegistry breakers;

  GuardedRoute(CinemaRoute route, CircuitBreakerRegistry breakers) {
    this.route = route;
    this.breakers = breakers;
  }

  static CircuitBreakerRegistry breakers(Breaker settings) {
    return CircuitBreakerRegistry.of(
        CircuitBreakerConfig.custom()
            .slidingWindowSize(settings.slidingWindowSize())
            .minimumNumberOfCalls(settings.minimumNumberOfCalls())
            .failureRateThreshold(settings.failureRateThreshold())
            .waitDurationInOpenState(settings.waitDurationInOpenState())
            .permittedNumberOfCallsInHalfOpenState(settings.permittedNumberOfCallsInHalfOpenState())
            // Slow is not broken: the deadline says when it is.
            .slowCallRateThreshold(100)
            .slowCallDurationThreshold(Duration.ofHours(1))
            .ignoreException(GuardedRoute::wasNotAsked)
            .recordException(failure -> !isAnswer(failure))
            .writableStackTraceEnabled(false)
            .build());
  }

  @Override
  public Question ask(CinemaName cinema) {
    // Not the service's name, under which the gateway's breaker is in the same dashboards.
    var breaker = breakers.circuitBreaker(cinema + "-list");
    breaker.acquirePermission();
    var start = breaker.getCurrentTimestamp();
    try {
      var asked = route.ask(cinema);
      return () -> answer(asked, breaker, start);
    } catch (RuntimeException failure) {
      breaker.onError(took(breaker, start), breaker.getTimestampUnit(), failure);
      throw failure;
    }
  }

  private static Cinema answer(Question asked, CircuitBreaker breaker, long start) {
    try {
      var answer = asked.answer();
      breaker.onResult(took(breaker, start), breaker.getTimestampUnit(), answer);
      return answer;
    } catch (RuntimeException failure) {
      breaker.onError(took(breaker, start), breaker.getTimestampUnit(), failure);
      throw failure;
    }
  }

  private static long took(CircuitBreaker breaker, long start) {
    return breaker.getCurrentTimestamp() - start;
  }

  private static boolean wasNotAsked(Throwable failure) {
    return failure instanceof NoPortLeft
        || (failure instanceof ResourceAccessException unasked
            && unasked.contains(ConnectionRequestTimeoutException.class));
  }

  /** The fault is behind a cinema that answers something else than 500. */
  private static boolean isAnswer(Throwable failure) {
    return failure instanceof RestClientResponseException answer
        && answer.getStatusCode().value() != HttpStatus.INTERNAL_SERVER_ERROR.value();
  }
}

package testbed.aggregator.route;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
 * A circuit breaker for each cinema, so that lists do not wait for one that keeps failing. A
 * failure is the same as at the gateway: a 500, or no answer.
 */
class GuardedRoute implements CinemaRoute {

  private final CinemaRoute route;
  private final CircuitBreakerRegistry breakers;
  private final Map<CinemaName, CircuitBreaker> ofCinemas = new ConcurrentHashMap<>();

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
            // A slow call is no failure: only the deadline is one.
            .slowCallRateThreshold(100)
            .slowCallDurationThreshold(Duration.ofHours(1))
            .ignoreException(GuardedRoute::wasNotAsked)
            .recordException(failure -> !isAnswer(failure))
            .writableStackTraceEnabled(false)
            .build());
  }

  @Override
  public Question ask(CinemaName cinema) {
    // A name of its own: the gateway's breaker has the service's, and both are in one dashboard.
    var breaker =
        ofCinemas.computeIfAbsent(cinema, name -> breakers.circuitBreaker(name + "-list"));
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

  /** Any other status means that the fault is behind the cinema, not in it. */
  private static boolean isAnswer(Throwable failure) {
    return failure instanceof RestClientResponseException answer
        && answer.getStatusCode().value() != HttpStatus.INTERNAL_SERVER_ERROR.value();
  }
}

package testbed.gateway.breaker;

import io.github.resilience4j.timelimiter.TimeLimiter;
import io.github.resilience4j.timelimiter.TimeLimiterRegistry;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** How long the beginning of a service's answer is waited for. */
@Component
public class TimeLimits {

  private final TimeLimiterRegistry limits;

  TimeLimits(TimeLimiterRegistry limits) {
    this.limits = limits;
  }

  /** The breaker's time limit: the service's own, if it has one. */
  public Duration of(String service) {
    return limits
        .find(service)
        .map(TimeLimiter::getTimeLimiterConfig)
        .orElseGet(limits::getDefaultConfig)
        .getTimeoutDuration();
  }
}

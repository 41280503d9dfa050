package testbed.gateway.route;

import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;
import testbed.gateway.balancer.Balancer;
import testbed.gateway.balancer.Balancing;

/**
 * The way to a service's instance.
 *
 * @param responsePause the longest wait for the next bytes of a service's answer, after which its
 *     connection and the client's are closed; without it there is no limit once an answer has begun
 * @param balancer which of several instances is asked: round-robin, random, or least-in-flight. Of
 *     our own routing only
 * @param slowStart how long a new instance gets fewer requests than the others; 0 for never. Of our
 *     own routing only
 */
@ConfigurationProperties("gateway.route")
@Validated
record RouteSettings(
    @Nullable Duration responsePause,
    @DefaultValue("round-robin") Balancing balancer,
    @DefaultValue("0s") @DurationMin Duration slowStart,
    @DefaultValue("false") boolean market) {

  /** A balancer for one service. */
  Balancer newBalancer() {
    return balancer.balancer(slowStart);
  }
}

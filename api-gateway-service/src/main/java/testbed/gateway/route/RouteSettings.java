package testbed.gateway.route;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The way to a service's instance.
 *
 * @param responsePause the longest wait for the next bytes of a service's answer, after which its
 *     connection and the client's are closed; without it there is no limit once an answer has begun
 */
@ConfigurationProperties("gateway.route")
record RouteSettings(@Nullable Duration responsePause) {}

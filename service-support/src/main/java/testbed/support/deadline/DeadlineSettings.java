package testbed.support.deadline;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Whether deadlines are handed on from service to service.
 *
 * @param handedOn whether a service says how long it waits, and answers before its caller gives up
 * @param margin how much earlier a service answers; data is not changed with less time left than
 *     this
 */
@ConfigurationProperties("testbed.deadline")
public record DeadlineSettings(
    @DefaultValue("false") boolean handedOn, @DefaultValue("250ms") Duration margin) {

  /** The setting that switches all of it on. */
  public static final String HANDED_ON = "testbed.deadline.handed-on";
}

package testbed.support.web;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of every HTTP edge.
 *
 * @param maxBody the largest request body that is read
 * @param bodyTime the time for a request body to arrive; no limit without it
 * @param shortWay whether ordinary requests reach their controller without the framework's
 *     dispatcher
 * @param timer what times the requests of servlet services: the framework's observation of each, or
 *     a plain timer with the same names. With traces they are always observed
 */
@ConfigurationProperties("testbed.web")
public record WebSettings(
    @DefaultValue("64KB") DataSize maxBody,
    @Nullable Duration bodyTime,
    @DefaultValue("false") boolean shortWay,
    @DefaultValue("observed") RequestTiming timer) {

  /** The setting of the short way. */
  public static final String SHORT_WAY = "testbed.web.short-way";

  /** What times requests. */
  public enum RequestTiming {
    OBSERVED,
    PLAIN
  }
}

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
 * @param bodyTime the time for a request body to arrive; without it clients may take any time
 * @param timer what times the requests of servlet services: the framework's observation of each, or
 *     a plain timer with the same names. With traces they are always observed
 * @param lists how lists of movies are answered over HTTP where they exist as bytes: by the
 *     framework's dispatcher, or directly by a servlet
 */
@ConfigurationProperties("testbed.web")
public record WebSettings(
    @DefaultValue("64KB") DataSize maxBody,
    @Nullable Duration bodyTime,
    @DefaultValue("observed") RequestTiming timer,
    @DefaultValue("dispatched") Lists lists) {

  /**
   * The setting under which {@link DirectAnswer} answers lists, if its value is {@value #DIRECT}.
   */
  public static final String LISTS = "testbed.web.lists";

  public static final String DIRECT = "direct";

  /** What times requests. */
  public enum RequestTiming {
    OBSERVED,
    PLAIN
  }

  /** What answers lists. */
  public enum Lists {
    DISPATCHED,
    DIRECT
  }
}

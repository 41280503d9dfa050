package testbed.gateway;

import java.util.List;
import org.springframework.core.env.Environment;
import testbed.support.preset.ChosenProfile;
import testbed.support.preset.PresetProfile;

/**
 * Which filters route requests and guard them. A factor, so that the effect of our own can be
 * measured.
 */
public class RoutingProfile extends ChosenProfile {

  /** Those of Spring Cloud Gateway, with its load balancer. */
  public static final String STOCK = "stock";

  /** Our own, without what this gateway does not need. */
  public static final String DIRECT = "direct";

  /** For the feed, whose answers the library's cache filter keeps. */
  public static final String FEED = "gateway.feed.url";

  RoutingProfile() {
    super("gateway.routing", "GATEWAY_ROUTING", List.of(STOCK, DIRECT));
  }

  @Override
  protected String defaultChoice(Environment environment) {
    return PresetProfile.isThesis(environment) || environment.containsProperty(FEED)
        ? STOCK
        : DIRECT;
  }
}

package testbed.gateway;

import java.util.List;
import org.springframework.core.env.Environment;
import testbed.support.preset.ChosenProfile;
import testbed.support.preset.PresetProfile;

/**
 * Whose filters find a service's instance and guard the way to it. A factor: what our own are worth
 * can be measured.
 */
public class RoutingProfile extends ChosenProfile {

  /** Those of Spring Cloud Gateway, with its load balancer. */
  public static final String STOCK = "stock";

  /** Our own, which leave out what this gateway does not need. */
  public static final String DIRECT = "direct";

  /** Where a feed is, whose answers a filter of the library keeps. */
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

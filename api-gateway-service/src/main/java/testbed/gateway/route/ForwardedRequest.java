package testbed.gateway.route;

import org.springframework.cloud.gateway.filter.headers.observation.DefaultGatewayObservationConvention;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import testbed.support.trace.TracingProfile;

/**
 * Observed for its span only. Under the framework's name it would be counted among the requests of
 * the registry's client, with other tags.
 */
@Component
@Profile(TracingProfile.NAME)
class ForwardedRequest extends DefaultGatewayObservationConvention {

  @Override
  public String getName() {
    return "gateway.forwarded";
  }
}

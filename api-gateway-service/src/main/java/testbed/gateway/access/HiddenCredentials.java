package testbed.gateway.access;

import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import testbed.gateway.RoutingProfile;

/**
 * Removes clients' credentials before a request is passed on: no service needs them, unless it
 * checks tokens.
 */
@Component
@Profile(RoutingProfile.STOCK)
class HiddenCredentials implements HttpHeadersFilter {

  private final boolean passedOn;

  HiddenCredentials(Environment environment) {
    this.passedOn = MarketTokens.arePassedOn(environment);
  }

  @Override
  public HttpHeaders filter(HttpHeaders headers, ServerWebExchange exchange) {
    if (passedOn || !headers.containsHeader(HttpHeaders.AUTHORIZATION)) {
      return headers;
    }
    var others = HttpHeaders.copyOf(headers);
    others.remove(HttpHeaders.AUTHORIZATION);
    return others;
  }
}

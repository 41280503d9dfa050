package testbed.broker.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;

/**
 * A firewall that refuses nothing: the server has already refused malformed requests. Rules and
 * controllers read a path in the same way, and paths that match no rule are for administrators.
 */
final class EveryRequest implements HttpFirewall {

  @Override
  public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
    return new FirewalledRequest(request) {
      @Override
      public void reset() {}
    };
  }

  @Override
  public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
    return response;
  }
}

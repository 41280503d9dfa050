package testbed.broker.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;

/**
 * Refuses no request for its form: the server has done that. Rules and controllers read a path in
 * the same way, and odd ones are for administrators.
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

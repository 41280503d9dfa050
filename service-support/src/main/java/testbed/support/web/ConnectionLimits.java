package testbed.support.web;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.http.HttpHeaders;

/**
 * Closes a connection after its answer where it must not be kept: while most of {@code
 * max-connections} are open, as kept ones that rest would keep other clients out, and while the
 * service stops, as the next request would find nobody.
 */
class ConnectionLimits extends ValveBase {

  private static final double KEPT_SHARE = 0.9;

  private final ApplicationAvailability availability;

  ConnectionLimits(ApplicationAvailability availability) {
    // For asynchronous requests too.
    super(true);
    this.availability = availability;
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (isStopping() || isCrowded(request)) {
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
    getNext().invoke(request, response);
  }

  private boolean isStopping() {
    return availability.getReadinessState() == ReadinessState.REFUSING_TRAFFIC;
  }

  private static boolean isCrowded(Request request) {
    if (request.getConnector().getProtocolHandler() instanceof AbstractProtocol<?> server) {
      int limit = server.getMaxConnections();
      return limit > 0 && server.getConnectionCount() > KEPT_SHARE * limit;
    }
    return false;
  }
}

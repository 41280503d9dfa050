package testbed.support.web;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.AbstractProtocol;
import org.springframework.http.HttpHeaders;

/**
 * Closes a connection after its answer while most of {@code max-connections} are open: kept ones
 * that rest would keep other clients out.
 */
class CrowdedConnections extends ValveBase {

  private static final double KEPT_SHARE = 0.9;

  CrowdedConnections() {
    // For asynchronous requests too.
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (request.getConnector().getProtocolHandler() instanceof AbstractProtocol<?> server
        && isCrowded(server)) {
      response.setHeader(HttpHeaders.CONNECTION, "close");
    }
    getNext().invoke(request, response);
  }

  private static boolean isCrowded(AbstractProtocol<?> server) {
    int limit = server.getMaxConnections();
    return limit > 0 && server.getConnectionCount() > KEPT_SHARE * limit;
  }
}

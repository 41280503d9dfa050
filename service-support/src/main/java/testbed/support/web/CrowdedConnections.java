package testbed.support.web;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.AbstractProtocol;
import org.springframework.http.HttpHeaders;

/** Closes connections after their answers while most of {@code max-connections} are open. */
class CrowdedConnections extends ValveBase {

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
    return limit > 0 && Crowding.closes(server.getConnectionCount(), limit);
  }
}

package testbed.gateway.route;

import org.springframework.cloud.gateway.config.HttpClientCustomizer;
import org.springframework.stereotype.Component;
import reactor.netty.http.client.HttpClient;

/**
 * Limits the wait for the rest of an answer. The gateway's own {@code response-timeout} and the
 * breaker's time limit end when the answer begins.
 */
@Component
class ResponsePause implements HttpClientCustomizer {

  private final RouteSettings settings;

  ResponsePause(RouteSettings settings) {
    this.settings = settings;
  }

  @Override
  public HttpClient customize(HttpClient client) {
    var limit = settings.responsePause();
    return limit == null ? client : client.responseTimeout(limit);
  }
}

package testbed.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * An answer that comes from another thread than the connection's must not keep the next request
 * from being read. Where it does, it is one time in a hundred.
 */
class KeptConnectionTest extends RunningGateway {

  private static final int CONNECTIONS = 100;
  private static final int REQUESTS = 20;

  @Test
  void isAnsweredAgainAndAgain() throws Exception {
    var request =
        HttpRequest.newBuilder(
                URI.create("http://localhost:" + management + "/actuator/health/liveness"))
            .timeout(Duration.ofMinutes(1))
            .build();

    for (int connection = 0; connection < CONNECTIONS; connection++) {
      try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
        for (int i = 0; i < REQUESTS; i++) {
          assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
        }
      }
    }
  }
}

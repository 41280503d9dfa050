package testbed.registry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.RestClient;

/** The wait is longer than the default one, so that no slow machine sees its end. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "eureka.server.wait-time-in-ms-when-sync-empty=600000")
class RestartedRegistryTest {

  @LocalServerPort private int port;

  @Test
  void tellsNobodyThatNobodyIsThereBeforeServicesHadTimeToRegister() {
    var answer =
        RestClient.builder()
            .baseUrl("http://localhost:" + port)
            .defaultHeaders(headers -> headers.setBasicAuth("testbed", "testbed"))
            .defaultStatusHandler(status -> true, (request, response) -> {})
            .build()
            .get()
            .uri("/eureka/apps")
            .retrieve()
            .toBodilessEntity();

    assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.FORBIDDEN);
  }
}

package testbed.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.security.web.SecurityFilterChain;
import testbed.support.testing.RawHttp;

class NoAccessControlTest {

  @ParameterizedTest
  @ValueSource(strings = {"--access.control=off", "--testbed.preset=thesis"})
  void ignoresCredentialsAndHasNothingOnTheWayOfARequest(String setting) {
    try (var broker =
        SpringApplication.run(
            BrokerServiceApplication.class,
            "--server.port=0",
            "--management.server.port=0",
            "--RABBITMQ_PORT=1",
            setting)) {
      int port = broker.getEnvironment().getRequiredProperty("local.server.port", Integer.class);

      for (var header : new String[] {"", "Authorization: Basic nonsense\r\n"}) {
        var answer = RawHttp.answer(port, "GET /api/cinema/ucd/reservation/list HTTP/1.1", header);
        // Nothing is there to take the request.
        assertThat(answer).startsWith("HTTP/1.1 503").doesNotContain("X-Content-Type-Options");
      }
      assertThat(broker.getBeanProvider(SecurityFilterChain.class)).isEmpty();
    }
  }
}

package testbed.ticketservice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;
import testbed.support.preset.InvalidSetting;

class StartTest {

  @Test
  void stopsWithoutASource() {
    assertThatThrownBy(() -> start())
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("TICKET_SOURCE is not set");
  }

  @Test
  void startsWithoutAMessageServerAndSaysThatItIsNotReady() {
    // Port 1 is reserved: nothing answers there.
    try (var service = start("--ticket.source=queue", "--RABBITMQ_PORT=1")) {
      assertThat(status(service, "/actuator/health/liveness")).isEqualTo(200);
      assertThat(status(service, "/actuator/health/readiness")).isEqualTo(503);
      assertThat(body(service, "/actuator/tickets")).contains("\"waiting\":-1");
      assertThat(body(service, "/actuator/prometheus")).contains("tickets_waiting");
    }
  }

  @Test
  void needsNoMessageServerForOrdersByHttp() {
    try (var service = start("--ticket.source=http", "--testbed.preset=thesis")) {
      assertThat(status(service, "/actuator/health/readiness")).isEqualTo(200);
    }
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    var own = Stream.of("--server.port=0", "--management.server.port=0");
    return SpringApplication.run(
        TicketServiceApplication.class,
        Stream.concat(own, Stream.of(arguments)).toArray(String[]::new));
  }

  private static int status(ConfigurableApplicationContext service, String path) {
    return at(service)
        .get()
        .uri(path)
        .exchange((request, response) -> response.getStatusCode().value());
  }

  private static String body(ConfigurableApplicationContext service, String path) {
    return at(service).get().uri(path).retrieve().body(String.class);
  }

  private static RestClient at(ConfigurableApplicationContext service) {
    return RestClient.create(
        "http://localhost:" + service.getEnvironment().getProperty("local.management.port"));
  }
}

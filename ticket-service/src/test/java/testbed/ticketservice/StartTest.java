package testbed.ticketservice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.ticketservice.Examples.JANES_RESERVATION;
import static testbed.ticketservice.Examples.someId;

import java.util.Collections;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
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
  void stopsOnAStoreOfANegativeSize() {
    assertThatThrownBy(() -> start("--ticket.source=http", "--ticket.store-bytes=-1B"))
        .hasStackTraceContaining("ticket.store-bytes must not be negative");
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

  /** With as many places as processors, which virtual threads would share while they build. */
  @Test
  void refusesAtOnceWhileEveryProcessorBuilds() throws Exception {
    var places = Runtime.getRuntime().availableProcessors();
    try (var service =
            start("--ticket.source=http", "--ticket.pages=50", "--ticket.consumers=" + places);
        var clients = Executors.newFixedThreadPool(20 * places)) {
      var orders = RestClient.create("http://localhost:" + port(service, "server"));
      var statuses =
          clients.invokeAll(Collections.nCopies(20 * places, () -> order(orders))).stream()
              .map(Future::resultNow)
              .toList();

      assertThat(statuses).containsOnly(201, 503).contains(201, 503);
    }
  }

  private static int order(RestClient orders) {
    return orders
        .put()
        .uri("/tickets/" + someId())
        .contentType(MediaType.APPLICATION_JSON)
        .body(JANES_RESERVATION)
        .exchange((request, response) -> response.getStatusCode().value());
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
    return RestClient.create("http://localhost:" + port(service, "management"));
  }

  private static String port(ConfigurableApplicationContext service, String which) {
    return service.getEnvironment().getRequiredProperty("local.%s.port".formatted(which));
  }
}

package testbed.cinema;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.net.InetSocketAddress;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

/**
 * Health and metrics of a running cinema. Readiness depends on the database; liveness depends on
 * nothing else.
 */
class ActuatorTest {

  /** Port 1 is reserved: nothing answers there. */
  private static final String NO_MESSAGE_SERVER = "--RABBITMQ_PORT=1";

  /** Less than the 30 s a driver waits for its database by default. */
  private static final int PATIENCE_SECONDS = 20;

  private MongoServer database = new MongoServer(new MemoryBackend());
  private final InetSocketAddress address = database.bind();

  @AfterEach
  void stopDatabase() {
    database.shutdownNow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tuned", "thesis"})
  void isReadyWhileItsDatabaseAnswersAndAliveInAnyCase(String preset) {
    try (var cinema = start("--cinema.transport=http", "--testbed.preset=" + preset)) {
      assertThat(health(cinema, "readiness")).isEqualTo(200);
      assertThat(health(cinema)).isEqualTo(200);

      database.shutdownNow();
      await()
          .atMost(PATIENCE_SECONDS, SECONDS)
          .untilAsserted(() -> assertThat(health(cinema, "readiness")).isEqualTo(503));
      assertThat(health(cinema, "liveness")).isEqualTo(200);
      assertThat(metrics(cinema)).containsPattern("application_ready\\{.*} 0.0");

      database = new MongoServer(new MemoryBackend());
      database.bind(address);
      await()
          .atMost(PATIENCE_SECONDS, SECONDS)
          .untilAsserted(() -> assertThat(health(cinema, "readiness")).isEqualTo(200));
    }
  }

  @Test
  void isNotReadyWithoutTheMessageServerThatItsRequestsComeFrom() {
    try (var cinema = start("--cinema.transport=amqp", NO_MESSAGE_SERVER)) {
      assertThat(health(cinema, "readiness")).isEqualTo(503);
      assertThat(health(cinema, "liveness")).isEqualTo(200);
    }
  }

  /** A cinema whose requests are messages has no callers to wait for. */
  @ParameterizedTest
  @CsvSource({"http, tuned, true", "amqp, tuned, false", "http, thesis, false"})
  void servesOnAfterItWasToldToStopIfOthersAskIt(String transport, String preset, boolean drains) {
    try (var cinema =
        start("--cinema.transport=" + transport, "--testbed.preset=" + preset, NO_MESSAGE_SERVER)) {
      assertThat(cinema.containsBean("drain")).isEqualTo(drains);
    }
  }

  @Test
  void doesNotWaitMinutesForAMessageServerThatIsSilent() {
    try (var cinema = start("--cinema.transport=amqp", NO_MESSAGE_SERVER)) {
      var server = cinema.getBean(CachingConnectionFactory.class).getRabbitConnectionFactory();

      assertThat(server.getChannelRpcTimeout()).isEqualTo(10_000);
      assertThat(server.getRequestedHeartbeat()).isEqualTo(10);
    }
  }

  @Test
  void needsNoMessageServerOnTheHttpEdge() {
    try (var cinema = start("--cinema.transport=http", NO_MESSAGE_SERVER)) {
      assertThat(health(cinema, "readiness")).isEqualTo(200);
    }
  }

  @Test
  void countsRequestsInBucketsOfTheirDuration() {
    try (var cinema = start("--cinema.transport=http")) {
      assertThat(status(product(cinema), "movies")).isEqualTo(404);
      assertThat(health(cinema, "liveness")).isEqualTo(200);

      // A request is counted when its answer has been sent, so the client may be earlier.
      await()
          .untilAsserted(
              () ->
                  assertThat(metrics(cinema))
                      .doesNotContain("/actuator/", "tickets_")
                      .contains("jvm_compilation_time_ms_total{")
                      .containsPattern("http_server_requests_seconds_bucket\\{.*le=\"0.001\"")
                      .containsPattern("http_server_requests_seconds_bucket\\{.*le=\"5.0\""));
    }
  }

  @Test
  void countsRequestsWithoutBucketsWhereThereAreToBeNone() {
    try (var cinema = start("--cinema.transport=http", "--TESTBED_HISTOGRAM_BUCKETS=")) {
      assertThat(status(product(cinema), "movies")).isEqualTo(404);

      await()
          .untilAsserted(
              () ->
                  assertThat(metrics(cinema))
                      .contains("http_server_requests_seconds_count")
                      .doesNotContain("_bucket"));
    }
  }

  private ConfigurableApplicationContext start(String... settings) {
    var common =
        Stream.of(
            "--cinema.name=ucd",
            "--server.port=0",
            "--management.server.port=0",
            "--eureka.client.enabled=false",
            "--MONGODB_URI=mongodb://localhost:" + address.getPort());
    return new SpringApplicationBuilder(CinemaServiceApplication.class)
        .run(Stream.concat(common, Stream.of(settings)).toArray(String[]::new));
  }

  private static int health(ConfigurableApplicationContext cinema, String... group) {
    return status(
        management(cinema),
        Stream.concat(Stream.of("actuator", "health"), Stream.of(group)).toArray(String[]::new));
  }

  private static int status(RestClient client, String... path) {
    return client
        .get()
        .uri(address -> address.pathSegment(path).build())
        .exchange((request, response) -> response.getStatusCode().value());
  }

  private static String metrics(ConfigurableApplicationContext cinema) {
    return String.valueOf(
        management(cinema).get().uri("/actuator/prometheus").retrieve().body(String.class));
  }

  private static RestClient product(ConfigurableApplicationContext cinema) {
    return client(cinema, "local.server.port");
  }

  private static RestClient management(ConfigurableApplicationContext cinema) {
    return client(cinema, "local.management.port");
  }

  private static RestClient client(ConfigurableApplicationContext cinema, String port) {
    return RestClient.create(
        "http://localhost:" + cinema.getEnvironment().getRequiredProperty(port));
  }
}

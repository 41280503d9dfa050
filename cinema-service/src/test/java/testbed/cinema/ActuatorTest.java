package testbed.cinema;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;
import testbed.support.testing.LongLimits;

/**
 * Health and metrics of a running cinema. Readiness depends on the database; liveness depends on
 * nothing else.
 */
class ActuatorTest {

  /** Port 1 is reserved: nothing answers there. */
  private static final String NO_MESSAGE_SERVER = "--RABBITMQ_PORT=1";

  /** Less than the 30 s a driver waits for its database by default. */
  private static final int PATIENCE_SECONDS = 20;

  private static final Map<List<String>, ConfigurableApplicationContext> CINEMAS = new HashMap<>();
  private static MongoServer database = new MongoServer(new MemoryBackend());
  private static final InetSocketAddress ADDRESS = database.bind();

  @AfterAll
  static void stop() {
    CINEMAS.values().forEach(ConfigurableApplicationContext::close);
    database.shutdownNow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tuned", "thesis"})
  void isReadyWhileItsDatabaseAnswersAndAliveInAnyCase(String preset) {
    var cinema = cinema("http", preset);
    assertThat(health(cinema, "readiness")).isEqualTo(200);
    assertThat(health(cinema)).isEqualTo(200);

    database.shutdownNow();
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(() -> assertThat(health(cinema, "readiness")).isEqualTo(503));
    assertThat(health(cinema, "liveness")).isEqualTo(200);
    assertThat(metrics(cinema)).containsPattern("application_ready\\{.*} 0.0");

    database = new MongoServer(new MemoryBackend());
    database.bind(ADDRESS);
    // Further tests use all of them.
    for (var other : CINEMAS.values()) {
      if (other.getEnvironment().getRequiredProperty("cinema.transport").equals("http")) {
        await()
            .atMost(PATIENCE_SECONDS, SECONDS)
            .untilAsserted(() -> assertThat(health(other, "readiness")).isEqualTo(200));
      }
    }
  }

  @Test
  void isNotReadyWithoutTheMessageServerThatItsRequestsComeFrom() {
    var cinema = cinema("amqp", "tuned");
    assertThat(health(cinema, "readiness")).isEqualTo(503);
    assertThat(health(cinema, "liveness")).isEqualTo(200);
  }

  /** A cinema whose requests are messages has no callers to wait for. */
  @ParameterizedTest
  @CsvSource({"http, tuned, true", "amqp, tuned, false", "http, thesis, false"})
  void servesOnAfterItWasToldToStopIfOthersAskIt(String transport, String preset, boolean drains) {
    assertThat(cinema(transport, preset).containsBean("drain")).isEqualTo(drains);
  }

  @Test
  void doesNotWaitMinutesForAMessageServerThatIsSilent() {
    var server =
        cinema("amqp", "tuned")
            .getBean(CachingConnectionFactory.class)
            .getRabbitConnectionFactory();

    assertThat(server.getChannelRpcTimeout()).isEqualTo(10_000);
    assertThat(server.getRequestedHeartbeat()).isEqualTo(10);
  }

  @Test
  void needsNoMessageServerOnTheHttpEdge() {
    assertThat(health(cinema("http", "tuned"), "readiness")).isEqualTo(200);
  }

  @Test
  void countsRequestsInBucketsOfTheirDuration() {
    var cinema = cinema("http", "tuned");
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

  @Test
  void countsRequestsWithoutBucketsWhereThereAreToBeNone() {
    var cinema = cinema("http", "tuned", "--TESTBED_HISTOGRAM_BUCKETS=");
    assertThat(status(product(cinema), "movies")).isEqualTo(404);

    await()
        .untilAsserted(
            () ->
                assertThat(metrics(cinema))
                    .contains("http_server_requests_seconds_count")
                    .doesNotContain("_bucket"));
  }

  /** One for all tests with these settings. */
  private static ConfigurableApplicationContext cinema(
      String transport, String preset, String... settings) {
    var all =
        Stream.concat(
                Stream.of(
                    "--cinema.transport=" + transport,
                    "--testbed.preset=" + preset,
                    "--cinema.name=ucd",
                    "--server.port=0",
                    "--management.server.port=0",
                    "--eureka.client.enabled=false",
                    "--" + LongLimits.OFF,
                    NO_MESSAGE_SERVER,
                    "--MONGODB_URI=mongodb://localhost:" + ADDRESS.getPort()),
                Stream.of(settings))
            .toList();
    return CINEMAS.computeIfAbsent(
        all,
        arguments ->
            new SpringApplicationBuilder(CinemaServiceApplication.class)
                .run(arguments.toArray(String[]::new)));
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

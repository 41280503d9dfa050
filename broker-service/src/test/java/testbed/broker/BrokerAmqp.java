package testbed.broker;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static testbed.broker.Examples.CINEWORLD;
import static testbed.broker.Examples.DUNDRUM;
import static testbed.broker.Examples.UCD;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import testbed.contracts.CinemaName;
import testbed.contracts.message.Topology;
import testbed.messaging.testing.BackendContainers;

/** The whole broker between HTTP and a RabbitMQ server in a container; the same in each preset. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "access.administrators=" + HttpClient.ACCOUNT,
      "broker.deadline=" + BrokerAmqp.DEADLINE_MS + "ms",
      "broker.store.expiry=8s",
      "broker.store.capacity=" + BrokerAmqp.CAPACITY,
      "broker.presence.present-for=2s",
      "broker.presence.remembered-for=4s"
    })
// Its server ends with this class.
@DirtiesContext
@Testcontainers(disabledWithoutDocker = true)
abstract class BrokerAmqp {

  static final int CAPACITY = 100;

  /** Long enough for a busy machine to answer them all at once. */
  static final int DEADLINE_MS = 4_000;

  private static final int PATIENCE_SECONDS = 30;
  private static final String MOVIES = "/api/movie/list";

  @Container static final RabbitMQContainer RABBITMQ = BackendContainers.rabbitMq();

  @Autowired MessageConverter format;
  @Autowired MeterRegistry meters;
  @Autowired ConnectionFactory connections;
  @LocalServerPort int port;
  @LocalManagementPort int management;

  private HttpClient http;
  private FakeCinema cineworld;
  private FakeCinema ucd;

  @DynamicPropertySource
  static void backends(DynamicPropertyRegistry registry) {
    registry.add("RABBITMQ_HOST", RABBITMQ::getHost);
    registry.add("RABBITMQ_PORT", RABBITMQ::getAmqpPort);
  }

  @BeforeEach
  void twoCinemasAreThere() {
    http = new HttpClient(port);
    cineworld = open(CINEWORLD);
    ucd = open(UCD);
    awaitList("both cinemas, none missing", List.of());
  }

  @AfterEach
  void closeThem() {
    cineworld.close();
    ucd.close();
  }

  @Test
  void listsTheMoviesOfBothCinemas() {
    var answer = http.fetch(http.get(MOVIES));

    assertThat(answer.getStatusCode().value()).isEqualTo(200);
    assertThat(answer.getBody())
        .containsSubsequence("\"cinemaName\":\"cineworld\"", "\"cinemaName\":\"ucd\"");
  }

  @Test
  void givesEveryClientItsOwnReservation() throws Exception {
    var answers =
        atOnce(
            CAPACITY,
            client ->
                http.fetch(
                    http.reserve(client % 2 == 0 ? "ucd" : "cineworld", "client " + client)));

    for (int client = 0; client < CAPACITY; client++) {
      var answer = answers.get(client);
      assertThat(answer.getStatusCode().value()).as("%s", answer).isEqualTo(200);
      assertThat(answer.getBody()).contains("\"clientName\":\"client %d\"".formatted(client));
    }
  }

  @Test
  void passesTheCinemasRefusalOn() {
    var answer = http.fetch(http.reserve("ucd", FakeCinema.REFUSED_CLIENT));

    assertThat(answer.getStatusCode().value()).isEqualTo(422);
    assertThat(answer.getBody()).contains("urn:testbed:problem:showing-unknown", "too late");
  }

  @Test
  void knowsNoCinemaWithoutAQueue() {
    var answer = http.reserve("nowhere", "Jane");

    assertThat(answer.getStatusCode().value()).isEqualTo(404);
    assertThat(answer.getBody()).contains("urn:testbed:problem:cinema-unknown");
  }

  @Test
  void refusesWhatItCannotRouteToACinemaThatItHasSeen() {
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(
            () -> {
              ucd.announce(DUNDRUM);
              var answer = http.reserve("dundrum", "Jane");
              assertThat(answer.getStatusCode().value()).isEqualTo(503);
              assertThat(answer.getBody()).contains("urn:testbed:problem:unavailable");
            });
  }

  @Test
  void refusesAListWhenNoCinemaHasAQueue() {
    cineworld.close();
    ucd.close();

    assertThat(http.get(MOVIES).getStatusCode().value()).isEqualTo(503);
  }

  @Test
  void handsOutWhatIsThereAtTheDeadlineAndAddsWhatComesLate() {
    ucd.answerEachRequest(0);
    var acknowledged = http.get(MOVIES);

    var partial = http.fetch(acknowledged);
    assertThat(partial.getStatusCode().value()).isEqualTo(200);
    assertThat(partial.getBody()).contains("cineworld").doesNotContain("ucd");
    assertThat(partial.getHeaders().get("Cinemas-Missing")).containsExactly("ucd");

    ucd.answerKeptRequests();
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(
            () -> assertThat(http.fetch(acknowledged).getBody()).contains("cineworld", "ucd"));
    assertThat(responses("late")).isPositive();
  }

  @Test
  void answersAReservationThatComesAfterTheDeadline() {
    ucd.answerEachRequest(0);
    var acknowledged = http.reserve("ucd", "Jane");

    var silence = http.fetch(acknowledged);
    assertThat(silence.getStatusCode().value()).isEqualTo(504);
    assertThat(silence.getBody()).contains("urn:testbed:problem:no-answer");

    ucd.answerKeptRequests();
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(
            () -> assertThat(http.fetch(acknowledged).getStatusCode().value()).isEqualTo(200));
  }

  @Test
  void countsDuplicatesAndKeepsTheFirst() {
    double before = responses("duplicate");
    ucd.answerEachRequest(2);

    assertThat(http.fetch(http.get(MOVIES)).getBody()).containsOnlyOnce("\"cinemaName\":\"ucd\"");

    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(() -> assertThat(responses("duplicate")).isEqualTo(before + 1));
  }

  @Test
  void countsResponsesThatNobodyWaitsFor() {
    double before = responses("unknown");
    ucd.send(
        Topology.EXCHANGE,
        Topology.RESPONSE,
        message("movies-listed", "3b1f9d6e-5d2c-4e0b-8f11-0d9a5d1c6f77", moviesOfUcd()));

    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(() -> assertThat(responses("unknown")).isEqualTo(before + 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "movies-listed   | 3b1f9d6e-5d2c-4e0b-8f11-0d9a5d1c6f77 | {\"half\":",
        "movies-listed   | 3b1f9d6e-5d2c-4e0b-8f11-0d9a5d1c6f77 | {\"cinema\":\"ucd\",\"more\":1}",
        "java.lang.Class | 3b1f9d6e-5d2c-4e0b-8f11-0d9a5d1c6f77 | {}",
        "cinema-present  | 3b1f9d6e-5d2c-4e0b-8f11-0d9a5d1c6f77 | {\"cinema\":\"ucd\"}",
        "request-rejected | no-uuid | {\"cinema\":\"ucd\",\"problem\":\"internal\",\"detail\":\"\"}",
        "request-rejected | | {\"cinema\":\"ucd\",\"problem\":\"internal\",\"detail\":\"\"}"
      })
  void setsAResponseItCannotProcessAsideAndGoesOn(String type, String correlationId, String body) {
    ucd.send(Topology.EXCHANGE, Topology.RESPONSE, message(type, correlationId, body));

    var dead = ucd.receive(Topology.DEAD_LETTER_QUEUE, SECONDS.toMillis(PATIENCE_SECONDS));
    assertThat(dead).isNotNull();
    assertThat(new String(dead.getBody(), StandardCharsets.UTF_8)).isEqualTo(body);
    assertThat(dead.getMessageProperties().getHeaders())
        .containsEntry("x-original-routingKey", Topology.RESPONSE)
        .containsKey("x-exception-message");
    assertThat(http.fetch(http.get(MOVIES)).getStatusCode().value()).isEqualTo(200);
  }

  @Test
  void sendsListsThatExpireAndReservationsThatLast() {
    ucd.answerEachRequest(0);
    var list = http.get(MOVIES).getBody();
    var reservation = http.reserve("ucd", "Jane").getBody();
    var reservations = http.get("/api/cinema/ucd/reservation/list").getBody();
    await().atMost(PATIENCE_SECONDS, SECONDS).until(() -> ucd.keptRequests().size() == 3);

    for (var request : ucd.keptRequests()) {
      var properties = request.getMessageProperties();
      var type = properties.getHeader("__TypeId__").toString();
      var lasting = type.equals("make-reservation");
      assertThat(properties.getReceivedDeliveryMode())
          .isEqualTo(lasting ? MessageDeliveryMode.PERSISTENT : MessageDeliveryMode.NON_PERSISTENT);
      assertThat(properties.getExpiration())
          .isEqualTo(lasting ? null : String.valueOf(DEADLINE_MS));
      assertThat(properties.getContentType()).isEqualTo("application/json");
      assertThat(properties.getCorrelationId())
          .isEqualTo(
              switch (type) {
                case "list-movies" -> list;
                case "make-reservation" -> reservation;
                case "list-reservations" -> reservations;
                default -> "a known type";
              });
    }
  }

  @Test
  void refusesRequestsWhileItIsFullAndNotForLonger() throws Exception {
    cineworld.answerEachRequest(0);

    var acknowledged =
        atOnce(2 * CAPACITY, client -> http.reserve("cineworld", "client " + client));

    assertThat(acknowledged)
        .extracting(answer -> answer.getStatusCode().value())
        .containsOnly(202, 503);
    cineworld.answerKeptRequests();
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(
            () ->
                assertThat(http.reserve("cineworld", "Jane").getStatusCode().value())
                    .isEqualTo(202));
  }

  @Test
  void forgetsAnswersAfterAWhile() {
    var acknowledged = http.get(MOVIES);
    assertThat(http.fetch(acknowledged).getStatusCode().value()).isEqualTo(200);

    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(
            () -> assertThat(http.fetch(acknowledged).getStatusCode().value()).isEqualTo(410));
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(
            () ->
                assertThat(meters.get("broker.operations").tag("state", "settled").gauge().value())
                    .isZero());
  }

  @Test
  void namesACinemaThatHasGoneUntilItIsForgottenAndFindsItAgain() {
    ucd.close();
    awaitList("ucd missing", List.of("ucd"));

    ucd = open(UCD);
    awaitList("ucd again", List.of());
  }

  @Test
  void withdrawsWhatItHasRefusedAndTheServerTakesLater() throws Exception {
    ucd.answerEachRequest(0);
    rabbitmqctl("set_vm_memory_high_watermark", "0");
    try {
      assertThat(http.reserve("ucd", "Jane").getStatusCode().value()).isEqualTo(503);
      // The connection is blocked by now, so this one is not sent.
      assertThat(http.reserve("ucd", "Joe").getStatusCode().value()).isEqualTo(503);
    } finally {
      rabbitmqctl("set_vm_memory_high_watermark", "0.4");
    }

    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(
            () -> {
              assertThat(ucd.withdrawn()).hasSize(1);
              assertThat(ucd.keptRequests())
                  .extracting(request -> request.getMessageProperties().getCorrelationId())
                  .containsExactlyElementsOf(ucd.withdrawn());
            });
    ucd.answerEachRequest(1);
    awaitList("both cinemas again", List.of());
  }

  @Test
  void getsItsOwnAnswersBesideAnotherBroker() throws Exception {
    try (var second = secondBroker()) {
      var other = new HttpClient(localPort(second));
      awaitList(other, "the other knows both cinemas", List.of());
      double before = responses("unknown");

      var answers =
          atOnce(
              CAPACITY,
              client -> {
                var asked = client % 2 == 0 ? http : other;
                return asked.fetch(
                    client % 4 < 2 ? asked.get(MOVIES) : asked.reserve("ucd", "client " + client));
              });

      assertThat(answers)
          .allSatisfy(
              answer -> {
                assertThat(answer.getStatusCode().value()).isEqualTo(200);
                assertThat(answer.getHeaders().get("Cinemas-Missing")).isNull();
              });
      assertThat(responses("unknown")).isEqualTo(before);
      // Whoever asked a broker fetches from it.
      assertThat(other.fetch(http.get(MOVIES)).getStatusCode().value()).isEqualTo(404);
    }
    // What nobody listens to any more would grow.
    var queues = new RabbitAdmin(connections);
    assertThat(queues.getQueueInfo(Topology.responseQueueOf(2))).isNull();
    assertThat(queues.getQueueInfo(Topology.responseQueueOf(1))).isNotNull();
  }

  @Test
  void isReadyWhileTheServerIsThere() throws Exception {
    assertThat(readiness()).isEqualTo(200);

    rabbitmqctl("stop_app");
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(() -> assertThat(readiness()).isEqualTo(503));
    assertThat(health("liveness")).isEqualTo(200);
    var refused = http.get(MOVIES);
    assertThat(refused.getStatusCode().value()).isEqualTo(503);
    assertThat(refused.getBody()).contains("urn:testbed:problem:unavailable");

    rabbitmqctl("start_app");
    await()
        .atMost(PATIENCE_SECONDS, SECONDS)
        .untilAsserted(() -> assertThat(readiness()).isEqualTo(200));
    awaitList("both cinemas again", List.of());
  }

  /** The results of a number of concurrent clients. */
  private static List<ResponseEntity<String>> atOnce(
      int clients, IntFunction<ResponseEntity<String>> work) throws Exception {
    var answers = new ArrayList<Future<ResponseEntity<String>>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int client = 0; client < clients; client++) {
        int number = client;
        answers.add(threads.submit(() -> work.apply(number)));
      }
    }
    var results = new ArrayList<ResponseEntity<String>>();
    for (var answer : answers) {
      results.add(answer.get());
    }
    return results;
  }

  private FakeCinema open(CinemaName name) {
    return new FakeCinema(name, RABBITMQ.getHost(), RABBITMQ.getAmqpPort(), format);
  }

  private static ConfigurableApplicationContext secondBroker() {
    return SpringApplication.run(
        BrokerServiceApplication.class,
        "--broker.number=2",
        "--server.port=0",
        "--management.server.port=0",
        "--access.administrators=" + HttpClient.ACCOUNT,
        "--RABBITMQ_HOST=" + RABBITMQ.getHost(),
        "--RABBITMQ_PORT=" + RABBITMQ.getAmqpPort());
  }

  private static int localPort(ConfigurableApplicationContext broker) {
    return broker.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  private void awaitList(String what, List<String> missing) {
    awaitList(http, what, missing);
  }

  private static void awaitList(HttpClient http, String what, List<String> missing) {
    await(what)
        .atMost(PATIENCE_SECONDS, SECONDS)
        .pollInterval(50, MILLISECONDS)
        .untilAsserted(
            () -> {
              var answer = http.fetch(http.get(MOVIES));
              assertThat(answer.getStatusCode().value()).isEqualTo(200);
              assertThat(answer.getHeaders().getOrDefault("Cinemas-Missing", List.of()))
                  .isEqualTo(missing);
              assertThat(answer.getBody()).contains("cineworld");
            });
  }

  private int readiness() {
    return health("readiness");
  }

  private int health(String group) {
    return new HttpClient(management).get("/actuator/health/" + group).getStatusCode().value();
  }

  private double responses(String reception) {
    return meters.get("broker.responses").tag("reception", reception).counter().count();
  }

  private static void rabbitmqctl(String... command) throws Exception {
    var words = Stream.concat(Stream.of("rabbitmqctl"), Arrays.stream(command));
    var result = RABBITMQ.execInContainer(words.toArray(String[]::new));
    assertThat(result.getExitCode()).as(result.getStderr()).isZero();
  }

  private static String moviesOfUcd() {
    return "{\"cinema\":\"ucd\",\"catalogue\":{\"id\":\"%s\",\"cinemaName\":\"ucd\",\"movies\":[]}}"
        .formatted(UCD.id());
  }

  private static Message message(String type, String correlationId, String body) {
    return MessageBuilder.withBody(body.getBytes(StandardCharsets.UTF_8))
        .setContentType("application/json")
        .setHeader("__TypeId__", type)
        .setCorrelationId(correlationId)
        .build();
  }
}

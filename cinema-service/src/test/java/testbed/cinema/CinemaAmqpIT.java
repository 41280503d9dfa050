package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static testbed.cinema.Examples.janesReservation;
import static testbed.cinema.Examples.reservation;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.client.RestClient;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.CinemaName;
import testbed.contracts.MovieId;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.contracts.ShowTime;
import testbed.contracts.message.CinemaMessage.AnnouncePresence;
import testbed.contracts.message.CinemaMessage.CinemaPresent;
import testbed.contracts.message.CinemaMessage.ListMovies;
import testbed.contracts.message.CinemaMessage.ListMovies.MoviesListed;
import testbed.contracts.message.CinemaMessage.ListReservations;
import testbed.contracts.message.CinemaMessage.ListReservations.ReservationsListed;
import testbed.contracts.message.CinemaMessage.MakeReservation;
import testbed.contracts.message.CinemaMessage.MakeReservation.ReservationMade;
import testbed.contracts.message.CinemaMessage.Request;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.CinemaMessage.WithdrawReservation;
import testbed.contracts.message.Topology;
import testbed.messaging.testing.BackendContainers;
import testbed.support.testing.LongLimits;

/** The whole service over AMQP, on RabbitMQ and MongoDB servers in containers. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "cinema.name=cineworld",
      "cinema.transport=amqp",
      "cinema.presence-interval=200ms",
      // One test waits until the database has been away for too long.
      LongLimits.OFF
    })
// Its server ends with this class.
@DirtiesContext
@Testcontainers(disabledWithoutDocker = true)
@ExtendWith(OutputCaptureExtension.class)
class CinemaAmqpIT {

  private static final CinemaName CINEWORLD = new CinemaName("cineworld");
  private static final long PATIENCE_MILLIS = 30_000;

  @Container static final GenericContainer<?> MONGODB = BackendContainers.mongoDb();
  @Container static final RabbitMQContainer RABBITMQ = BackendContainers.rabbitMq();

  @Autowired RabbitTemplate template;
  @Autowired AmqpAdmin admin;
  @Autowired Reservations reservations;
  @LocalServerPort int port;
  @LocalManagementPort int management;

  private final String correlationId = UUID.randomUUID().toString();

  @DynamicPropertySource
  static void backends(DynamicPropertyRegistry registry) {
    registry.add("MONGODB_URI", () -> BackendContainers.mongoDbUri(MONGODB));
    registry.add("RABBITMQ_HOST", RABBITMQ::getHost);
    registry.add("RABBITMQ_PORT", RABBITMQ::getAmqpPort);
  }

  /** Stands in for the broker: queues for responses and presence. */
  @BeforeEach
  void collectResponses() {
    collect(Topology.RESPONSE_QUEUE, Topology.RESPONSE);
    collect(Topology.PRESENCE_QUEUE, Topology.PRESENCE);
    admin.purgeQueue(Topology.RESPONSE_QUEUE);
    admin.purgeQueue(Topology.DEAD_LETTER_QUEUE);
  }

  @Test
  void answersABroadcastUnderItsCorrelationId() {
    send(Topology.REQUEST_TO_ALL, new ListMovies());

    var response = receiveResponse();
    assertThat(response.getMessageProperties().getCorrelationId()).isEqualTo(correlationId);
    assertThat(payloadOf(response))
        .isInstanceOfSatisfying(
            MoviesListed.class,
            listed -> {
              assertThat(listed.cinema()).isEqualTo(CINEWORLD);
              assertThat(listed.catalogue().movies()).hasSize(3);
            });
  }

  @Test
  void namesTypesByStableIdsOnTheWire() {
    send(Topology.REQUEST_TO_ALL, new ListMovies());

    assertThat(receiveResponse().getMessageProperties().getHeaders())
        .containsEntry("__TypeId__", "movies-listed");
  }

  @Test
  void storesAReservationThatIsDeliveredTwiceOnce() {
    send(Topology.requestTo(CINEWORLD), new MakeReservation(janesReservation()));
    send(Topology.requestTo(CINEWORLD), new MakeReservation(janesReservation()));

    var first = payloadOf(receiveResponse());
    var second = payloadOf(receiveResponse());

    assertThat(first).isInstanceOf(ReservationMade.class).isEqualTo(second);
    var id = new ReservationId(UUID.fromString(correlationId));
    assertThat(stored()).filteredOn(made -> made.id().equals(id)).hasSize(1);
  }

  @Test
  void withdrawsAReservationAndMakesItNoMore() {
    send(Topology.requestTo(CINEWORLD), new MakeReservation(janesReservation()));
    assertThat(payloadOf(receiveResponse())).isInstanceOf(ReservationMade.class);

    send(Topology.requestTo(CINEWORLD), new WithdrawReservation());
    var id = UUID.fromString(correlationId);
    await()
        .atMost(Duration.ofMillis(PATIENCE_MILLIS))
        .until(() -> stored().stream().noneMatch(made -> made.id().value().equals(id)));

    send(Topology.requestTo(CINEWORLD), new MakeReservation(janesReservation()));
    assertRejected(ProblemType.RESERVATION_UNKNOWN);
  }

  @Test
  void listsReservations() {
    send(Topology.requestTo(CINEWORLD), new MakeReservation(janesReservation()));
    var made = (ReservationMade) payloadOf(receiveResponse());

    send(Topology.requestTo(CINEWORLD), new ListReservations(Page.FIRST));

    assertThat(payloadOf(receiveResponse()))
        .isInstanceOfSatisfying(
            ReservationsListed.class,
            listed ->
                assertThat(listed.reservations().reservations()).contains(made.reservation()));
  }

  @Test
  void rejectsReservationForUnknownShowing() {
    send(Topology.requestTo(CINEWORLD), new MakeReservation(reservation("CNW001", "18:01")));

    assertRejected(ProblemType.SHOWING_UNKNOWN);
  }

  @Test
  void rejectsWhatItsSenderShouldHaveRefused() {
    send(
        Topology.requestTo(CINEWORLD),
        new MakeReservation(
            new ReservationRequest(
                "Jane Doe",
                "jane.doe@ucd.ie",
                new MovieId("CNW001"),
                LocalDate.of(2022, 4, 15),
                ShowTime.parse("18:00"),
                10_000,
                "Gold",
                BigDecimal.TEN)));

    assertRejected(ProblemType.INVALID_REQUEST);
  }

  @Test
  void setsAMessageItCannotProcessAsideAndGoesOn(CapturedOutput log) {
    var poison =
        MessageBuilder.withBody("{\"no\": \"request\"".getBytes())
            .setContentType("application/json")
            .setHeader("__TypeId__", "make-reservation")
            .setCorrelationId(correlationId)
            .setExpiration("5000")
            .build();

    template.send(Topology.EXCHANGE, Topology.requestTo(CINEWORLD), poison);

    assertRejected(ProblemType.INTERNAL);
    var dead = template.receive(Topology.DEAD_LETTER_QUEUE, PATIENCE_MILLIS);
    assertThat(dead).isNotNull();
    assertThat(dead.getBody()).isEqualTo(poison.getBody());
    assertThat(dead.getMessageProperties().getExpiration()).isNull();
    assertThat(dead.getMessageProperties().getHeaders())
        .containsEntry("x-original-exchange", Topology.EXCHANGE)
        .containsEntry("x-original-routingKey", Topology.requestTo(CINEWORLD));
    assertThat(log.toString().lines().filter(line -> line.contains(correlationId)))
        .singleElement()
        .asString()
        .contains("could not be processed");
    send(Topology.REQUEST_TO_ALL, new ListMovies());
    assertThat(payloadOf(receiveResponse())).isInstanceOf(MoviesListed.class);
  }

  @Test
  void losesNoReservationWhileTheDatabaseIsAway(CapturedOutput log) {
    var ids = Stream.generate(UUID::randomUUID).limit(40).map(UUID::toString).toList();
    var docker = MONGODB.getDockerClient();
    docker.pauseContainerCmd(MONGODB.getContainerId()).exec();
    try {
      ids.forEach(id -> send(id, Topology.requestTo(CINEWORLD), wanted()));
      await()
          .atMost(Duration.ofMillis(PATIENCE_MILLIS))
          .until(() -> log.toString().contains("A message of requestQueue-"));
    } finally {
      docker.unpauseContainerCmd(MONGODB.getContainerId()).exec();
    }

    var answered =
        ids.stream()
            .map(id -> receiveResponse())
            .peek(response -> assertThat(payloadOf(response)).isInstanceOf(ReservationMade.class))
            .map(response -> response.getMessageProperties().getCorrelationId())
            .toList();
    assertThat(answered).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(template.receive(Topology.DEAD_LETTER_QUEUE)).isNull();
  }

  @Test
  void answersAReservationUntilAQueueTakesTheAnswer() {
    admin.removeBinding(responses());
    send(Topology.requestTo(CINEWORLD), wanted());
    await()
        .atMost(Duration.ofMillis(PATIENCE_MILLIS))
        .until(() -> stored().stream().anyMatch(made -> made.id().value().equals(id())));
    assertThat(template.receive(Topology.RESPONSE_QUEUE)).isNull();

    admin.declareBinding(responses());

    assertThat(payloadOf(receiveResponse())).isInstanceOf(ReservationMade.class);
  }

  @Test
  void saysThatItIsThere() {
    admin.purgeQueue(Topology.PRESENCE_QUEUE);

    assertThat(template.receiveAndConvert(Topology.PRESENCE_QUEUE, PATIENCE_MILLIS))
        .isEqualTo(new CinemaPresent(CINEWORLD));
  }

  @Test
  void answersAQuestionForASignWithASignOnly() {
    send(Topology.REQUEST_TO_ALL, new AnnouncePresence());
    send(Topology.REQUEST_TO_ALL, new ListMovies());

    assertThat(payloadOf(receiveResponse())).isInstanceOf(MoviesListed.class);
    assertThat(template.receive(Topology.RESPONSE_QUEUE)).isNull();
    assertThat(template.receive(Topology.DEAD_LETTER_QUEUE)).isNull();
  }

  @Test
  void servesNoBusinessOverHttp() {
    var http = RestClient.create("http://localhost:" + port);
    var watched = RestClient.create("http://localhost:" + management);

    await()
        .atMost(Duration.ofMillis(PATIENCE_MILLIS))
        .untilAsserted(
            () ->
                assertThat(
                        watched
                            .get()
                            .uri("/actuator/health/readiness")
                            .retrieve()
                            .body(String.class))
                    .contains("UP"));
    var status =
        http.get()
            .uri("/cinema/cineworld/movie/list")
            .exchange((request, response) -> response.getStatusCode().value());
    assertThat(status).isEqualTo(404);
  }

  private void collect(String queue, String routingKey) {
    admin.declareQueue(new Queue(queue));
    admin.declareBinding(binding(queue, routingKey));
  }

  private static Binding responses() {
    return binding(Topology.RESPONSE_QUEUE, Topology.RESPONSE);
  }

  private static Binding binding(String queue, String routingKey) {
    return BindingBuilder.bind(new Queue(queue))
        .to(new TopicExchange(Topology.EXCHANGE))
        .with(routingKey);
  }

  private static MakeReservation wanted() {
    return new MakeReservation(janesReservation());
  }

  private UUID id() {
    return UUID.fromString(correlationId);
  }

  private void send(String routingKey, Request request) {
    send(correlationId, routingKey, request);
  }

  private void send(String id, String routingKey, Request request) {
    template.convertAndSend(
        Topology.EXCHANGE,
        routingKey,
        request,
        message -> {
          message.getMessageProperties().setCorrelationId(id);
          return message;
        });
  }

  private Message receiveResponse() {
    var response = template.receive(Topology.RESPONSE_QUEUE, PATIENCE_MILLIS);
    assertThat(response).as("response").isNotNull();
    return response;
  }

  private Object payloadOf(Message message) {
    return template.getMessageConverter().fromMessage(message);
  }

  private List<Reservation> stored() {
    return reservations.list(new Page(0, Page.MAX_SIZE)).reservations();
  }

  private void assertRejected(ProblemType problem) {
    assertThat(payloadOf(receiveResponse()))
        .isInstanceOfSatisfying(
            RequestRejected.class, rejected -> assertThat(rejected.problem()).isEqualTo(problem));
    var id = UUID.fromString(correlationId);
    assertThat(stored()).noneMatch(made -> made.id().value().equals(id));
  }
}

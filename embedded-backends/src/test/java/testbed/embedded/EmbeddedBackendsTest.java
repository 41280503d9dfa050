package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.Return;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedBackendsTest {

  private static final String ANY_FREE_PORT = "0";
  private static final long PATIENCE_MILLIS = 30_000;
  private static final boolean DURABLE = true;
  private static final boolean MANDATORY = true;

  private static EmbeddedBackends backends;

  @BeforeAll
  static void start() {
    backends =
        EmbeddedBackends.start(
            Map.of("EMBEDDED_MONGODB_PORT", ANY_FREE_PORT, "EMBEDDED_AMQP_PORT", ANY_FREE_PORT));
  }

  @AfterAll
  static void stop() {
    backends.close();
  }

  private static ConnectionFactory amqp(int port) {
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(port);
    return factory;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"EMBEDDED_MONGODB_PORT", "EMBEDDED_AMQP_PORT"})
  void namesThePortThatIsInUse(String variable) throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      var port = String.valueOf(taken.getLocalPort());
      var other =
          variable.equals("EMBEDDED_AMQP_PORT") ? "EMBEDDED_MONGODB_PORT" : "EMBEDDED_AMQP_PORT";

      assertThatExceptionOfType(CannotStart.class)
          .isThrownBy(() -> EmbeddedBackends.start(Map.of(variable, port, other, ANY_FREE_PORT)))
          .withMessageContainingAll("127.0.0.1:" + port, "in use", variable);
    }
  }

  @Test
  void freesItsPortsWhenClosed() throws Exception {
    var shortLived =
        EmbeddedBackends.start(
            Map.of("EMBEDDED_MONGODB_PORT", ANY_FREE_PORT, "EMBEDDED_AMQP_PORT", ANY_FREE_PORT));
    int mongoDbPort = shortLived.mongoDbPort().orElseThrow();
    int amqpPort = shortLived.amqpPort().orElseThrow();
    new Socket("127.0.0.1", mongoDbPort).close();
    new Socket("127.0.0.1", amqpPort).close();

    shortLived.close();

    for (int port : List.of(mongoDbPort, amqpPort)) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> new Socket("127.0.0.1", port).close());
    }
  }

  @Nested
  class MongoDbClient {

    @Test
    void storesFindsAndRefusesASecondDocumentOfTheSameId() {
      try (var client =
          MongoClients.create(
              "mongodb://127.0.0.1:%d".formatted(backends.mongoDbPort().orElseThrow()))) {
        var reservations = client.getDatabase("cinema-ucd").getCollection("reservations");
        var amount = new Decimal128(new BigDecimal("29.90"));
        reservations.insertOne(new Document("_id", "1").append("amount", amount));

        assertThat(reservations.find(Filters.eq("_id", "1")).first())
            .containsEntry("amount", amount);
        assertThatExceptionOfType(MongoWriteException.class)
            .isThrownBy(() -> reservations.insertOne(new Document("_id", "1")))
            .withMessageContaining("E11000");
        assertThat(reservations.countDocuments()).isOne();
      }
    }
  }

  @Nested
  class AmqpClient {

    @Test
    void logsInWithTheRightPasswordOnly() {
      var stranger = amqp(backends.amqpPort().orElseThrow());
      stranger.setPassword("wrong");

      assertThatExceptionOfType(PossibleAuthenticationFailureException.class)
          .isThrownBy(stranger::newConnection);
    }

    @Test
    void routesByTopicAndConfirms() throws Exception {
      try (var connection = connect();
          var channel = connection.createChannel()) {
        channel.exchangeDeclare("topics", "topic", DURABLE);
        declareBoundQueue(channel, "one", "topics", "request.to.cinema.ucd");
        declareBoundQueue(channel, "other", "topics", "request.to.cinema.dundrum");
        channel.queueBind("one", "topics", "request.to.cinema");
        channel.queueBind("other", "topics", "request.to.cinema");
        channel.confirmSelect();
        var persistent = MessageProperties.PERSISTENT_TEXT_PLAIN;

        channel.basicPublish("topics", "request.to.cinema", MANDATORY, persistent, bytes("to all"));
        channel.basicPublish(
            "topics", "request.to.cinema.ucd", MANDATORY, persistent, bytes("to one"));

        assertThat(channel.waitForConfirms(PATIENCE_MILLIS)).isTrue();
        assertThat(bodiesIn(channel, "one")).containsExactly("to all", "to one");
        assertThat(bodiesIn(channel, "other")).containsExactly("to all");
      }
    }

    @Test
    void returnsWhatItCannotRoute() throws Exception {
      try (var connection = connect();
          var channel = connection.createChannel()) {
        channel.exchangeDeclare("empty", "topic", DURABLE);
        channel.confirmSelect();
        var returned = new CompletableFuture<Return>();
        channel.addReturnListener(returned::complete);

        channel.basicPublish(
            "empty", "to.nobody", MANDATORY, MessageProperties.TEXT_PLAIN, bytes("lost"));

        // RabbitMQ confirms what it has returned; this server refuses it and then returns it.
        assertThat(channel.waitForConfirms(PATIENCE_MILLIS)).isFalse();
        assertThat(returned.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).getBody())
            .isEqualTo(bytes("lost"));
      }
    }

    @Test
    void keepsCorrelationIdAndHeaders() throws Exception {
      try (var connection = connect();
          var channel = connection.createChannel()) {
        channel.exchangeDeclare("properties", "topic", DURABLE);
        declareBoundQueue(channel, "kept", "properties", "#");
        channel.confirmSelect();

        channel.basicPublish(
            "properties",
            "any",
            new BasicProperties.Builder()
                .correlationId("0197-id")
                .contentType("application/json")
                .headers(Map.of("__TypeId__", "list-movies"))
                .build(),
            bytes("{}"));
        assertThat(channel.waitForConfirms(PATIENCE_MILLIS)).isTrue();

        var kept = channel.basicGet("kept", true).getProps();
        assertThat(kept.getCorrelationId()).isEqualTo("0197-id");
        assertThat(kept.getContentType()).isEqualTo("application/json");
        assertThat(kept.getHeaders().get("__TypeId__")).hasToString("list-movies");
      }
    }

    @Test
    void keepsAMessageUntilItExpires() throws Exception {
      try (var connection = connect();
          var channel = connection.createChannel()) {
        channel.exchangeDeclare("expiring", "topic", DURABLE);
        declareBoundQueue(channel, "stale", "expiring", "#");
        channel.confirmSelect();

        channel.basicPublish("expiring", "any", expiringAfter(500), bytes("soon"));
        channel.basicPublish("expiring", "any", expiringAfter(600_000), bytes("later"));

        assertThat(channel.waitForConfirms(PATIENCE_MILLIS)).isTrue();
        assertThat(headOf(channel, "stale")).isEqualTo("soon");
        await()
            .atMost(Duration.ofMillis(PATIENCE_MILLIS))
            .until(() -> headOf(channel, "stale").equals("later"));
        // What was sent, as a consumer takes it for its deadline.
        assertThat(channel.basicGet("stale", true).getProps().getExpiration()).isEqualTo("600000");
      }
    }

    @Test
    void deliversToConsumersWithinTheirPrefetch() throws Exception {
      try (var connection = connect();
          var channel = connection.createChannel()) {
        channel.exchangeDeclare("consumed", "topic", DURABLE);
        declareBoundQueue(channel, "work", "consumed", "#");
        var delivered = new LinkedBlockingQueue<String>();
        channel.basicQos(2);
        channel.basicConsume(
            "work",
            (tag, message) -> delivered.add(new String(message.getBody(), StandardCharsets.UTF_8)),
            tag -> {});

        channel.confirmSelect();
        for (var body : List.of("first", "second", "third")) {
          channel.basicPublish("consumed", "any", expiringAfter(600_000), bytes(body));
        }

        assertThat(channel.waitForConfirms(PATIENCE_MILLIS)).isTrue();
        assertThat(delivered.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("first");
        assertThat(delivered.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("second");
        assertThat(headOf(connection.createChannel(), "work")).isEqualTo("third");
        channel.basicAck(2, true);
        assertThat(delivered.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("third");
      }
    }

    @Test
    void confirmsTwentyThousandMessagesWithinSeconds() throws Exception {
      try (var connection = connect();
          var channel = connection.createChannel()) {
        channel.exchangeDeclare("many", "topic", DURABLE);
        declareBoundQueue(channel, "deep", "many", "#");
        channel.confirmSelect();
        for (int message = 0; message < 20_000; message++) {
          channel.basicPublish(
              "many", "any", MANDATORY, MessageProperties.PERSISTENT_TEXT_PLAIN, bytes("deep"));
        }

        assertThatCode(() -> channel.waitForConfirmsOrDie(PATIENCE_MILLIS))
            .doesNotThrowAnyException();
        assertThat(channel.messageCount("deep")).isEqualTo(20_000);
      }
    }

    private Connection connect() throws Exception {
      return amqp(backends.amqpPort().orElseThrow()).newConnection();
    }

    private void declareBoundQueue(
        Channel channel, String queue, String exchange, String routingKey) throws IOException {
      channel.queueDeclare(queue, DURABLE, false, false, Map.of());
      channel.queueBind(queue, exchange, routingKey);
    }

    private List<String> bodiesIn(Channel channel, String queue) throws IOException {
      var bodies = new ArrayList<String>();
      for (var message = channel.basicGet(queue, true);
          message != null;
          message = channel.basicGet(queue, true)) {
        bodies.add(new String(message.getBody(), StandardCharsets.UTF_8));
      }
      return bodies;
    }

    private BasicProperties expiringAfter(long millis) {
      return new BasicProperties.Builder().expiration(String.valueOf(millis)).build();
    }

    /** Looks without taking: what is there is put back. */
    private String headOf(Channel channel, String queue) throws IOException {
      var message = channel.basicGet(queue, false);
      channel.basicReject(message.getEnvelope().getDeliveryTag(), true);
      return new String(message.getBody(), StandardCharsets.UTF_8);
    }
  }
}

package testbed.cinema.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import testbed.messaging.testing.ContainerDelivery;

/** Requests that are delivered again and again, on a database in memory. */
class RequestDeliveryLimitTest {

  private static final int MOST = 3;

  private final MongoServer server = new MongoServer(new MemoryBackend());
  private final int port = server.bind().getPort();
  private final MongoClient client = MongoClients.create("mongodb://localhost:" + port);
  private final MongoOperations database = new MongoTemplate(client, "cinema-ucd");

  private final Deliveries deliveries = new Deliveries(database);
  private final String correlationId = UUID.randomUUID().toString();
  private final List<Message> handled = new ArrayList<>();
  private final List<Message> setAside = new ArrayList<>();
  private boolean fails;
  private long tag;

  @AfterEach
  void stop() {
    // In this order: the server waits without end for a connection that its client closes just now.
    server.shutdownNow();
    client.close();
  }

  @Test
  void handlesFirstDeliveriesWithoutCountingThem() {
    deliver(again(false));

    assertThat(handled).hasSize(1);
    assertThat(database.getCollectionNames()).isEmpty();
  }

  @Test
  void setsAsideUnhandledWhatWasDeliveredTooOften() {
    fails = true;
    for (var delivery = 1; delivery <= MOST; delivery++) {
      var again = again(delivery > 1);
      assertThatThrownBy(() -> deliver(again)).hasMessage("ended");
    }
    assertThat(handled).hasSize(MOST);

    deliver(again(true));

    assertThat(handled).hasSize(MOST);
    assertThat(setAside).hasSize(1);
    assertThat(counted()).isEmpty();
  }

  @Test
  void countsADeliveryOnceThoughItIsTriedOften() {
    fails = true;
    var again = again(true);
    for (var attempt = 0; attempt <= MOST; attempt++) {
      assertThatThrownBy(() -> deliver(again)).hasMessage("ended");
    }

    assertThat(setAside).isEmpty();
    assertThat(counted()).singleElement().extracting("_id").isEqualTo(correlationId);
  }

  @Test
  void beginsAnewAfterASuccess() {
    fails = true;
    assertThatThrownBy(() -> deliver(again(true))).hasMessage("ended");
    assertThat(counted()).hasSize(1);

    fails = false;
    deliver(again(true));

    assertThat(counted()).isEmpty();
  }

  @Test
  void believesAServerThatCountsByItself() {
    var again = again(true);
    again.getMessageProperties().setHeader("x-delivery-count", (long) MOST);

    deliver(again);

    assertThat(handled).isEmpty();
    assertThat(setAside).containsExactly(again);
  }

  @Test
  void handlesWhatItCannotCountBecauseTheDatabaseIsAway() {
    server.shutdownNow();
    var impatient = "mongodb://localhost:%d/?serverSelectionTimeoutMS=100".formatted(port);

    try (var away = MongoClients.create(impatient)) {
      deliver(again(true), new Deliveries(new MongoTemplate(away, "cinema-ucd")));
    }

    assertThat(handled).hasSize(1);
  }

  @Test
  void handlesWhatHasNoId() {
    var stranger = again(true);
    stranger.getMessageProperties().setCorrelationId(null);

    deliver(stranger);

    assertThat(handled).containsExactly(stranger);
  }

  private Message again(boolean redelivered) {
    var message = MessageBuilder.withBody(new byte[0]).setCorrelationId(correlationId).build();
    message.getMessageProperties().setRedelivered(redelivered);
    message.getMessageProperties().setConsumerTag("consumer");
    message.getMessageProperties().setDeliveryTag(++tag);
    return message;
  }

  private void deliver(Message message) {
    deliver(message, deliveries);
  }

  private void deliver(Message message, Deliveries deliveries) {
    ContainerDelivery.deliver(
        message,
        null,
        this::handle,
        new RequestDeliveryLimit(MOST, deliveries, (dead, cause) -> setAside.add(dead)));
  }

  private void handle(Message message) {
    handled.add(message);
    if (fails) {
      throw new IllegalStateException("ended");
    }
  }

  private List<Document> counted() {
    return database.findAll(Document.class, Deliveries.COLLECTION);
  }
}

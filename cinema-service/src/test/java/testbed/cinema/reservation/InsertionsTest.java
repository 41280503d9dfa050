package testbed.cinema.reservation;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.mock.env.MockEnvironment;
import testbed.cinema.Examples;
import testbed.cinema.Joining;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.support.deadline.Deadline;
import testbed.support.testing.HeldPort;

/** Reservations that are stored together, on a database that answers when the test says so. */
@Timeout(60)
class InsertionsTest {

  private static final int PATIENCE_SECONDS = 30;

  private final HeldDatabase server = new HeldDatabase();
  private final MongoServer address = new MongoServer(server);
  private final MongoClient client =
      MongoClients.create("mongodb://localhost:" + address.bind().getPort());
  private final MongoTemplate database = new MongoTemplate(client, "cinema-ucd");
  private final Insertions insertions = insertions(100, database);
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void stop() {
    server.answer();
    callers.close();
    // In this order: the server waits without end for a connection that its client closes just now.
    address.shutdownNow();
    client.close();
  }

  @Test
  void takeWhatComesWhileOthersAreStoredInOneCommand() throws Exception {
    var all = new ArrayList<Future<?>>();
    // As many commands as there are at once.
    for (int command = 1; command <= 2; command++) {
      all.add(insert(reservation()));
      server.awaitCommands(command);
    }
    for (int i = 0; i < 50; i++) {
      all.add(insert(reservation()));
    }
    await().until(() -> insertions.waiting() == 50);

    server.answer();

    for (var insertion : all) {
      insertion.get(PATIENCE_SECONDS, SECONDS);
    }
    assertThat(stored()).isEqualTo(52);
    assertThat(server.commands()).hasSizeBetween(3, 4);
  }

  @Test
  void refuseOnlyTheReservationWhoseIdIsUsed() throws Exception {
    var used = reservation();
    server.answer();
    insertions.insert(used);
    server.hold();
    var all = new ArrayList<Future<?>>();
    for (int command = 2; command <= 3; command++) {
      all.add(insert(reservation()));
      server.awaitCommands(command);
    }
    all.add(insert(reservation()));
    var again = insert(used);
    all.add(insert(reservation()));
    await().until(() -> insertions.waiting() == 3);

    server.answer();

    for (var insertion : all) {
      insertion.get(PATIENCE_SECONDS, SECONDS);
    }
    assertThat(failure(again)).isInstanceOf(DuplicateKeyException.class);
    assertThat(stored()).isEqualTo(5);
  }

  @Test
  void tellEveryCallerThatTheDatabaseFails() throws Exception {
    server.failure = new MongoServerError(8, "UnknownError", "no");
    var all = List.of(insert(reservation()), insert(reservation()), insert(reservation()));
    server.answer();

    for (var insertion : all) {
      assertThat(failure(insertion)).isInstanceOf(DataAccessException.class);
    }
    assertThat(stored()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void mayBeStoredIfTheDatabaseDoesNotSay(int together) throws Exception {
    try (var impatient = MongoClients.create(uri(address.getLocalAddress().getPort()))) {
      var impatientDatabase = new MongoTemplate(impatient, "cinema-ucd");
      var unsure = insertions(together, impatientDatabase);
      // On a busy machine the first connection may take longer than an answer may.
      await()
          .ignoreExceptions()
          .until(() -> impatientDatabase.count(new Query(), Reservations.COLLECTION) == 0);

      assertThat(failure(callers.submit(() -> unsure.insert(reservation()))))
          .isInstanceOf(MayBeStored.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void mayBeStoredIfTheClientBreaksOff(int together) throws Exception {
    var broken =
        new MongoTemplate(client, "cinema-ucd") {
          @Override
          public <T> @Nullable T execute(String collection, CollectionCallback<T> action) {
            throw new StackOverflowError("for this test");
          }
        };

    assertThat(failure(callers.submit(() -> insertions(together, broken).insert(reservation()))))
        .isInstanceOf(MayBeStored.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void areNotStoredIfTheDatabaseCannotBeAsked(int together) throws Exception {
    try (var nobody = new HeldPort();
        var lonely = MongoClients.create(uri(nobody.number()))) {
      var vain = insertions(together, new MongoTemplate(lonely, "cinema-ucd"));

      assertThat(failure(callers.submit(() -> vain.insert(reservation()))))
          .isInstanceOf(DataAccessResourceFailureException.class)
          .isNotInstanceOf(MayBeStored.class);
    }
  }

  @Test
  void mayBeStoredIfTheirCallersGiveUpMeanwhile() throws Exception {
    // On a busy machine a caller may give up before its command begins.
    await()
        .untilAsserted(
            () -> {
              var late =
                  callers.submit(
                      () -> {
                        try (var bound =
                            Deadline.of(Duration.ofMillis(500), Duration.ZERO).bind()) {
                          insertions.insert(reservation());
                        }
                      });
              assertThat(failure(late)).isInstanceOf(MayBeStored.class);
            });
    assertThat(server.commands()).hasSize(1);
  }

  @Test
  void neverStoreLaterWhatItsCallerHasGivenUp() throws Exception {
    var all = new ArrayList<Future<?>>();
    for (int command = 1; command <= 2; command++) {
      all.add(insert(reservation()));
      server.awaitCommands(command);
    }
    var late =
        callers.submit(
            () -> {
              try (var bound = Deadline.of(Duration.ofMillis(50), Duration.ZERO).bind()) {
                insertions.insert(reservation());
              }
            });
    assertThat(failure(late))
        .isInstanceOf(DataAccessResourceFailureException.class)
        .hasMessageContaining("is not stored");

    server.answer();

    for (var insertion : all) {
      insertion.get(PATIENCE_SECONDS, SECONDS);
    }
    await().until(() -> insertions.waiting() == 0);
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void areNotBegunIfTheirCallersWouldNotLearnHowTheyEnded() throws Exception {
    server.answer();
    var margin = Duration.ofSeconds(1);
    var late =
        callers.submit(
            () -> {
              try (var bound = Deadline.of(margin.plusMillis(100), margin).bind()) {
                insertions.insert(reservation());
              }
            });

    assertThat(failure(late)).hasMessageContaining("is not stored");
    assertThat(server.commands()).isEmpty();
  }

  @Test
  void areOneByOneIfTheyAreSetSo() {
    server.answer();
    var oneByOne = insertions(1, database);
    var reservation = reservation();
    oneByOne.insert(reservation);
    oneByOne.insert(reservation());

    assertThatThrownBy(() -> oneByOne.insert(reservation))
        .isInstanceOf(DuplicateKeyException.class);
    assertThat(server.commands()).hasSize(3);
  }

  private static String uri(int port) {
    return "mongodb://localhost:%d/?socketTimeoutMS=300&serverSelectionTimeoutMS=300"
        .formatted(port);
  }

  private static Insertions insertions(int together, MongoTemplate database) {
    return new Insertions(
        database, new Joining(new Joining.Settings(together, 1), new MockEnvironment()));
  }

  private Future<?> insert(Reservation reservation) {
    return callers.submit(() -> insertions.insert(reservation));
  }

  private long stored() {
    return database.count(new Query(), Reservations.COLLECTION);
  }

  private static Reservation reservation() {
    return Reservation.of(new ReservationId(UUID.randomUUID()), Examples.janesReservation());
  }

  private static Throwable failure(Future<?> failing) throws Exception {
    try {
      failing.get(PATIENCE_SECONDS, SECONDS);
      throw new AssertionError("it did not fail");
    } catch (ExecutionException failed) {
      return failed.getCause();
    }
  }

  /** Holds back its answers to insertions. */
  private static final class HeldDatabase extends MemoryBackend {

    private final List<Document> commands = new ArrayList<>();
    private volatile CountDownLatch released = new CountDownLatch(1);
    private volatile MongoServerError failure;

    @Override
    public Document handleMessage(MongoMessage message) {
      if (message.getDocument().containsKey("insert")) {
        synchronized (commands) {
          commands.add(message.getDocument());
        }
        try {
          released.await(PATIENCE_SECONDS, SECONDS);
        } catch (InterruptedException stopping) {
          Thread.currentThread().interrupt();
        }
        if (failure != null) {
          throw failure;
        }
      }
      return super.handleMessage(message);
    }

    void hold() {
      released = new CountDownLatch(1);
    }

    void answer() {
      released.countDown();
    }

    void awaitCommands(int number) {
      await().until(() -> commands().size() == number);
    }

    List<Document> commands() {
      synchronized (commands) {
        return List.copyOf(commands);
      }
    }
  }
}

package testbed.cinema.reservation;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.bson.BsonBinaryWriter;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Component;
import testbed.contracts.Reservation;
import testbed.support.deadline.Deadline;
import testbed.support.trace.TracingProfile;

/**
 * Stores reservations: each with a command of its own, or those together that come while others are
 * being stored. Each caller learns what became of its own reservation.
 */
@Component
class Insertions {

  /** Concurrent commands: one that hangs must not delay all others. */
  private static final int COMMANDS = 2;

  /** Unordered: a refused insertion does not stop the others. */
  private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

  private static final int DUPLICATE_KEY = 11_000;
  private static final int USUAL_BYTES = 512;

  private final MongoOperations database;
  private final int together;
  private final Queue<Insertion> waiting = new ConcurrentLinkedQueue<>();
  private final Semaphore commands = new Semaphore(COMMANDS);

  @Autowired
  Insertions(InsertionSettings settings, MongoOperations database, Environment environment) {
    // A command for several requests belongs to no single trace.
    this(
        environment.matchesProfiles(TracingProfile.NAME) ? 1 : settings.insertedTogether(),
        database);
  }

  Insertions(int together, MongoOperations database) {
    this.together = together;
    this.database = database;
  }

  /**
   * Stores a reservation.
   *
   * @throws DuplicateKeyException if its id is used
   * @throws MayBeStored if the database did not answer in time, or the connection was lost
   * @throws DataAccessResourceFailureException if it is not stored, as the database is away
   */
  void insert(Reservation reservation) {
    if (together == 1) {
      command(stored -> stored.insertOne(document(reservation)));
      return;
    }
    var insertion = new Insertion(document(reservation));
    waiting.add(insertion);
    if (commands.tryAcquire()) {
      // On a thread of its own: the caller's would also have to store later reservations.
      Thread.startVirtualThread(this::storeWaiting);
    }
    insertion.await();
  }

  /** Reservations that no command has taken yet. */
  int waiting() {
    return waiting.size();
  }

  private void storeWaiting() {
    do {
      try {
        for (var batch = batch(); !batch.isEmpty(); batch = batch()) {
          store(batch);
        }
      } finally {
        commands.release();
      }
      // A caller that came since the last look has found no free command.
    } while (!waiting.isEmpty() && commands.tryAcquire());
  }

  private List<Insertion> batch() {
    var batch = new ArrayList<Insertion>();
    while (batch.size() < together) {
      var next = waiting.poll();
      if (next == null) {
        break;
      }
      if (next.begin()) {
        batch.add(next);
      }
    }
    return batch;
  }

  private void store(List<Insertion> batch) {
    try {
      command(stored -> insert(batch, stored));
    } catch (RuntimeException failure) {
      batch.forEach(one -> one.done.completeExceptionally(failure));
    }
    // A failed insertion stays failed.
    batch.forEach(one -> one.done.complete(null));
  }

  /**
   * Carries out an insertion.
   *
   * @throws MayBeStored if it was sent and its answer did not come
   */
  private void command(Consumer<MongoCollection<RawBsonDocument>> insertion) {
    try {
      database.<Object>execute(
          Reservations.COLLECTION,
          stored -> {
            insertion.accept(stored.withDocumentClass(RawBsonDocument.class));
            return null;
          });
    } catch (DataAccessResourceFailureException away) {
      throw told(away);
    }
  }

  /** A command that was sent may have been carried out, even without an answer. */
  private static DataAccessResourceFailureException told(DataAccessResourceFailureException away) {
    for (Throwable cause = away; cause != null; cause = cause.getCause()) {
      if (cause instanceof MongoInterruptedException
          || (cause instanceof MongoSocketException
              && !(cause instanceof MongoSocketOpenException))) {
        return new MayBeStored(away);
      }
    }
    return away;
  }

  private static void insert(List<Insertion> batch, MongoCollection<RawBsonDocument> stored) {
    try {
      stored.insertMany(batch.stream().map(Insertion::document).toList(), UNORDERED);
    } catch (MongoBulkWriteException some) {
      if (some.getWriteConcernError() != null) {
        throw some;
      }
      refuse(batch, some);
    }
  }

  private static void refuse(List<Insertion> batch, MongoBulkWriteException some) {
    for (var error : some.getWriteErrors()) {
      batch
          .get(error.getIndex())
          .done
          .completeExceptionally(
              error.getCode() == DUPLICATE_KEY
                  ? new DuplicateKeyException(error.getMessage())
                  : new DataIntegrityViolationException(error.getMessage()));
    }
  }

  /**
   * In the form that the framework's mapping reads: ids, dates and times as text, amounts as
   * decimals.
   */
  private static RawBsonDocument document(Reservation reservation) {
    var bytes = new BasicOutputBuffer(USUAL_BYTES);
    try (var to = new BsonBinaryWriter(bytes)) {
      to.writeStartDocument();
      to.writeString("_id", reservation.id().toString());
      to.writeString("clientName", reservation.clientName());
      to.writeString("clientEmail", reservation.clientEmail());
      to.writeString("movieId", reservation.movieId().value());
      to.writeString("date", reservation.date().toString());
      to.writeString("showTime", reservation.showTime().toString());
      to.writeInt32("tickets", reservation.tickets());
      to.writeString("ticketType", reservation.ticketType());
      to.writeDecimal128("amount", new Decimal128(reservation.amount()));
      to.writeEndDocument();
    }
    return new RawBsonDocument(bytes.getInternalBuffer(), 0, bytes.getPosition());
  }

  private static final class Insertion {

    private final RawBsonDocument document;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();

    /** The deadline of the waiting request. */
    private final @Nullable Deadline deadline = Deadline.current();

    Insertion(RawBsonDocument document) {
      this.document = document;
    }

    RawBsonDocument document() {
      return document;
    }

    /** Whether to store it: its caller still waits and will learn the result. */
    boolean begin() {
      return (deadline == null || deadline.hasMargin()) && decided.compareAndSet(false, true);
    }

    /** Waits until it is stored or the deadline has passed. */
    void await() {
      try {
        if (deadline == null) {
          done.get();
        } else {
          done.get(deadline.millisLeft(), MILLISECONDS);
        }
      } catch (ExecutionException failed) {
        throw (RuntimeException) failed.getCause();
      } catch (TimeoutException late) {
        giveUp(late);
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
        giveUp(stopping);
      }
    }

    private void giveUp(Exception reason) {
      throw decided.compareAndSet(false, true)
          ? new DataAccessResourceFailureException("The reservation is not stored", reason)
          : new MayBeStored(reason);
    }
  }
}

package testbed.cinema.reservation;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;
import testbed.support.deadline.Deadline;

/**
 * Writes to a collection: each with a command of its own, or those together that come while others
 * are being carried out. Each caller learns what became of its own write.
 */
final class WriteQueue {

  /** Concurrent commands: one that hangs must not delay all others. */
  private static final int COMMANDS = 2;

  /** Unordered: a refused write does not stop the others. */
  private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

  private static final int DUPLICATE_KEY = 11_000;

  private final String collection;
  private final int together;
  private final MongoOperations database;
  private final Queue<Write> waiting = new ConcurrentLinkedQueue<>();
  private final Semaphore commands = new Semaphore(COMMANDS);

  /**
   * @param together the most writes in one command
   */
  WriteQueue(String collection, int together, MongoOperations database) {
    this.collection = collection;
    this.together = together;
    this.database = database;
  }

  /**
   * Carries out a write.
   *
   * @throws DuplicateKeyException if it would make a second document with an id
   * @throws MayBeStored if the database did not answer in time, or the connection was lost
   * @throws DataAccessResourceFailureException if it was not done, as the database is away
   */
  void write(WriteModel<RawBsonDocument> wanted) {
    var write = new Write(wanted);
    if (together == 1) {
      carryOut(List.of(write));
    } else {
      waiting.add(write);
      if (commands.tryAcquire()) {
        // On a thread of its own: the caller's would also have to carry out later writes.
        Thread.startVirtualThread(this::carryOutWaiting);
      }
    }
    write.await();
  }

  /** Writes that no command has taken yet. */
  int waiting() {
    return waiting.size();
  }

  private void carryOutWaiting() {
    do {
      try {
        for (var batch = batch(); !batch.isEmpty(); batch = batch()) {
          carryOut(batch);
        }
      } finally {
        commands.release();
      }
      // A caller that came since the last look has found no free command.
    } while (!waiting.isEmpty() && commands.tryAcquire());
  }

  private List<Write> batch() {
    var batch = new ArrayList<Write>();
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

  private void carryOut(List<Write> batch) {
    try {
      database.<Object>execute(
          collection,
          stored -> {
            carryOut(batch, stored.withDocumentClass(RawBsonDocument.class));
            return null;
          });
    } catch (RuntimeException failure) {
      var told = failure instanceof DataAccessResourceFailureException away ? told(away) : failure;
      batch.forEach(one -> one.done.completeExceptionally(told));
    } catch (Error failure) {
      // Their callers would wait for ever.
      batch.forEach(one -> one.done.completeExceptionally(new MayBeStored(failure)));
    }
    // A failed write stays failed.
    batch.forEach(one -> one.done.complete(null));
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

  private static void carryOut(List<Write> batch, MongoCollection<RawBsonDocument> stored) {
    try {
      stored.bulkWrite(batch.stream().map(Write::wanted).toList(), UNORDERED);
    } catch (MongoBulkWriteException some) {
      if (some.getWriteConcernError() != null) {
        throw some;
      }
      refuse(batch, some);
    }
  }

  private static void refuse(List<Write> batch, MongoBulkWriteException some) {
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

  private static final class Write {

    private final WriteModel<RawBsonDocument> wanted;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();

    /** The deadline of the waiting request. */
    private final @Nullable Deadline deadline = Deadline.current();

    Write(WriteModel<RawBsonDocument> wanted) {
      this.wanted = wanted;
    }

    WriteModel<RawBsonDocument> wanted() {
      return wanted;
    }

    /** Whether to carry it out: its caller still waits and will learn the result. */
    boolean begin() {
      return (deadline == null || deadline.hasMargin()) && decided.compareAndSet(false, true);
    }

    /** Waits until it is carried out or the deadline has passed. */
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

package testbed.cinema.reservation;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.WriteModel;
import java.util.List;
import org.bson.RawBsonDocument;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;
import testbed.cinema.JoinedCalls;
import testbed.cinema.JoinedCalls.Call;
import testbed.cinema.JoinedCalls.NotAnswered;
import testbed.cinema.Joining;

/** Writes to a collection, joined. Each caller learns what became of its own write. */
final class WriteQueue {

  /** Unordered: a refused write does not stop the others. */
  private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

  private static final int DUPLICATE_KEY = 11_000;

  private final String collection;
  private final MongoOperations database;
  private final JoinedCalls<WriteModel<RawBsonDocument>, WriteModel<RawBsonDocument>> writes;

  WriteQueue(String collection, MongoOperations database, Joining joining) {
    this.collection = collection;
    this.database = database;
    this.writes = joining.writes(this::carryOut);
  }

  /**
   * Carries out a write.
   *
   * @throws DuplicateKeyException if it would make a second document with an id
   * @throws MayBeStored if the database did not answer in time, or the connection was lost
   * @throws DataAccessResourceFailureException if it was not done, as the database is away
   */
  void write(WriteModel<RawBsonDocument> wanted) {
    try {
      writes.call(wanted);
    } catch (NotAnswered late) {
      throw late.isBegun()
          ? new MayBeStored(late)
          : new DataAccessResourceFailureException("The reservation is not stored", late);
    }
  }

  /** Writes that no command has taken yet. */
  int waiting() {
    return writes.waiting();
  }

  private void carryOut(
      List<Call<WriteModel<RawBsonDocument>, WriteModel<RawBsonDocument>>> batch) {
    try {
      database.<Object>execute(
          collection,
          stored -> {
            carryOut(batch, stored.withDocumentClass(RawBsonDocument.class));
            return null;
          });
    } catch (DataAccessResourceFailureException away) {
      throw translated(away);
    }
    // A failed write stays failed.
    batch.forEach(write -> write.answer(write.wanted()));
  }

  /** A command that was sent may have been carried out, even without an answer. */
  private static DataAccessResourceFailureException translated(
      DataAccessResourceFailureException away) {
    for (Throwable cause = away; cause != null; cause = cause.getCause()) {
      if (cause instanceof MongoInterruptedException
          || (cause instanceof MongoSocketException
              && !(cause instanceof MongoSocketOpenException))) {
        return new MayBeStored(away);
      }
    }
    return away;
  }

  private static void carryOut(
      List<Call<WriteModel<RawBsonDocument>, WriteModel<RawBsonDocument>>> batch,
      MongoCollection<RawBsonDocument> stored) {
    try {
      stored.bulkWrite(batch.stream().map(Call::wanted).toList(), UNORDERED);
    } catch (MongoBulkWriteException some) {
      if (some.getWriteConcernError() != null) {
        throw some;
      }
      refuse(batch, some);
    }
  }

  private static void refuse(
      List<Call<WriteModel<RawBsonDocument>, WriteModel<RawBsonDocument>>> batch,
      MongoBulkWriteException some) {
    for (var error : some.getWriteErrors()) {
      batch
          .get(error.getIndex())
          .fail(
              error.getCode() == DUPLICATE_KEY
                  ? new DuplicateKeyException(error.getMessage())
                  : new DataIntegrityViolationException(error.getMessage()));
    }
  }
}

package testbed.cinema.reservation;

import com.mongodb.client.model.InsertOneModel;
import org.bson.BsonBinaryWriter;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.bson.types.Decimal128;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Component;
import testbed.cinema.Joining;
import testbed.contracts.Reservation;

/** Stores reservations. */
@Component
class Insertions {

  private static final int USUAL_BYTES = 512;

  private final WriteQueue reservations;

  Insertions(MongoOperations database, Joining joining) {
    this.reservations = new WriteQueue(Reservations.COLLECTION, database, joining);
  }

  /**
   * Stores a reservation.
   *
   * @throws DuplicateKeyException if its id is used
   * @throws MayBeStored if the database did not answer in time, or the connection was lost
   * @throws DataAccessResourceFailureException if it is not stored, as the database is away
   */
  void insert(Reservation reservation) {
    reservations.write(new InsertOneModel<>(document(reservation)));
  }

  /** Reservations that no command has taken yet. */
  int waiting() {
    return reservations.waiting();
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
}

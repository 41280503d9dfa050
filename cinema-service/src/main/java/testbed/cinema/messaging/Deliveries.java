package testbed.cinema.messaging;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.bson.Document;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.data.domain.Sort.Direction;
import org.springframework.data.mongodb.core.FindAndModifyOptions;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.index.Index;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

/**
 * Counts redeliveries by correlation id. In the database, because the request itself may crash the
 * cinema. Failures are data access exceptions.
 */
class Deliveries {

  static final String COLLECTION = "deliveries";

  private static final String SEEN = "seen";
  private static final String LAST = "last";

  /** For requests that neither succeeded nor were set aside. */
  private static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

  private final MongoOperations database;

  /** Delivery tags are unique within a process only. */
  private final UUID process = UUID.randomUUID();

  private volatile boolean indexed;

  Deliveries(MongoOperations database) {
    this.database = database;
  }

  /** Notes a delivery (idempotent) and returns how many there were. */
  int note(String correlationId, MessageProperties delivery) {
    forgetInTime();
    var noted =
        database.findAndModify(
            of(correlationId),
            new Update()
                .addToSet(
                    SEEN,
                    "%s %s %d"
                        .formatted(process, delivery.getConsumerTag(), delivery.getDeliveryTag()))
                .set(LAST, Instant.now()),
            FindAndModifyOptions.options().upsert(true).returnNew(true),
            Document.class,
            COLLECTION);
    return Objects.requireNonNull(noted).getList(SEEN, String.class).size();
  }

  void forget(String correlationId) {
    database.remove(of(correlationId), COLLECTION);
  }

  private void forgetInTime() {
    if (!indexed) {
      database
          .indexOps(COLLECTION)
          .createIndex(new Index().on(LAST, Direction.ASC).expire(FORGOTTEN_AFTER));
      indexed = true;
    }
  }

  private static Query of(String correlationId) {
    return Query.query(Criteria.where("_id").is(correlationId));
  }
}

package testbed.cinema;

import org.bson.Document;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Component;

/**
 * Whether the cinema's database answers. It asks with {@code ping}, which every server knows; the
 * framework's own indicator asks with {@code hello}, which the embedded stand-in does not.
 */
@Component("database")
class DatabaseHealth extends AbstractHealthIndicator {

  private static final Document PING = new Document("ping", 1);

  private final MongoOperations database;

  DatabaseHealth(MongoOperations database) {
    super("The database does not answer");
    this.database = database;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    database.executeCommand(PING);
    health.up();
  }
}

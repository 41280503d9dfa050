package testbed.cinema;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.bson.Document;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.stereotype.Component;

/**
 * Whether the cinema's database answers. It asks with {@code ping}, which every server knows; the
 * framework's own indicator asks with {@code hello}, which the embedded stand-in does not.
 */
@Component("database")
class DatabaseHealth extends AbstractHealthIndicator {

  private static final Document PING = new Document("ping", 1);

  /**
   * A limit of its own: a preset may wait two minutes for a database, but health checks and scrapes
   * time out after a few seconds.
   */
  private static final int PATIENCE_SECONDS = 2;

  private final MongoDatabaseFactory databases;

  DatabaseHealth(MongoDatabaseFactory databases) {
    super("The database does not answer");
    this.databases = databases;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    databases.getMongoDatabase().withTimeout(PATIENCE_SECONDS, SECONDS).runCommand(PING);
    health.up();
  }
}

package testbed.cinema;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlinePassed;

/**
 * Limits database operations to the time that is left of this thread's request: connection, command
 * and retry together. Without a deadline the preset's limits apply.
 */
class BoundedDatabases extends SimpleMongoClientDatabaseFactory {

  BoundedDatabases(MongoClient client, String database) {
    super(client, database);
    setExceptionTranslator(new DatabaseOutages());
  }

  /**
   * @throws DeadlinePassed if no time is left
   */
  @Override
  protected MongoDatabase doGetMongoDatabase(String name) {
    var database = super.doGetMongoDatabase(name);
    var deadline = Deadline.current();
    if (deadline == null) {
      return database;
    }
    var millisLeft = deadline.millisLeft();
    if (millisLeft == 0) {
      throw new DeadlinePassed();
    }
    return database.withTimeout(millisLeft, MILLISECONDS);
  }
}

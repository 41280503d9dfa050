package testbed.cinema.reservation;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.env.Environment;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Component;
import testbed.support.trace.TracingProfile;

/** How the cinema writes: with a command for each document, or for several. */
@Component
class Writes {

  private final int together;
  private final MongoOperations database;

  @Autowired
  Writes(InsertionSettings settings, MongoOperations database, Environment environment) {
    // A command for several requests belongs to no single trace.
    this(
        environment.matchesProfiles(TracingProfile.NAME) ? 1 : settings.insertedTogether(),
        database);
  }

  Writes(int together, MongoOperations database) {
    this.together = together;
    this.database = database;
  }

  WriteQueue to(String collection) {
    return new WriteQueue(collection, together, database);
  }
}

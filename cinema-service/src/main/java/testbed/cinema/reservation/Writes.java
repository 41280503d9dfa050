package testbed.cinema.reservation;

import org.springframework.core.env.Environment;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Component;
import testbed.support.trace.TracingProfile;

/** How the cinema writes: with a command for each document, or for several. */
@Component
class Writes {

  private final int together;
  private final MongoOperations database;

  Writes(InsertionSettings settings, MongoOperations database, Environment environment) {
    // A command for several requests belongs to no single trace.
    this.together =
        environment.matchesProfiles(TracingProfile.NAME) ? 1 : settings.insertedTogether();
    this.database = database;
  }

  WriteQueue to(String collection) {
    return new WriteQueue(collection, together, database);
  }
}

package testbed.cinema.movie;

import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.Resource;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.contracts.Movie;
import testbed.support.preset.InvalidSetting;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes the database's catalogue equal to the data file at every start, before anything else
 * starts: what serves, listens, registers or says that the cinema is there comes in a later phase.
 * Whatever fails here stops the start. Earlier, while beans are made, would need the database even
 * where a start ends before this, to archive the classes it has loaded.
 */
@Component
class CatalogueSeed implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(CatalogueSeed.class);
  private static final TypeReference<List<Movie>> MOVIES = new TypeReference<>() {};

  private final Resource file;
  private final JsonMapper json;
  private final MongoOperations database;

  CatalogueSeed(CinemaSettings settings, JsonMapper json, MongoOperations database) {
    this.file = settings.catalogue();
    this.json = json;
    this.database = database;
  }

  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }

  @Override
  public void start() {
    var movies = read();
    movies.forEach(movie -> database.save(movie, Movies.COLLECTION));
    var ids = movies.stream().map(movie -> movie.id().value()).toList();
    database.remove(Query.query(Criteria.where("_id").nin(ids)), Movies.COLLECTION);
    log.info("Catalogue: {} movies from {}", movies.size(), file.getDescription());
  }

  @Override
  public void stop() {}

  /** Never: it is done once it has started. */
  @Override
  public boolean isRunning() {
    return false;
  }

  private List<Movie> read() {
    try (var data = file.getInputStream()) {
      return json.readValue(data, MOVIES);
    } catch (IOException | JacksonException unreadable) {
      throw new InvalidSetting(
          "CINEMA_CATALOGUE",
          "%s (%s)".formatted(file.getDescription(), unreadable.getMessage()),
          List.of("the location of a readable JSON list of {id, name, showTimes}"));
    }
  }
}

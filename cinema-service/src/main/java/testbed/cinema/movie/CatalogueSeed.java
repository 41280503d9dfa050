package testbed.cinema.movie;

import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
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
 * Makes the database's catalogue equal to the data file at every start. The service becomes ready
 * only afterwards.
 */
@Component
class CatalogueSeed implements ApplicationRunner {

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
  public void run(ApplicationArguments arguments) {
    var movies = read();
    movies.forEach(movie -> database.save(movie, Movies.COLLECTION));
    var ids = movies.stream().map(movie -> movie.id().value()).toList();
    database.remove(Query.query(Criteria.where("_id").nin(ids)), Movies.COLLECTION);
    log.info("Catalogue: {} movies from {}", movies.size(), file.getDescription());
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

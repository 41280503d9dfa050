package testbed.cinema.movie;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.Resource;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
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
 * Makes the database's catalogue equal to the data file at every start, in a phase before all that
 * serves, listens or registers. A database that is not there yet is waited for; any other failure
 * stops the start. Afterwards it restores a catalogue that is lost.
 */
@Component
class CatalogueSeed implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(CatalogueSeed.class);
  private static final TypeReference<List<Movie>> MOVIES = new TypeReference<>() {};
  private static final long CHECK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Resource file;
  private final RetryTemplate patient;
  private final JsonMapper json;
  private final MongoOperations database;
  private final LongSupplier nanoClock;

  /** When it was last checked that there is a catalogue. Guarded by this. */
  private long checkedNanos;

  /** Whether the last check has stored it again. Guarded by this. */
  private boolean restored;

  @Autowired
  CatalogueSeed(CinemaSettings settings, JsonMapper json, MongoOperations database) {
    this(settings, json, database, System::nanoTime);
  }

  CatalogueSeed(
      CinemaSettings settings, JsonMapper json, MongoOperations database, LongSupplier nanoClock) {
    this.file = settings.catalogue();
    this.patient =
        new RetryTemplate(
            RetryPolicy.builder()
                .includes(DataAccessResourceFailureException.class)
                .delay(Duration.ofSeconds(1))
                .timeout(settings.database().startWait())
                .maxRetries(Long.MAX_VALUE)
                .build());
    this.json = json;
    this.database = database;
    this.nanoClock = nanoClock;
    this.checkedNanos = nanoClock.getAsLong() - CHECK_INTERVAL_NANOS;
  }

  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }

  @Override
  public void start() {
    var movies = read();
    patient.invoke(() -> store(movies));
    log.info("Catalogue: {} movies from {}", movies.size(), file.getDescription());
  }

  private void store(List<Movie> movies) {
    try {
      movies.forEach(movie -> database.save(movie, Movies.COLLECTION));
      var ids = movies.stream().map(movie -> movie.id().value()).toList();
      database.remove(Query.query(Criteria.where("_id").nin(ids)), Movies.COLLECTION);
    } catch (DataAccessResourceFailureException away) {
      log.warn("Database not available: {}", away.getMessage());
      throw away;
    }
  }

  /**
   * Stores the catalogue again if the database has lost it. One thread does it for all, at most
   * once a second.
   *
   * @return whether the last check has restored it, so that a second search may succeed
   */
  synchronized boolean restore() {
    if (nanoClock.getAsLong() - checkedNanos < CHECK_INTERVAL_NANOS) {
      return restored;
    }
    restored = !database.exists(new Query(), Movies.COLLECTION);
    if (restored) {
      log.warn("The database has lost the catalogue: storing it again");
      insert(read());
    }
    checkedNanos = nanoClock.getAsLong();
    // Another instance may have stored it just before the check.
    return true;
  }

  /** In one command, so that no request finds a part of it. */
  private void insert(List<Movie> movies) {
    try {
      database.insert(movies, Movies.COLLECTION);
    } catch (DuplicateKeyException inserted) {
      log.debug("Another instance has stored it", inserted);
    }
  }

  @Override
  public void stop() {}

  /** Always false: its work is done at the start. */
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

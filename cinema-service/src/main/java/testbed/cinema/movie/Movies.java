package testbed.cinema.movie;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.cinema.Handicap;
import testbed.cinema.Work;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;
import testbed.contracts.ShowingQuery;

/**
 * The cinema's movies. Every question goes to the database, as in the thesis: a cache is a pattern
 * of its own, to be measured as one. What is not found is looked for again if the catalogue was
 * lost.
 */
@Component
public class Movies {

  static final String COLLECTION = "movies";
  // By the property's name: "_id" is none, and finding that out costs an exception for each query.
  private static final Query ALL_BY_ID = new Query().with(Sort.by("id"));

  private final CinemaName cinema;
  private final MongoOperations database;
  private final CatalogueSeed seed;
  private final Work listing;

  Movies(
      CinemaSettings settings,
      MongoOperations database,
      CatalogueSeed seed,
      MeterRegistry meters,
      Handicap handicap) {
    this.cinema = settings.cinemaName();
    this.database = database;
    this.seed = seed;
    this.listing = new Work(meters, handicap, "list");
  }

  /** The cinema with its whole catalogue, by movie id. */
  public Cinema catalogue() {
    return listing.measured(() -> Cinema.of(cinema, find(ALL_BY_ID)));
  }

  /** The movie with this name, if it is shown at this time. */
  public Optional<Movie> find(ShowingQuery query) {
    return find(Query.query(Criteria.where("name").is(query.name()))).stream()
        .filter(movie -> movie.showTimes().contains(query.showTime()))
        .findFirst();
  }

  /**
   * Checks that the cinema shows the movie at this time.
   *
   * @throws MovieUnknown if the catalogue does not have it
   * @throws ShowingUnknown if it is shown at other times only
   */
  public void requireShowing(MovieId id, ShowTime time) {
    var movie = find(id);
    if (movie == null && seed.restore()) {
      movie = find(id);
    }
    if (movie == null) {
      throw new MovieUnknown(cinema, id);
    }
    if (!movie.showTimes().contains(time)) {
      throw new ShowingUnknown(movie, time);
    }
  }

  private List<Movie> find(Query query) {
    var found = database.find(query, Movie.class, COLLECTION);
    return found.isEmpty() && seed.restore()
        ? database.find(query, Movie.class, COLLECTION)
        : found;
  }

  private @Nullable Movie find(MovieId id) {
    return database.findById(id, Movie.class, COLLECTION);
  }
}

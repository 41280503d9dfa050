package testbed.cinema.movie;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.cinema.Work;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;
import testbed.contracts.ShowingQuery;
import testbed.support.handicap.Handicap;

/**
 * The cinema's movies. Every question goes to the database, as in the thesis, unless {@link
 * CatalogueSettings} has a snapshot, which is a pattern of its own.
 */
@Component
public class Movies {

  static final String COLLECTION = "movies";

  private final CinemaName cinema;
  private final MongoOperations database;
  private final Catalogue catalogue;
  private final CatalogueSeed seed;
  private final Work listing;

  Movies(
      CinemaSettings settings,
      MongoOperations database,
      Catalogue catalogue,
      CatalogueSeed seed,
      MeterRegistry meters,
      Handicap handicap) {
    this.cinema = settings.cinemaName();
    this.database = database;
    this.catalogue = catalogue;
    this.seed = seed;
    this.listing = new Work(meters, handicap, "list");
  }

  /** The cinema with its whole catalogue, by movie id. */
  public Cinema catalogue() {
    return listing.measured(catalogue::all);
  }

  /** The movie with this name, if it is shown at this time. */
  public Optional<Movie> find(ShowingQuery query) {
    var named = Query.query(Criteria.where("name").is(query.name()));
    var movies = find(named);
    return (movies.isEmpty() && seed.restore() ? find(named) : movies)
        .stream().filter(movie -> movie.showTimes().contains(query.showTime())).findFirst();
  }

  /**
   * Checks that the cinema shows the movie at this time.
   *
   * @throws MovieUnknown if the catalogue does not have it
   * @throws ShowingUnknown if it is shown at other times only
   */
  public void requireShowing(MovieId id, ShowTime time) {
    var movie = catalogue.find(id, time);
    if (movie == null) {
      throw new MovieUnknown(cinema, id);
    }
    if (!movie.showTimes().contains(time)) {
      throw new ShowingUnknown(movie, time);
    }
  }

  private List<Movie> find(Query query) {
    return database.find(query, Movie.class, COLLECTION);
  }
}

package testbed.cinema.movie;

import org.jspecify.annotations.Nullable;
import testbed.contracts.Cinema;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;

/** The catalogue as lists and reservations read it. */
interface Catalogue {

  /** The cinema with all of its movies, by id. The same object as long as nothing changes. */
  Cinema all();

  /**
   * The movie with this id, if there is one.
   *
   * @param time of the showing, which the caller checks
   */
  @Nullable Movie find(MovieId id, ShowTime time);
}

package testbed.cinema.movie;

import org.jspecify.annotations.Nullable;
import testbed.contracts.Cinema;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;

/** Where lists and reservations find the movies. */
interface Catalogue {

  /** The cinema with all of its movies, by id. Unchanged, it is the same object. */
  Cinema all();

  /**
   * The movie with this id, if there is one.
   *
   * @param time at which it is to be shown, which the caller checks
   */
  @Nullable Movie find(MovieId id, ShowTime time);
}

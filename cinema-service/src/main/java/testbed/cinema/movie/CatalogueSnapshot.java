package testbed.cinema.movie;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import testbed.contracts.Cinema;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;

/**
 * The catalogue as it was stored at the last check. Lists may be that old, also while the database
 * is away. A reservation is refused only after a look into the database.
 */
class CatalogueSnapshot implements Catalogue {

  private static final Logger log = LoggerFactory.getLogger(CatalogueSnapshot.class);

  private record Snapshot(Cinema cinema, Map<MovieId, Movie> movies) {

    Snapshot(Cinema cinema) {
      this(
          cinema,
          cinema.movies().stream()
              .collect(Collectors.toUnmodifiableMap(Movie::id, Function.identity())));
    }
  }

  private final Catalogue stored;
  private volatile @Nullable Snapshot snapshot;

  CatalogueSnapshot(Catalogue stored) {
    this.stored = stored;
  }

  @Override
  public Cinema all() {
    return snapshot().cinema;
  }

  @Override
  public @Nullable Movie find(MovieId id, ShowTime time) {
    var movie = snapshot().movies.get(id);
    return movie != null && movie.showTimes().contains(time) ? movie : stored.find(id, time);
  }

  /**
   * Makes the snapshot equal to the database, which stores its catalogue again if it has lost it.
   */
  void check() {
    try {
      take();
    } catch (DataAccessException away) {
      log.debug("Catalogue not checked: {}", away.getMessage());
    }
  }

  private Snapshot snapshot() {
    var current = snapshot;
    return current == null ? take() : current;
  }

  private Snapshot take() {
    var cinema = stored.all();
    var current = snapshot;
    // The same object, if nothing has changed.
    if (current == null || current.cinema != cinema) {
      current = new Snapshot(cinema);
      snapshot = current;
    }
    return current;
  }
}

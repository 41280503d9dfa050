package testbed.cinema.movie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;

/** What is answered from memory, and what the database is asked. */
class CatalogueSnapshotTest {

  private static final MovieId SOLARIS = new MovieId("SOL001");
  private static final ShowTime TEN = ShowTime.parse("10:00");
  private static final ShowTime NOON = ShowTime.parse("12:00");

  private final Database database = new Database();
  private final CatalogueSnapshot snapshot = new CatalogueSnapshot(database);

  @Test
  void asksTheDatabaseOnceForLists() {
    assertThat(snapshot.all()).isSameAs(snapshot.all());
    assertThat(database.asked).isEqualTo(1);
  }

  @Test
  void isAsOldAsItsLastCheck() {
    snapshot.all();
    database.shows(NOON);

    assertThat(snapshot.all().movies().getFirst().showTimes()).containsExactly(TEN);
    snapshot.check();
    assertThat(snapshot.all().movies().getFirst().showTimes()).containsExactly(NOON);
  }

  @Test
  void stillListsWhileTheDatabaseIsAway() {
    var listed = snapshot.all();
    database.away = true;

    assertThatCode(snapshot::check).doesNotThrowAnyException();
    assertThat(snapshot.all()).isSameAs(listed);
  }

  @Test
  void hasNothingToListBeforeTheDatabaseHasAnswered() {
    database.away = true;
    assertThatThrownBy(snapshot::all).isInstanceOf(DataAccessResourceFailureException.class);

    database.away = false;
    assertThat(snapshot.all().movies()).hasSize(1);
  }

  @Test
  void findsAShowingWithoutTheDatabase() {
    snapshot.all();

    assertThat(snapshot.find(SOLARIS, TEN)).isNotNull();
    assertThat(database.asked).isEqualTo(1);
  }

  @Test
  void asksTheDatabaseBeforeAShowingOrAMovieIsRefused() {
    snapshot.all();
    database.shows(NOON);

    assertThat(snapshot.find(SOLARIS, NOON)).isNotNull();
    assertThat(snapshot.find(new MovieId("STA001"), TEN)).isNull();
    assertThat(database.asked).isEqualTo(3);
  }

  private static final class Database implements Catalogue {

    private Cinema stored = showing(TEN);
    private boolean away;
    private int asked;

    void shows(ShowTime time) {
      stored = showing(time);
    }

    @Override
    public Cinema all() {
      ask();
      return stored;
    }

    @Override
    public @Nullable Movie find(MovieId id, ShowTime time) {
      ask();
      return stored.movies().stream()
          .filter(movie -> movie.id().equals(id))
          .findFirst()
          .orElse(null);
    }

    private void ask() {
      asked++;
      if (away) {
        throw new DataAccessResourceFailureException("away");
      }
    }

    private static Cinema showing(ShowTime time) {
      return Cinema.of(
          new CinemaName("ucd"), List.of(new Movie(SOLARIS, "Solaris", List.of(time))));
    }
  }
}

package testbed.cinema.movie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.mongodb.client.result.DeleteResult;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Query;
import testbed.cinema.CinemaSettings;
import testbed.cinema.CinemaSettings.Database;
import tools.jackson.databind.json.JsonMapper;

/** How long a start waits for the database, and how often it is asked for a lost catalogue. */
class CatalogueSeedTest {

  private final MongoOperations database = mock(MongoOperations.class);
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);
  private final CatalogueSeed seed =
      new CatalogueSeed(
          new CinemaSettings(
              "ucd",
              new ByteArrayResource("[]".getBytes()),
              Duration.ofHours(1),
              new Database(0, 1, 1, Duration.ofSeconds(1), Duration.ZERO, Duration.ofMinutes(1)),
              Duration.ZERO,
              false),
          JsonMapper.builder().build(),
          database,
          nanos::get);

  @Test
  void waitsAtTheStartForADatabaseThatIsNotThereYet() {
    when(database.remove(any(Query.class), eq("movies")))
        .thenThrow(new DataAccessResourceFailureException("away"))
        .thenReturn(DeleteResult.acknowledged(0));

    seed.start();

    verify(database, times(2)).remove(any(Query.class), eq("movies"));
  }

  @Test
  void stopsTheStartOnAnyOtherFailure() {
    when(database.remove(any(Query.class), eq("movies")))
        .thenThrow(new PermissionDeniedDataAccessException("not yours", new RuntimeException()));

    assertThatThrownBy(seed::start).isInstanceOf(PermissionDeniedDataAccessException.class);

    verify(database).remove(any(Query.class), eq("movies"));
  }

  @Test
  void storesItOnceForAllWhoMissIt() {
    isThere(false);

    assertThat(seed.restore()).isTrue();
    assertThat(seed.restore()).isTrue();
    assertThat(seed.restore()).isTrue();

    verify(database).insert(anyList(), eq("movies"));
  }

  @Test
  void asksOnceASecondWhileItIsThere() {
    isThere(true);

    seed.restore();
    for (int i = 0; i < 9; i++) {
      nanos.addAndGet(Duration.ofMillis(100).toNanos());
      assertThat(seed.restore()).isFalse();
    }
    verify(database).exists(any(Query.class), eq("movies"));

    nanos.addAndGet(Duration.ofMillis(100).toNanos());
    seed.restore();

    verify(database, times(2)).exists(any(Query.class), eq("movies"));
    verify(database, never()).insert(anyList(), eq("movies"));
  }

  @Test
  void isContentIfAnotherInstanceWasFaster() {
    isThere(false);
    when(database.insert(anyList(), eq("movies"))).thenThrow(new DuplicateKeyException("there"));

    assertThat(seed.restore()).isTrue();
  }

  @Test
  void triesAgainAfterAFailure() {
    isThere(false);
    when(database.insert(anyList(), eq("movies")))
        .thenThrow(new DataAccessResourceFailureException("away"));
    assertThatThrownBy(seed::restore).isInstanceOf(DataAccessResourceFailureException.class);

    assertThatThrownBy(seed::restore).isInstanceOf(DataAccessResourceFailureException.class);

    verify(database, times(2)).insert(anyList(), eq("movies"));
  }

  private void isThere(boolean there) {
    when(database.exists(any(Query.class), eq("movies"))).thenReturn(there);
  }
}

package testbed.cinema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static testbed.cinema.Examples.janesReservation;
import static testbed.cinema.Examples.reservation;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import testbed.cinema.movie.MovieUnknown;
import testbed.cinema.movie.Movies;
import testbed.cinema.movie.ShowingUnknown;
import testbed.cinema.reservation.IdempotencyKeyReused;
import testbed.cinema.reservation.ReservationUnknown;
import testbed.cinema.reservation.Reservations;
import testbed.contracts.CinemaName;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.Page;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationPage;
import testbed.contracts.ShowTime;
import testbed.contracts.ShowingQuery;
import testbed.support.deadline.Deadline;
import testbed.support.deadline.DeadlinePassed;
import testbed.support.handicap.Handicap;

/** The business of a cinema, on a database and no edge. */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {"cinema.name=cineworld", "cinema.transport=http", "eureka.client.enabled=false"})
@Import(InMemoryDatabase.class)
class CoreTest {

  @Autowired Movies movies;
  @Autowired Reservations reservations;
  @Autowired MongoOperations database;
  @Autowired MeterRegistry meters;
  @MockitoSpyBean Handicap handicap;

  private final ReservationId id = new ReservationId(UUID.randomUUID());
  private final IdempotencyKey key = new IdempotencyKey(UUID.randomUUID().toString());

  @BeforeEach
  void noReservations() {
    database.remove(new Query(), "reservations");
  }

  @Test
  void listsTheSeededCatalogueInOrder() {
    var cinema = movies.catalogue();

    assertThat(cinema.cinemaName()).isEqualTo(new CinemaName("cineworld"));
    assertThat(cinema.movies())
        .extracting(Movie::id)
        .containsExactly(new MovieId("CNW001"), new MovieId("CNW002"), new MovieId("CNW003"));
    assertThat(cinema.movies().getFirst())
        .isEqualTo(
            new Movie(
                new MovieId("CNW001"),
                "The Shawshank Redemption",
                List.of(
                    ShowTime.parse("10:00"), ShowTime.parse("14:00"), ShowTime.parse("18:00"))));
  }

  @Test
  void asksTheDatabaseForEachListAndReadsItsAnswerOnceAsLongAsItIsTheSame() {
    var before = movies.catalogue();
    assertThat(movies.catalogue()).isSameAs(before);
    var movie = database.findById("CNW002", Document.class, "movies");

    try {
      database.save(new Document(movie).append("name", "The Godmother"), "movies");
      assertThat(movies.catalogue().movies()).extracting(Movie::name).contains("The Godmother");
      database.remove(movie, "movies");
      assertThat(movies.catalogue().movies()).hasSize(2);
    } finally {
      database.save(movie, "movies");
    }
    assertThat(movies.catalogue()).isEqualTo(before);
  }

  @Test
  void asksTheDatabaseForTheMovieOfEachReservation() {
    reservations.make(id, janesReservation());
    var movie = database.findById("CNW001", Document.class, "movies");

    try {
      database.save(new Document(movie).append("showTimes", List.of("09:00")), "movies");
      assertThatThrownBy(
              () -> reservations.make(new ReservationId(UUID.randomUUID()), janesReservation()))
          .isInstanceOf(ShowingUnknown.class);
    } finally {
      database.save(movie, "movies");
    }
  }

  @Test
  void answersEachOfManyQuestionsAtOnceForItself() throws Exception {
    var showings = List.of("CNW001 10:00", "CNW002 11:00", "CNW003 12:00", "XYZ999 10:00");
    Callable<List<String>> client = () -> showings.stream().map(this::refusal).toList();

    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = threads.invokeAll(Collections.nCopies(50, client));

      assertThat(answers).extracting(Future::get).containsOnly(client.call());
    }
    assertThat(client.call()).containsExactly("", "", "", "Cinema cineworld has no movie XYZ999.");
  }

  private String refusal(String showing) {
    var parts = showing.split(" ");
    try {
      movies.requireShowing(new MovieId(parts[0]), ShowTime.parse(parts[1]));
      return "";
    } catch (MovieUnknown | ShowingUnknown refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  @Test
  void findsAMovieOnlyAtATimeItIsShown() {
    var name = "The Godfather";

    assertThat(movies.find(new ShowingQuery(name, ShowTime.parse("15:00"))))
        .hasValueSatisfying(movie -> assertThat(movie.id()).isEqualTo(new MovieId("CNW002")));
    assertThat(movies.find(new ShowingQuery(name, ShowTime.parse("15:01")))).isEmpty();
    assertThat(movies.find(new ShowingQuery("Nosferatu", ShowTime.parse("15:00")))).isEmpty();
  }

  @Test
  void storesAReservationWithEveryValueUnchanged() {
    var made = reservations.make(id, janesReservation());

    assertThat(reservations.get(id)).isEqualTo(made);
    assertThat(stored()).containsExactly(made);
    assertThat(made.amount()).isEqualTo(janesReservation().amount());
    assertThat(made.showTime()).isEqualTo(ShowTime.parse("18:00"));
  }

  @Test
  void storesReadableValuesWithoutClassNames() {
    reservations.make(id, janesReservation());

    var stored = database.findAll(Document.class, "reservations").getFirst();
    assertThat(stored)
        .containsEntry("_id", id.toString())
        .containsEntry("movieId", "CNW001")
        .containsEntry("date", "2022-04-15")
        .containsEntry("showTime", "18:00")
        .doesNotContainKey("_class");
  }

  @Test
  void storesAReservationOnceUnderTheSameId() {
    var first = reservations.make(id, janesReservation());

    var second = reservations.make(id, janesReservation());

    assertThat(second).isEqualTo(first);
    assertThat(stored()).hasSize(1);
  }

  @Test
  void answersARequestOfTheSameKeyWithTheReservationThatItMade() {
    var first = reservations.make(key, janesReservation());

    assertThat(reservations.make(key, janesReservation())).isEqualTo(first);
    assertThat(stored()).containsExactly(first);
  }

  @Test
  void storesOneReservationForManyRequestsOfTheSameKeyAtOnce() throws Exception {
    Callable<Reservation> client = () -> reservations.make(key, janesReservation());

    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = threads.invokeAll(Collections.nCopies(50, client));

      assertThat(answers).extracting(Future::get).containsOnly(stored().getFirst());
    }
    assertThat(stored()).hasSize(1);
  }

  @Test
  void refusesAKeyThatAnotherRequestHasUsed() {
    var first = reservations.make(key, janesReservation());

    for (var other : List.of(reservation("CNW001", "14:00"), reservation("XYZ999", "18:00"))) {
      assertThatThrownBy(() -> reservations.make(key, other))
          .isInstanceOf(IdempotencyKeyReused.class);
    }
    assertThat(stored()).containsExactly(first);
  }

  @Test
  void answersARequestOfTheSameKeyThoughTheMovieHasLeftTheCatalogue() {
    var first = reservations.make(key, janesReservation());
    var movie = database.findById("CNW001", Document.class, "movies");
    database.remove(movie, "movies");
    try {
      assertThat(reservations.make(key, janesReservation())).isEqualTo(first);
      assertThatThrownBy(() -> reservations.make(id, janesReservation()))
          .isInstanceOf(MovieUnknown.class);
    } finally {
      database.save(movie, "movies");
    }
  }

  @Test
  void doesAllOfItsWorkWithinADeadline() {
    try (var bound = Deadline.of(Duration.ofHours(3), Duration.ofHours(1)).bind()) {
      var made = reservations.make(id, janesReservation());

      assertThat(reservations.make(id, janesReservation())).isEqualTo(made);
      assertThat(reservations.get(id)).isEqualTo(made);
      assertThat(stored()).containsExactly(made);
      assertThat(movies.catalogue().movies()).hasSize(3);
      assertThat(movies.find(new ShowingQuery("Nosferatu", ShowTime.parse("15:00")))).isEmpty();
    }
  }

  @Test
  void beginsNoReservationWhoseEndItsCallerMayNotWaitFor() {
    // Half an hour is left, which is enough for questions, and the margin is an hour.
    try (var bound = Deadline.of(Duration.ofMinutes(90), Duration.ofHours(1)).bind()) {
      assertThatThrownBy(() -> reservations.make(id, janesReservation()))
          .isInstanceOf(DeadlinePassed.class);
    }

    assertThat(stored()).isEmpty();
  }

  @Test
  void asksTheDatabaseNothingAfterTheDeadline() {
    try (var bound = Deadline.of(Duration.ZERO, Duration.ZERO).bind()) {
      assertThatThrownBy(movies::catalogue).isInstanceOf(DeadlinePassed.class);
    }
  }

  @Test
  void measuresItsWorkByOutcome() {
    var before = List.of(worked("done"), worked("repeated"), worked("refused"));

    reservations.make(id, janesReservation());
    reservations.make(id, janesReservation());
    assertThatThrownBy(() -> reservations.make(id, reservation("CNW009", "18:00")))
        .isInstanceOf(MovieUnknown.class);

    assertThat(List.of(worked("done"), worked("repeated"), worked("refused")))
        .containsExactlyElementsOf(before.stream().map(count -> count + 1).toList());
  }

  @Test
  void carriesItsHandicapInEachListAndEachReservation() {
    movies.catalogue();
    verify(handicap).burn();

    reservations.make(id, janesReservation());
    verify(handicap, times(2)).burn();
  }

  @Test
  void listsReservationsPageByPageInTheOrderOfTheirIds() {
    var ids =
        IntStream.range(0, 5)
            .mapToObj(number -> new ReservationId(new UUID(number * 31L % 5, 0)))
            .toList();
    ids.forEach(id -> reservations.make(id, janesReservation()));

    var pages = IntStream.range(0, 4).mapToObj(n -> reservations.list(new Page(n, 2))).toList();

    assertThat(pages).extracting(page -> page.reservations().size()).containsExactly(2, 2, 1, 0);
    assertThat(pages.stream().flatMap(page -> page.reservations().stream()))
        .extracting(Reservation::id)
        .isSortedAccordingTo(Comparator.comparing(ReservationId::toString))
        .containsExactlyInAnyOrderElementsOf(ids);
    assertThat(pages).extracting(ReservationPage::total).containsOnly(5L);
    assertThat(pages)
        .extracting(page -> page.page().next(page.total()).isPresent())
        .containsExactly(true, true, false, false);
  }

  @Test
  void withdrawsAReservation() {
    var kept = reservations.make(new ReservationId(UUID.randomUUID()), janesReservation());
    reservations.make(id, janesReservation());

    reservations.withdraw(id);

    assertThat(reservations.list(Page.FIRST))
        .isEqualTo(new ReservationPage(List.of(kept), Page.FIRST, 1));
    assertThatThrownBy(() -> reservations.get(id)).isInstanceOf(ReservationUnknown.class);
  }

  @Test
  void doesNotStoreAReservationThatWasWithdrawnBefore() {
    reservations.withdraw(id);

    assertThatThrownBy(() -> reservations.make(id, janesReservation()))
        .isInstanceOf(ReservationUnknown.class);

    assertThat(reservations.list(Page.FIRST))
        .isEqualTo(new ReservationPage(List.of(), Page.FIRST, 0));
  }

  @Test
  void withdrawsAReservationOnceHoweverOftenItIsTold() {
    reservations.make(id, janesReservation());
    var refused = worked("refused");

    reservations.withdraw(id);
    reservations.withdraw(id);
    assertThatThrownBy(() -> reservations.make(id, janesReservation()))
        .isInstanceOf(ReservationUnknown.class);
    reservations.withdraw(id);

    assertThat(stored()).isEmpty();
    assertThat(worked("refused")).isEqualTo(refused + 1);
  }

  @Test
  void keepsNothingOfAWithdrawnReservationButItsId() {
    reservations.make(id, janesReservation());

    reservations.withdraw(id);

    assertThat(database.findAll(Document.class, "reservations"))
        .containsExactly(new Document("_id", id.toString()));
  }

  @Test
  void rejectsReservationForUnknownMovie() {
    assertThatThrownBy(() -> reservations.make(id, reservation("XYZ999", "18:00")))
        .isInstanceOf(MovieUnknown.class)
        .hasMessage("Cinema cineworld has no movie XYZ999.");
    assertThat(stored()).isEmpty();
  }

  @Test
  void rejectsReservationForUnknownShowing() {
    assertThatThrownBy(() -> reservations.make(id, reservation("CNW001", "18:30")))
        .isInstanceOf(ShowingUnknown.class)
        .hasMessageContaining("is not shown at 18:30 but at 10:00, 14:00, 18:00");
    assertThat(stored()).isEmpty();
  }

  @Test
  void saysThatAReservationIsUnknown() {
    assertThatThrownBy(() -> reservations.get(id)).isInstanceOf(ReservationUnknown.class);
  }

  private List<Reservation> stored() {
    return reservations.list(Page.FIRST).reservations();
  }

  private long worked(String outcome) {
    return meters
        .get("cinema.work")
        .tags("operation", "reserve", "outcome", outcome)
        .timer()
        .count();
  }
}

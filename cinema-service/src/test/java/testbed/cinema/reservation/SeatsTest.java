package testbed.cinema.reservation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static testbed.cinema.Examples.reservation;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.mock.env.MockEnvironment;
import testbed.cinema.InMemoryDatabase;
import testbed.cinema.Joining;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.MovieId;
import testbed.contracts.Page;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.contracts.ShowTime;

/** On a database whose showings have ten seats. */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = {
      "cinema.name=cineworld",
      "cinema.transport=http",
      "cinema.seats=10",
      "cinema.inserted-together=100",
      "eureka.client.enabled=false"
    })
@Import(InMemoryDatabase.class)
class SeatsTest {

  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

  @Autowired Reservations reservations;
  @Autowired MongoOperations database;

  @BeforeEach
  void allSeatsAreFree() {
    database.remove(new Query(), Reservations.COLLECTION);
    database.remove(new Query(), Seats.COLLECTION);
  }

  @Test
  void areAsManyAsTheBuyersWhoGetOne() throws Exception {
    Callable<Boolean> buyer = () -> buys(asking(1));

    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers = threads.invokeAll(Collections.nCopies(50, buyer));

      assertThat(answers).extracting(Future::get).filteredOn(booked -> booked).hasSize(10);
    }
    assertThat(stored()).isEqualTo(10);
    assertThat(taken()).containsExactly(10);
  }

  @Test
  void areNotSoldOutForOneOfTheFirstWhoComeAtOnce() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int day = 1; day <= 30; day++) {
        var date = LocalDate.of(2022, 6, day);
        Callable<Boolean> buyer = () -> buys(asking(1, date));

        var answers = threads.invokeAll(Collections.nCopies(10, buyer));

        assertThat(answers).extracting(Future::get).doesNotContain(false);
      }
    }
    assertThat(taken()).hasSize(30).containsOnly(10);
  }

  @Test
  void areTakenByEachTicket() {
    assertThat(buys(asking(7))).isTrue();
    assertThat(buys(asking(4))).isFalse();
    assertThat(buys(asking(3))).isTrue();
    assertThat(buys(asking(1))).isFalse();
  }

  @Test
  void areNotEnoughForAPartyThatIsTooLarge() {
    assertThat(buys(asking(11))).isFalse();
    assertThat(stored()).isZero();
  }

  @Test
  void belongToOneShowing() {
    assertThat(buys(asking(10))).isTrue();
    assertThat(buys(reservation("CNW001", "14:00"))).isTrue();
    assertThat(buys(reservation("CNW002", "15:00"))).isTrue();
  }

  @Test
  void areTakenOnceByARequestThatComesAgain() {
    var id = new ReservationId(UUID.randomUUID());
    var key = new IdempotencyKey(UUID.randomUUID().toString());
    for (int time = 0; time < 3; time++) {
      reservations.make(id, asking(4));
      reservations.make(key, asking(6));
    }

    assertThat(stored()).isEqualTo(2);
    assertThat(taken()).containsExactly(10);
  }

  @Test
  void areFreeAgainWhenTheirReservationIsWithdrawn() {
    var id = new ReservationId(UUID.randomUUID());
    reservations.make(id, asking(4));

    reservations.withdraw(id);

    assertThat(taken()).containsExactly(0);
  }

  @Test
  void areNotTakenByAnotherRequestOfAUsedKey() {
    var key = new IdempotencyKey(UUID.randomUUID().toString());
    reservations.make(key, asking(4));

    assertThatThrownBy(() -> reservations.make(key, reservation("CNW001", "14:00")))
        .isInstanceOf(IdempotencyKeyReused.class);

    assertThat(taken()).containsExactlyInAnyOrder(4, 0);
  }

  @Test
  void areFreeAgainIfTheyAreTakenForAReservationThatWasWithdrawn() {
    var id = new ReservationId(UUID.randomUUID());
    reservations.withdraw(id);

    assertThatThrownBy(() -> reservations.make(id, asking(4)))
        .isInstanceOf(ReservationUnknown.class);

    assertThat(taken()).containsExactly(0);
  }

  @Test
  void doNotMatterToARequestThatComesAgain() {
    var key = new IdempotencyKey(UUID.randomUUID().toString());
    var made = reservations.make(key, asking(4));
    assertThat(buys(asking(6))).isTrue();
    // As if they had been given back and sold to somebody else.
    database.remove(new Query(), Seats.COLLECTION);
    assertThat(buys(asking(10))).isTrue();

    assertThat(reservations.make(key, asking(4))).isEqualTo(made);
    assertThatThrownBy(() -> reservations.make(key, asking(3)))
        .isInstanceOf(IdempotencyKeyReused.class);
  }

  @Test
  void areFreeAgainAfterAWhileIfNobodyWasStored() {
    var stored = reservations.make(new ReservationId(UUID.randomUUID()), asking(4));
    var lost = new Reservation[] {wanted(asking(3)), wanted(asking(3))};
    var seats = seatsAt(NOON);
    // As a reservation does that is stored, and two whose cinema ends before they are.
    database.remove(new Query(), Seats.COLLECTION);
    seats.take(stored);
    seats.take(lost[0]);
    seats.take(lost[1]);

    assertThatThrownBy(() -> seats.take(wanted(asking(1)))).isInstanceOf(SoldOut.class);
    assertThatThrownBy(() -> seatsAt(NOON.plus(Seats.GRACE)).take(wanted(asking(1))))
        .isInstanceOf(SoldOut.class);
    var later = seatsAt(NOON.plus(Seats.GRACE).plusMillis(1));
    assertThatCode(() -> later.take(wanted(asking(6)))).doesNotThrowAnyException();
    assertThatThrownBy(() -> later.take(wanted(asking(1)))).isInstanceOf(SoldOut.class);
    assertThat(taken()).containsExactly(10);
  }

  @Test
  void areNotMoreForAnotherRequestOfAKeyThatHasSome() {
    var key = new IdempotencyKey(UUID.randomUUID().toString());
    // As a request does whose reservation is then not stored.
    seatsAt(Instant.now()).take(Reservation.of(key.reservationId(), asking(1)));

    assertThatThrownBy(() -> reservations.make(key, asking(5)))
        .isInstanceOf(IdempotencyKeyReused.class);
    reservations.make(key, asking(1));

    assertThat(taken()).containsExactly(1);
  }

  @Test
  void areHeldAnewByARequestThatComesAgainMuchLater() {
    var late = wanted(asking(4));
    seatsAt(NOON).take(late);
    var muchLater = NOON.plus(Seats.GRACE).plusMillis(1);

    seatsAt(muchLater).take(late);

    assertThatThrownBy(() -> seatsAt(muchLater).take(wanted(asking(7))))
        .isInstanceOf(SoldOut.class);
    assertThat(taken()).containsExactly(4);
  }

  @Test
  void areUnlimitedByDefaultAndCostNothing() {
    var untouched = mock(MongoOperations.class);

    seats(0, untouched, NOON).take(wanted(asking(20)));

    verifyNoInteractions(untouched);
  }

  private Seats seatsAt(Instant now) {
    return seats(10, database, now);
  }

  private static Seats seats(int limit, MongoOperations database, Instant now) {
    var joining = new Joining(new Joining.Settings(1, 1), new MockEnvironment());
    return new Seats(new SeatSettings(limit), database, joining, () -> now);
  }

  private boolean buys(ReservationRequest request) {
    try {
      reservations.make(new ReservationId(UUID.randomUUID()), request);
      return true;
    } catch (SoldOut soldOut) {
      return false;
    }
  }

  private long stored() {
    return reservations.list(Page.FIRST).total();
  }

  private List<Integer> taken() {
    return database.findAll(Document.class, Seats.COLLECTION).stream()
        .map(showing -> showing.getInteger("taken"))
        .toList();
  }

  private static Reservation wanted(ReservationRequest request) {
    return Reservation.of(new ReservationId(UUID.randomUUID()), request);
  }

  private static ReservationRequest asking(int tickets) {
    return asking(tickets, LocalDate.of(2022, 4, 15));
  }

  private static ReservationRequest asking(int tickets, LocalDate date) {
    return new ReservationRequest(
        "Jane Doe",
        "jane.doe@ucd.ie",
        new MovieId("CNW001"),
        date,
        ShowTime.parse("18:00"),
        tickets,
        "Gold",
        new BigDecimal("30.00"));
  }
}

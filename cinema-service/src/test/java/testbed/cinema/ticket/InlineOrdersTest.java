package testbed.cinema.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.cinema.Examples.janesReservation;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.ticket.TicketSettings;
import testbed.ticket.TicketSettings.Overflow;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.Tickets.Found;
import testbed.ticket.office.TicketsRefused;

class InlineOrdersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final Semaphore ink = new Semaphore(0);
  private final TicketOffice office = new TicketOffice(this::print, Long.MAX_VALUE, false, meters);
  private final ReservationId first = id();

  @AfterEach
  void letGo() {
    ink.release(Integer.MAX_VALUE / 2);
  }

  @Test
  void buildsWhatIsOrdered() {
    try (var orders = busy(2, Overflow.REJECT_PUBLISH)) {
      ink.release();

      assertThat(office.find(first, PATIENCE)).isInstanceOf(Found.Ticket.class);
      assertThat(orders.getAsInt()).isZero();
      assertThat(meters.get("ticket.wait").timer().count()).isEqualTo(1);
    }
  }

  @Test
  void refusesWhatTheQueueHasNoPlaceFor() {
    try (var orders = busy(2, Overflow.REJECT_PUBLISH)) {
      var waiting = ordered(orders, 2);
      var refused = id();

      assertThatThrownBy(() -> orders.order(refused, janesReservation()))
          .isInstanceOf(TicketsRefused.class);

      assertThat(orders.getAsInt()).isEqualTo(2);
      assertThat(office.find(refused, Duration.ZERO)).isInstanceOf(Found.Gone.class);
      ink.release(3);
      assertThat(waiting)
          .allSatisfy(id -> assertThat(office.find(id, PATIENCE)).isInstanceOf(Found.Ticket.class));
      orders.order(refused, janesReservation());
      ink.release();
      assertThat(office.find(refused, PATIENCE)).isInstanceOf(Found.Ticket.class);
    }
  }

  @Test
  void dropsTheOldestForTheYoungest() {
    try (var orders = busy(2, Overflow.DROP_HEAD)) {
      var waiting = ordered(orders, 5);

      assertThat(waiting.subList(0, 3))
          .allSatisfy(
              id -> assertThat(office.find(id, Duration.ZERO)).isInstanceOf(Found.Gone.class));
      ink.release(3);
      assertThat(waiting.subList(3, 5))
          .allSatisfy(id -> assertThat(office.find(id, PATIENCE)).isInstanceOf(Found.Ticket.class));
      assertThat(meters.get("tickets.dropped").counter().count()).isEqualTo(3);
    }
  }

  @Test
  void keepsAllWithoutALimit() {
    try (var orders = busy(2, Overflow.NONE)) {
      ordered(orders, 500);

      assertThat(orders.getAsInt()).isEqualTo(500);
    }
  }

  @Test
  void takesATicketThatWaitsAlreadyForTheSame() {
    try (var orders = busy(1, Overflow.REJECT_PUBLISH)) {
      var waiting = ordered(orders, 1).getFirst();

      orders.order(waiting, janesReservation());
      orders.order(first, janesReservation());

      assertThat(orders.getAsInt()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void accountsForATicketThatCannotBeBuilt(boolean error) {
    var broken =
        new TicketOffice(
            reservation -> {
              if (error) {
                throw new StackOverflowError("no paper");
              }
              throw new IllegalStateException("no paper");
            },
            0,
            false,
            meters);
    try (var orders =
        new InlineOrders(broken, settings(1, Overflow.REJECT_PUBLISH), new SimpleMeterRegistry())) {
      orders.order(first, janesReservation());

      assertThat(broken.find(first, PATIENCE)).isInstanceOf(Found.Gone.class);
    }
  }

  /** With one thread, which has begun the first ticket. */
  private InlineOrders busy(int length, Overflow overflow) {
    var orders = new InlineOrders(office, settings(length, overflow), meters);
    orders.order(first, janesReservation());
    try {
      begun.await();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
    return orders;
  }

  private static List<ReservationId> ordered(InlineOrders orders, int tickets) {
    return Stream.generate(InlineOrdersTest::id)
        .limit(tickets)
        .peek(id -> orders.order(id, janesReservation()))
        .toList();
  }

  private byte[] print(Reservation reservation) {
    begun.countDown();
    ink.acquireUninterruptibly();
    return new byte[1];
  }

  private static TicketSettings settings(int length, Overflow overflow) {
    return new TicketSettings(length, overflow, 1, 1, DataSize.ofMegabytes(1), PATIENCE);
  }

  private static ReservationId id() {
    return new ReservationId(UUID.randomUUID());
  }
}

package testbed.ticketservice.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static testbed.ticketservice.Examples.janes;
import static testbed.ticketservice.Examples.someId;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.ticket.TicketSettings;
import testbed.ticket.TicketSettings.Overflow;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.Tickets.Found;
import testbed.ticket.office.TicketsRefused;

class PlacesTest {

  private final CountDownLatch begun = new CountDownLatch(2);
  private final CountDownLatch end = new CountDownLatch(1);
  private final TicketOffice office =
      new TicketOffice(this::print, Long.MAX_VALUE, false, new SimpleMeterRegistry());
  private final Places places =
      new Places(
          office,
          new TicketSettings(
              100, Overflow.REJECT_PUBLISH, 2, 1, DataSize.ofMegabytes(1), Duration.ZERO));
  private final ReservationId late = someId();

  @Test
  void refusesWhatItHasNoPlaceFor() throws Exception {
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = clients.submit(() -> places.build(janes(someId())));
      var second = clients.submit(() -> places.build(janes(someId())));
      begun.await();

      assertThatThrownBy(() -> places.build(janes(late))).isInstanceOf(TicketsRefused.class);
      assertThat(office.find(late, Duration.ZERO)).isInstanceOf(Found.Gone.class);

      end.countDown();
      assertThat(first.get()).isTrue();
      assertThat(second.get()).isTrue();
    }
    assertThat(places.build(janes(late))).isTrue();
    assertThat(places.build(janes(late))).isFalse();
  }

  @Test
  void hasItsPlaceAgainAfterAFailureAndAccountsForIt() {
    var office =
        new TicketOffice(
            reservation -> {
              throw new StackOverflowError("no ink");
            },
            0,
            false,
            new SimpleMeterRegistry());
    var broken =
        new Places(
            office,
            new TicketSettings(0, Overflow.NONE, 1, 1, DataSize.ofMegabytes(1), Duration.ZERO));

    for (int time = 0; time < 3; time++) {
      assertThatThrownBy(() -> broken.build(janes(late))).hasMessage("no ink");
      assertThat(office.find(late, Duration.ZERO)).isInstanceOf(Found.Gone.class);
    }
  }

  private byte[] print(Reservation reservation) {
    begun.countDown();
    try {
      end.await();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
    return new byte[1];
  }
}

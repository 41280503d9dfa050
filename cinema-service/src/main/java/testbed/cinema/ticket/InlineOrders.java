package testbed.cinema.ticket;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import testbed.contracts.Reservation;
import testbed.contracts.ReservationId;
import testbed.contracts.ReservationRequest;
import testbed.ticket.TicketSettings;
import testbed.ticket.TicketSettings.Overflow;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.TicketsRefused;
import testbed.ticket.office.WaitingTickets;

/**
 * Builds tickets in the cinema's own process, by a few threads behind a bounded queue. Waiting
 * orders are lost when the process ends.
 */
class InlineOrders implements TicketOrders, WaitingTickets, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(InlineOrders.class);

  private final TicketOffice office;
  private final MeterRegistry meters;
  private final ThreadPoolExecutor threads;
  private final Timer waited;

  InlineOrders(TicketOffice office, TicketSettings settings, MeterRegistry meters) {
    this.office = office;
    this.meters = meters;
    this.threads =
        new ThreadPoolExecutor(
            settings.consumers(),
            settings.consumers(),
            0,
            TimeUnit.SECONDS,
            queue(settings.places()),
            Thread.ofPlatform().daemon().name("tickets-", 0).factory(),
            settings.overflow() == Overflow.DROP_HEAD
                ? this::dropHead
                : new ThreadPoolExecutor.AbortPolicy());
    this.waited =
        Timer.builder("ticket.wait")
            .description("From the order of a ticket to the begin of its building")
            .register(meters);
  }

  /**
   * One at a time: a second order of the same ticket must not count as accepted before the first
   * one is.
   */
  @Override
  public synchronized void order(ReservationId id, ReservationRequest reservation) {
    if (!office.accept(id)) {
      return;
    }
    try {
      threads.execute(new Building(Reservation.of(id, reservation), Timer.start(meters)));
    } catch (RejectedExecutionException full) {
      office.refuse(id);
      throw new TicketsRefused();
    }
  }

  @Override
  public int getAsInt() {
    return threads.getQueue().size();
  }

  /** Ends at once: waiting orders are lost in any case. */
  @Override
  public void close() {
    var lost = threads.shutdownNow().size();
    if (lost > 0) {
      log.warn("{} tickets are lost, as they waited in this process", lost);
    }
  }

  private void dropHead(Runnable youngest, ThreadPoolExecutor full) {
    if (full.isShutdown()) {
      throw new RejectedExecutionException();
    }
    if (full.getQueue().poll() instanceof Building oldest) {
      office.drop(oldest.reservation.id());
    }
    full.execute(youngest);
  }

  private static BlockingQueue<Runnable> queue(int places) {
    return places == 0 ? new LinkedBlockingQueue<>() : new ArrayBlockingQueue<>(places);
  }

  private final class Building implements Runnable {

    private final Reservation reservation;
    private final Timer.Sample since;

    Building(Reservation reservation, Timer.Sample since) {
      this.reservation = reservation;
      this.since = since;
    }

    @Override
    public void run() {
      since.stop(waited);
      try {
        office.buildOrFail(reservation);
      } catch (RuntimeException failure) {
        log.error("Ticket {} could not be built", reservation.id(), failure);
      }
    }
  }
}

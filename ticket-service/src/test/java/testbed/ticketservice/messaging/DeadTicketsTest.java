package testbed.ticketservice.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static testbed.ticketservice.Examples.someId;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpTimeoutException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.contracts.ReservationId;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.Tickets.Found;

class DeadTicketsTest {

  private static final Exception CAUSE = new IllegalStateException("no ink");

  private final RabbitTemplate template = mock();
  private final TicketOffice office =
      new TicketOffice(reservation -> new byte[0], 0, false, new SimpleMeterRegistry());
  private final DeadTickets dead = new DeadTickets(template, office);
  private final ReservationId id = someId();

  @Test
  void setsAnOrderAsideAndSaysThatThereWillBeNoTicket() {
    dead.recover(order(id.toString()), CAUSE);

    verify(template).send(eq("cinema.dead-letter"), eq("ticket.wanted"), any(Message.class));
    assertThat(office.find(id, Duration.ZERO)).isInstanceOf(Found.Gone.class);
  }

  @Test
  void doesNotGiveATicketUpWhoseOrderIsNotSetAside() {
    doThrow(new AmqpTimeoutException("away")).when(template).send(any(), any(), any(Message.class));

    assertThatThrownBy(() -> dead.recover(order(id.toString()), CAUSE))
        .isInstanceOf(AmqpTimeoutException.class);

    assertThat(office.find(id, Duration.ZERO)).isInstanceOf(Found.Unknown.class);
  }

  @Test
  void setsWhatIsNoOrderAsideToo() {
    dead.recover(order("no id"), CAUSE);
    dead.recover(order(null), CAUSE);

    verify(template, times(2))
        .send(eq("cinema.dead-letter"), eq("ticket.wanted"), any(Message.class));
  }

  private static Message order(String id) {
    return MessageBuilder.withBody(new byte[0]).setCorrelationId(id).build();
  }
}

package testbed.ticketservice.messaging;

import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;
import testbed.contracts.Reservation;
import testbed.contracts.message.CinemaMessage.TicketWanted;
import testbed.contracts.message.Topology;
import testbed.ticket.office.TicketOffice;

/** Builds ordered tickets. */
@Component
@ConditionalOnProperty(name = "ticket.source", havingValue = "queue")
class TicketListener {

  private final TicketOffice office;
  private final Validator validator;
  private final Pace pace;

  TicketListener(TicketOffice office, Validator validator, QueueSettings settings) {
    this.office = office;
    this.validator = validator;
    this.pace = new Pace(settings.rate(), System::nanoTime);
  }

  /**
   * @throws IllegalArgumentException if it is no valid order; it is not tried again
   */
  @RabbitListener(queues = Topology.TICKET_QUEUE)
  void build(@Payload TicketWanted wanted) throws InterruptedException {
    var violations = validator.validate(wanted);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(new ConstraintViolationException(violations));
    }
    pace.await();
    office.build(Reservation.of(wanted.id(), wanted.reservation()));
  }
}

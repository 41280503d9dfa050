package testbed.cinema.messaging;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecoverer;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.Topology;

/**
 * Sets a request aside that could not be processed after several tries, and tells whoever waits for
 * it. Done by the client because a queue's own dead-letter arguments are not portable between
 * brokers.
 */
class DeadLetters extends RepublishMessageRecoverer {

  private final RabbitTemplate template;
  private final CinemaName cinema;
  private final Counter setAside;

  DeadLetters(RabbitTemplate template, CinemaName cinema, MeterRegistry meters) {
    super(template, Topology.DEAD_LETTER_EXCHANGE, Topology.requestTo(cinema));
    this.template = template;
    this.cinema = cinema;
    this.setAside =
        Counter.builder("cinema.requests.dead.lettered")
            .description("Requests set aside after several tries")
            .register(meters);
  }

  @Override
  public void recover(Message request, @Nullable Throwable cause) {
    // A list request expires soon; set aside, it is to be looked at whenever somebody has the time.
    request.getMessageProperties().setExpiration(null);
    super.recover(request, cause);
    setAside.increment();
    var correlationId = request.getMessageProperties().getCorrelationId();
    if (correlationId != null) {
      Responses.send(
          template,
          correlationId,
          new RequestRejected(
              cinema,
              ProblemType.INTERNAL,
              "Cinema %s could not process the request.".formatted(cinema)));
    }
  }
}

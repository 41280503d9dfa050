package testbed.cinema.messaging;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecoverer;
import testbed.contracts.CinemaName;
import testbed.contracts.ProblemType;
import testbed.contracts.message.CinemaMessage.RequestRejected;
import testbed.contracts.message.Topology;

/**
 * Sets aside a request that cannot be processed, and responds with a refusal. Done by the client
 * because a queue's own dead-letter arguments are not portable between brokers.
 */
class DeadLetters extends RepublishMessageRecoverer {

  private static final Logger log = LoggerFactory.getLogger(DeadLetters.class);

  private final Responses responses;
  private final CinemaName cinema;
  private final Counter setAside;

  /**
   * @param confirmed whose sends fail unless the server has taken the message over
   */
  DeadLetters(
      RabbitTemplate confirmed, Responses responses, CinemaName cinema, MeterRegistry meters) {
    super(confirmed, Topology.DEAD_LETTER_EXCHANGE, Topology.requestTo(cinema));
    this.responses = responses;
    this.cinema = cinema;
    this.setAside =
        Counter.builder("cinema.requests.dead.lettered")
            .description("Requests set aside because they could not be processed")
            .register(meters);
  }

  /**
   * @throws AmqpException if the request is not set aside
   */
  @Override
  public void recover(Message request, @Nullable Throwable cause) {
    // A list request expires soon; a dead letter must stay until it is inspected.
    request.getMessageProperties().setExpiration(null);
    super.recover(request, cause);
    setAside.increment();
    if (request.getMessageProperties().getCorrelationId() != null) {
      reject(request.getMessageProperties());
    }
  }

  private void reject(MessageProperties request) {
    try {
      responses.send(
          request,
          new RequestRejected(
              cinema,
              ProblemType.INTERNAL,
              "Cinema %s could not process the request.".formatted(cinema)));
    } catch (AmqpException unreachable) {
      // A failure here would set the request aside a second time.
      log.error("Its sender was not told: {}", unreachable.getMessage());
    }
  }
}

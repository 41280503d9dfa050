package testbed.broker.messaging;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.broker.operation.CorrelationId;
import testbed.broker.operation.Operation;
import testbed.broker.operation.RequestChannel;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.Topology;
import testbed.support.log.LoggedCorrelation;

/** Publishes requests, mandatory and confirmed. */
class RequestPublisher implements RequestChannel {

  private static final Logger log = LoggerFactory.getLogger(RequestPublisher.class);

  private final RabbitTemplate template;
  private final Duration confirmTimeout;
  private final String expirationMillis;

  /**
   * @param confirmTimeout the longest wait for a confirmation
   * @param deadline after which nobody waits for an answer that was not to last
   */
  RequestPublisher(RabbitTemplate template, Duration confirmTimeout, Duration deadline) {
    this.template = template;
    this.confirmTimeout = confirmTimeout;
    this.expirationMillis = String.valueOf(deadline.toMillis());
  }

  @Override
  public Delivery send(CorrelationId id, Operation<?> operation, Question<?> request) {
    var confirmation = new CorrelationData(id.toString());
    try (var named = LoggedCorrelation.of(id.toString())) {
      template.convertAndSend(
          Topology.EXCHANGE,
          operation.cinema().map(Topology::requestTo).orElse(Topology.REQUEST_TO_ALL),
          request,
          message -> addressed(message, id, request),
          confirmation);
      var confirm = confirmation.getFuture().get(confirmTimeout.toNanos(), TimeUnit.NANOSECONDS);
      // RabbitMQ returns and confirms what has no queue; other servers refuse it.
      return confirm.ack() && confirmation.getReturned() == null
          ? Delivery.CONFIRMED
          : Delivery.REFUSED;
    } catch (AmqpException unreachable) {
      log.debug("Request {} not sent: {}", id, unreachable.getMessage());
    } catch (TimeoutException unconfirmed) {
      log.debug("Request {} not confirmed within {}", id, confirmTimeout);
    } catch (ExecutionException failed) {
      log.debug("Request {} not confirmed: {}", id, failed.getMessage());
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
    return Delivery.UNCONFIRMED;
  }

  private Message addressed(Message message, CorrelationId id, Question<?> request) {
    var properties = message.getMessageProperties();
    properties.setCorrelationId(id.toString());
    if (request.lasting()) {
      properties.setDeliveryMode(MessageDeliveryMode.PERSISTENT);
    } else {
      properties.setDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);
      properties.setExpiration(expirationMillis);
    }
    return message;
  }
}

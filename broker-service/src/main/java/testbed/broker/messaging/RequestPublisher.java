package testbed.broker.messaging;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
import testbed.cinemas.KnownCinemas;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.Topology;
import testbed.messaging.BlockedConnection;
import testbed.support.log.LoggedCorrelation;

/** Publishes requests, mandatory and confirmed. */
class RequestPublisher implements RequestChannel {

  private static final Logger log = LoggerFactory.getLogger(RequestPublisher.class);

  private final RabbitTemplate template;
  private final BlockedConnection connection;
  private final Withdrawals withdrawals;
  private final KnownCinemas cinemas;
  private final String responses;
  private final Duration confirmTimeout;
  private final String expirationMillis;

  /**
   * @param withdrawals takes back requests that may or may not have been delivered
   * @param cinemas are asked one by one when a request to all is refused
   * @param responses the routing key of responses
   * @param confirmTimeout the longest wait for a confirmation
   * @param deadline after which a request that is not lasting expires
   */
  RequestPublisher(
      RabbitTemplate template,
      BlockedConnection connection,
      Withdrawals withdrawals,
      KnownCinemas cinemas,
      String responses,
      Duration confirmTimeout,
      Duration deadline) {
    this.template = template;
    this.connection = connection;
    this.withdrawals = withdrawals;
    this.cinemas = cinemas;
    this.responses = responses;
    this.confirmTimeout = confirmTimeout;
    this.expirationMillis = String.valueOf(deadline.toMillis());
  }

  @Override
  public Delivery send(
      CorrelationId id, Operation<?> operation, Question<?> request, CompletionStage<?> answered) {
    if (connection.isBlocked()) {
      return Delivery.UNCONFIRMED;
    }
    var key = operation.cinema().map(Topology::requestTo).orElse(Topology.REQUEST_TO_ALL);
    var delivery = send(id, key, request, answered);
    return delivery == Delivery.REFUSED && operation.cinema().isEmpty()
        ? sendToEach(id, request, answered)
        : delivery;
  }

  /**
   * One full queue leads to the refusal of a request to all. Qpid then puts it in no queue,
   * RabbitMQ in those that are not full. A cinema that gets it twice answers twice, which is
   * harmless.
   */
  private Delivery sendToEach(CorrelationId id, Question<?> request, CompletionStage<?> answered) {
    var delivery = Delivery.REFUSED;
    for (var cinema : cinemas.presence().present()) {
      var sent = send(id, Topology.requestTo(cinema), request, answered);
      if (sent == Delivery.UNCONFIRMED) {
        // The others would wait as long.
        return delivery == Delivery.CONFIRMED ? delivery : sent;
      }
      if (sent == Delivery.CONFIRMED) {
        delivery = sent;
      }
    }
    return delivery;
  }

  private Delivery send(
      CorrelationId id, String key, Question<?> request, CompletionStage<?> answered) {
    var confirmation = new CorrelationData(id.toString());
    try (var named = LoggedCorrelation.of(id.toString())) {
      template.convertAndSend(
          Topology.EXCHANGE,
          key,
          request,
          message -> addressed(message, id, request),
          confirmation);
    } catch (AmqpException unreachable) {
      // It was not sent: there is nothing to withdraw.
      log.debug("Request {} not sent: {}", id, unreachable.getMessage());
      return Delivery.UNCONFIRMED;
    }
    var delivery = fate(id, confirmation, answered.toCompletableFuture());
    if (delivery != Delivery.UNCONFIRMED) {
      return delivery;
    }
    var withdrawal = request.withdrawal();
    withdrawal.ifPresent(message -> withdrawals.add(id, key, message));
    return withdrawal.isEmpty() && request.lasting() ? Delivery.UNKNOWN : delivery;
  }

  private Delivery fate(
      CorrelationId id, CorrelationData confirmation, CompletableFuture<?> answered) {
    try {
      var confirmed = confirmation.getFuture();
      CompletableFuture.anyOf(confirmed, answered)
          .get(confirmTimeout.toNanos(), TimeUnit.NANOSECONDS);
      if (answered.isDone()) {
        return Delivery.CONFIRMED;
      }
      var confirm = confirmed.resultNow();
      if (confirm.reason() != null) {
        // Not refused by the server: the channel was closed, and the request may have arrived.
        log.debug("Request {} not confirmed: {}", id, confirm.reason());
        return Delivery.UNCONFIRMED;
      }
      // Without a queue RabbitMQ returns and confirms a message; other servers refuse it. A full
      // queue refuses it on every server.
      return confirm.ack() && confirmation.getReturned() == null
          ? Delivery.CONFIRMED
          : Delivery.REFUSED;
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
    if (!responses.equals(Topology.RESPONSE)) {
      properties.setReplyTo(responses);
    }
    if (request.lasting()) {
      properties.setDeliveryMode(MessageDeliveryMode.PERSISTENT);
    } else {
      properties.setDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);
      properties.setExpiration(expirationMillis);
    }
    return message;
  }
}

package testbed.cinema.messaging;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.AmqpMessageReturnedException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.contracts.message.Topology;

/**
 * Sends responses to the broker that asked. They are not persistent: the broker holds the operation
 * in memory, too, and a stored reservation can be read again.
 */
class Responses {

  private static final Logger log = LoggerFactory.getLogger(Responses.class);

  private final RabbitTemplate template;
  private final RabbitTemplate lasting;

  /**
   * @param lasting for responses to lasting questions
   */
  Responses(RabbitTemplate template, RabbitTemplate lasting) {
    this.template = template;
    this.lasting = lasting;
  }

  /**
   * Answers a question.
   *
   * @param request the properties of its message
   * @param response the response, or a message of it that is sent again and again
   */
  void send(MessageProperties request, Question<?> question, Object response) {
    send(question.lasting() ? lasting : template, request, response);
  }

  /** Sends a response that may be lost. */
  void send(MessageProperties request, Response response) {
    send(template, request, response);
  }

  private static void send(RabbitTemplate template, MessageProperties request, Object response) {
    var key = wayBack(request);
    try {
      template.convertAndSend(
          Topology.EXCHANGE,
          key,
          response,
          message -> addressed(message == response ? copy(message) : message, request));
    } catch (AmqpMessageReturnedException | AmqpNackReceivedException nowhere) {
      if (key.equals(Topology.RESPONSE)) {
        throw nowhere;
      }
      // A broker declares its queue before it asks, so this reply-to was made up. A retry would
      // delay all other requests.
      log.warn("No broker takes responses at {}", key);
    }
  }

  private static Message addressed(Message response, MessageProperties request) {
    var properties = response.getMessageProperties();
    properties.setDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);
    properties.setCorrelationId(request.getCorrelationId());
    return response;
  }

  /**
   * For a message that others may be sending too: the same body, and what says how it is read. The
   * library's copy of all properties works by reflection.
   */
  private static Message copy(Message written) {
    var from = written.getMessageProperties();
    var properties = new MessageProperties();
    properties.setContentType(from.getContentType());
    properties.setContentEncoding(from.getContentEncoding());
    from.getHeaders().forEach(properties::setHeader);
    return new Message(written.getBody(), properties);
  }

  /** Any publisher can set reply-to. Values that are no response key are ignored. */
  private static String wayBack(MessageProperties request) {
    var replyTo = request.getReplyTo();
    return replyTo != null && Topology.isOfResponse(replyTo) ? replyTo : Topology.RESPONSE;
  }
}

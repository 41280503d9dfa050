package testbed.cinema.messaging;

import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.contracts.message.CinemaMessage.Question;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.contracts.message.Topology;

/**
 * Sends responses to whoever collects them. They are not written to disk: whoever waits for them
 * waits in memory too, and a stored reservation can be asked for again.
 */
class Responses {

  private final RabbitTemplate template;
  private final RabbitTemplate lasting;

  /**
   * @param lasting for responses to questions that last
   */
  Responses(RabbitTemplate template, RabbitTemplate lasting) {
    this.template = template;
    this.lasting = lasting;
  }

  /** Answers a question. */
  void send(String correlationId, Question<?> question, Response response) {
    send(question.lasting() ? lasting : template, correlationId, response);
  }

  /** Sends a response that may be lost. */
  void send(String correlationId, Response response) {
    send(template, correlationId, response);
  }

  private static void send(RabbitTemplate template, String correlationId, Response response) {
    template.convertAndSend(
        Topology.EXCHANGE,
        Topology.RESPONSE,
        response,
        message -> {
          message.getMessageProperties().setCorrelationId(correlationId);
          message.getMessageProperties().setDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);
          return message;
        });
  }
}

package testbed.cinema.messaging;

import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import testbed.contracts.message.CinemaMessage.Response;
import testbed.contracts.message.Topology;

/** Sends responses to whoever collects them. */
final class Responses {

  private Responses() {}

  /**
   * Sends a response. It is not written to disk: whoever waits for it waits in memory too, and a
   * stored reservation can be asked for again.
   */
  static void send(RabbitTemplate template, String correlationId, Response response) {
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

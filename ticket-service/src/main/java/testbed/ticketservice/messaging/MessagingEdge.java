package testbed.ticketservice.messaging;

import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import testbed.contracts.message.Topology;
import testbed.messaging.ConfirmedConnection;
import testbed.messaging.DeliveryLimit;
import testbed.messaging.ListenerAdvice;
import testbed.messaging.LoggedRecoverer;
import testbed.messaging.QueueLimits;
import testbed.messaging.QueueMeters;
import testbed.ticket.TicketSettings;
import testbed.ticket.TicketSettings.Overflow;
import testbed.ticket.office.TicketOffice;
import testbed.ticket.office.WaitingTickets;
import testbed.ticketservice.messaging.QueueSettings.QueueType;

/** The queue of tickets, wired only when its transport is AMQP. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "ticket.source", havingValue = "queue")
@Import(ConfirmedConnection.class)
class MessagingEdge {

  private static final String QUEUE_TYPE = "x-queue-type";

  @Bean
  Declarables topology(TicketSettings limits, QueueSettings settings) {
    var exchange = new TopicExchange(Topology.TICKET_EXCHANGE);
    var queue =
        QueueLimits.durable(
            Topology.TICKET_QUEUE,
            limits.places(),
            limits.overflow() == Overflow.DROP_HEAD
                ? QueueBuilder.Overflow.dropHead
                : QueueBuilder.Overflow.rejectPublish);
    if (settings.queueType() == QueueType.QUORUM) {
      queue.addArgument(QUEUE_TYPE, "quorum");
    }
    return new Declarables(
        exchange, queue, BindingBuilder.bind(queue).to(exchange).with(Topology.TICKET_WANTED));
  }

  @Bean
  ContainerCustomizer<DirectMessageListenerContainer> containers(
      TicketSettings settings, QueueSettings queue, QueueMeters queues) {
    return container -> {
      queues.observe(container);
      container.setConsumersPerQueue(settings.consumers());
      container.setPrefetchCount(queue.prefetch());
    };
  }

  @Bean
  MessageRecoverer deadTickets(ConfirmedConnection confirmed, TicketOffice office) {
    return new LoggedRecoverer(new DeadTickets(confirmed.template(), office));
  }

  @Bean
  DeliveryLimit deliveryLimit(
      QueueSettings settings, ConfirmedConnection confirmed, MessageRecoverer deadTickets) {
    return new OrderDeliveryLimit(settings.maxDeliveries(), confirmed.template(), deadTickets);
  }

  @Bean
  static BeanPostProcessor limitedListeners(ObjectProvider<DeliveryLimit> limit) {
    return ListenerAdvice.of(limit);
  }

  @Bean
  WaitingTickets waiting(AmqpAdmin server) {
    return () -> {
      try {
        var queue = server.getQueueInfo(Topology.TICKET_QUEUE);
        return queue == null ? -1 : Math.toIntExact(queue.getMessageCount());
      } catch (AmqpException unreachable) {
        return -1;
      }
    };
  }
}

package testbed.broker.messaging;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.annotation.RabbitListenerConfigurer;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecovererWithConfirms;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateConfigurer;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import testbed.broker.BrokerSettings;
import testbed.broker.operation.Operations;
import testbed.broker.operation.RequestChannel;
import testbed.cinemas.KnownCinemas;
import testbed.cinemas.SteadyClock;
import testbed.contracts.message.Topology;
import testbed.messaging.BlockedConnection;
import testbed.messaging.CommonAcknowledgement;
import testbed.messaging.ConfirmingTemplate;
import testbed.messaging.LoggedRecoverer;
import testbed.messaging.MessagingSettings;
import testbed.messaging.QueueMeters;

/** The broker's part of the AMQP topology, and what sends and listens. */
@Configuration(proxyBeanMethods = false)
class MessagingEdge {

  /** A phase below the web server's: at a stop, waiting fetches still get their answers. */
  private static final int OUTLIVES_THE_WEB_SERVER = 0;

  /** Of one of several brokers, it is deleted with its broker, which may never come again. */
  @Bean
  Queue responseQueue(BrokerSettings settings) {
    var queue = QueueBuilder.durable(Topology.responseQueueOf(settings.number()));
    return settings.number() == 1 ? queue.build() : queue.autoDelete().build();
  }

  /** Deleted with its broker: nobody else needs its signs of presence. */
  @Bean
  Queue presenceQueue(BrokerSettings settings) {
    return QueueBuilder.durable(Topology.presenceQueueOf(settings.number())).autoDelete().build();
  }

  @Bean
  Declarables topology(BrokerSettings settings, Queue responseQueue, Queue presenceQueue) {
    var exchange = new TopicExchange(Topology.EXCHANGE);
    return new Declarables(
        exchange,
        BindingBuilder.bind(responseQueue)
            .to(exchange)
            .with(Topology.responseTo(settings.number())),
        BindingBuilder.bind(presenceQueue).to(exchange).with(Topology.PRESENCE));
  }

  @Bean
  RabbitTemplate rabbitTemplate(
      ConnectionFactory connections,
      RabbitTemplateConfigurer configurer,
      ObjectProvider<RabbitTemplateCustomizer> customizers,
      MessagingSettings settings) {
    var template = new ConfirmingTemplate(settings.confirms());
    configurer.configure(template, connections);
    customizers.orderedStream().forEach(customizer -> customizer.customize(template));
    return template;
  }

  @Bean
  BlockedConnection blockedConnection() {
    return new BlockedConnection();
  }

  @Bean
  Withdrawals withdrawals(RabbitTemplate template, BlockedConnection connection) {
    return new Withdrawals(template, connection);
  }

  /** Withdrawals that are not confirmed within a request's time are sent again. */
  @Bean
  SchedulingConfigurer withdrawing(Withdrawals withdrawals, BrokerSettings settings) {
    return tasks -> tasks.addFixedDelayTask(withdrawals::send, settings.confirmTimeout());
  }

  @Bean
  RequestChannel requests(
      RabbitTemplate template,
      BlockedConnection connection,
      Withdrawals withdrawals,
      KnownCinemas cinemas,
      BrokerSettings settings) {
    return new RequestPublisher(
        template,
        connection,
        withdrawals,
        cinemas,
        Topology.responseTo(settings.number()),
        settings.confirmTimeout(),
        settings.deadline());
  }

  @Bean
  RabbitListenerConfigurer responseListener(
      MessageConverter format, Operations operations, MeterRegistry meters, Queue responseQueue) {
    var endpoint = new SimpleRabbitListenerEndpoint();
    endpoint.setId("responses");
    endpoint.setQueueNames(responseQueue.getName());
    endpoint.setMessageListener(new ResponseListener(format, operations, meters));
    return registrar -> registrar.registerEndpoint(endpoint);
  }

  @Bean
  PresenceListener presenceListener(KnownCinemas cinemas) {
    return new PresenceListener(cinemas);
  }

  @Bean
  PresenceQuestion cinemasHealthIndicator(RabbitTemplate template, BrokerSettings settings) {
    return new PresenceQuestion(template, settings.presence().listenFor(), new SteadyClock());
  }

  @Bean
  SchedulingConfigurer queueCheck(
      ConnectionFactory connections, KnownCinemas cinemas, BrokerSettings settings) {
    var check = new QueueCheck(new RabbitTemplate(connections), cinemas);
    return tasks -> tasks.addFixedDelayTask(check::check, settings.presence().checkInterval());
  }

  /**
   * Where a message goes that could not be processed. Done by the client because a queue's own
   * dead-letter arguments are not portable between AMQP servers.
   */
  @Bean
  MessageRecoverer deadLetters(RabbitTemplate template) {
    return new LoggedRecoverer(
        new RepublishMessageRecovererWithConfirms(
            template, Topology.DEAD_LETTER_EXCHANGE, Topology.RESPONSE, ConfirmType.CORRELATED));
  }

  @Bean
  ContainerCustomizer<DirectMessageListenerContainer> directContainers(
      BrokerSettings settings, QueueMeters queues) {
    return container -> {
      queues.observe(container);
      container.setPhase(OUTLIVES_THE_WEB_SERVER);
      CommonAcknowledgement.of(container, settings.acknowledgedTogether());
    };
  }

  @Bean
  ContainerCustomizer<SimpleMessageListenerContainer> simpleContainers(QueueMeters queues) {
    return container -> {
      queues.observe(container);
      container.setPhase(OUTLIVES_THE_WEB_SERVER);
    };
  }
}

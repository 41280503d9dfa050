package testbed.cinema.messaging;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.validation.constraints.Min;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder.Overflow;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.annotation.RabbitListenerConfigurer;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.validation.annotation.Validated;
import testbed.cinema.CinemaSettings;
import testbed.contracts.message.Topology;
import testbed.messaging.ConfirmedConnection;
import testbed.messaging.DeliveryLimit;
import testbed.messaging.ListenerAdvice;
import testbed.messaging.LoggedRecoverer;
import testbed.messaging.MessagingSettings;
import testbed.messaging.QueueLimits;
import testbed.messaging.QueueMeters;

/** The cinema's part of the AMQP topology, wired only when the cinema's transport is AMQP. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "cinema.transport", havingValue = "amqp")
@EnableScheduling
@EnableConfigurationProperties(MessagingEdge.Delivery.class)
@Import(ConfirmedConnection.class)
class MessagingEdge {

  /**
   * What becomes of requests and their responses when something fails.
   *
   * @param confirmResponses whether a reservation is acknowledged only when the AMQP server has
   *     taken the response over; each waits for that. Otherwise the response may be lost.
   * @param maxDeliveries how often a request is delivered at most; then it is set aside, because it
   *     may crash the cinema
   */
  @ConfigurationProperties("cinema")
  @Validated
  record Delivery(
      @DefaultValue("true") boolean confirmResponses,
      @DefaultValue("5") @Min(1) int maxDeliveries) {}

  @Bean
  Queue requestQueue(CinemaSettings settings, MessagingSettings limits) {
    return QueueLimits.durable(
        Topology.requestQueueOf(settings.cinemaName()),
        limits.queueLength(),
        Overflow.rejectPublish);
  }

  @Bean
  Declarables topology(CinemaSettings settings, Queue requestQueue) {
    var exchange = new TopicExchange(Topology.EXCHANGE);
    return new Declarables(
        exchange,
        BindingBuilder.bind(requestQueue).to(exchange).with(Topology.REQUEST_TO_ALL),
        BindingBuilder.bind(requestQueue)
            .to(exchange)
            .with(Topology.requestTo(settings.cinemaName())));
  }

  @Bean
  RabbitListenerConfigurer requests(RequestListener listener, Queue requestQueue) {
    var endpoint = new SimpleRabbitListenerEndpoint();
    endpoint.setId("requests");
    endpoint.setQueueNames(requestQueue.getName());
    endpoint.setMessageListener(listener);
    return registrar -> registrar.registerEndpoint(endpoint);
  }

  @Bean
  Responses responses(RabbitTemplate template, ConfirmedConnection confirmed, Delivery delivery) {
    return new Responses(template, delivery.confirmResponses() ? confirmed.template() : template);
  }

  @Bean
  MessageRecoverer deadLetters(
      ConfirmedConnection confirmed,
      Responses responses,
      CinemaSettings settings,
      MeterRegistry meters) {
    return new LoggedRecoverer(
        new DeadLetters(confirmed.template(), responses, settings.cinemaName(), meters));
  }

  @Bean
  DeliveryLimit deliveryLimit(
      Delivery delivery, MongoOperations database, MessageRecoverer deadLetters) {
    return new RequestDeliveryLimit(
        delivery.maxDeliveries(), new Deliveries(database), deadLetters);
  }

  @Bean
  static BeanPostProcessor limitedListeners(ObjectProvider<DeliveryLimit> limit) {
    return ListenerAdvice.of(limit);
  }

  @Bean
  ContainerCustomizer<DirectMessageListenerContainer> directContainers(QueueMeters queues) {
    return queues::observe;
  }

  @Bean
  ContainerCustomizer<SimpleMessageListenerContainer> simpleContainers(QueueMeters queues) {
    return queues::observe;
  }
}

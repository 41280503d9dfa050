package testbed.messaging;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.TopicExchange;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.amqp.autoconfigure.RabbitListenerRetrySettingsCustomizer;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.messaging.MessagingException;
import org.springframework.util.function.SingletonSupplier;
import testbed.contracts.message.Topology;
import testbed.support.deadline.DeadlineSettings;
import testbed.support.trace.TracingProfile;

/**
 * What every service that uses queues has in common: its connections, retries, dead letters, log
 * lines, meters, traces.
 */
@AutoConfiguration(
    beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
    afterName =
        "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@EnableConfigurationProperties({DeadlineSettings.class, MessagingSettings.class})
public class Messaging {

  private static final String THREADS = "amqp-";

  /** More than a busy server needs, and less than clients wait for an answer. */
  private static final Duration LONGEST_WRITE = Duration.ofSeconds(4);

  /** A server that blocks publishers must not block consumers as well. */
  @Bean
  RabbitTemplateCustomizer separatePublisherConnection() {
    return template -> template.setUsePublisherConnection(true);
  }

  /**
   * A direct container's listeners run on the client's threads: as many as processors, if nobody
   * gives it others. Each consumer has a channel, which delivers one message at a time, so the
   * number of consumers is the limit.
   *
   * <p>Platform threads in every preset: a consumer goes on for as long as the service, so that its
   * thread is used again. A virtual one for each delivery costs lists a tenth of their goodput. And
   * writes are limited: one that never ends would block all others.
   */
  @Bean
  static BeanPostProcessor threadsAndLimitedWrites(ObjectProvider<MessagingSettings> settings) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof CachingConnectionFactory connections) {
          connections.setExecutor(
              Executors.newCachedThreadPool(
                  Thread.ofPlatform().daemon().name(THREADS, 0).factory()));
          var server = connections.getRabbitConnectionFactory();
          // Sockets with TLS come from elsewhere.
          if (!server.isSSL()) {
            server.setSocketFactory(
                new WriteLimit(LONGEST_WRITE, settings.getObject().gatheredWrites()));
          }
        }
        return bean;
      }
    };
  }

  /**
   * A message that cannot be read is not retried. Outages are left to {@link PatientListener},
   * which waits longer.
   */
  @Bean
  RabbitListenerRetrySettingsCustomizer retriesThatMayHelp() {
    return retries -> {
      retries.setExceptionExcludes(
          List.of(
              MessageConversionException.class,
              MessagingException.class,
              IllegalArgumentException.class));
      retries.setExceptionPredicate(failure -> !FailedByOutage.is(failure));
    };
  }

  /** Where each service sets messages aside that it cannot process. */
  @Bean
  Declarables deadLetterTopology() {
    var exchange = new TopicExchange(Topology.DEAD_LETTER_EXCHANGE);
    var queue = new Queue(Topology.DEAD_LETTER_QUEUE);
    return new Declarables(exchange, queue, BindingBuilder.bind(queue).to(exchange).with("#"));
  }

  /** A message that fails by an outage is retried until the outage ends. */
  @Bean
  static BeanPostProcessor patientListeners(ConfigurableApplicationContext service) {
    return new ListenerAdvice(new PatientListener(service::isClosed, System::nanoTime));
  }

  /**
   * Continues traces through the queues. By an advice, because the containers' own observation
   * would replace their metrics.
   */
  @Bean
  @Profile(TracingProfile.NAME)
  static BeanPostProcessor tracedListeners(ObjectProvider<ObservationRegistry> observations) {
    return new ListenerAdvice(new TracedListener(SingletonSupplier.of(observations::getObject)));
  }

  /** Requests that expire before their turn are not handled. */
  @Bean
  @ConditionalOnBooleanProperty(DeadlineSettings.HANDED_ON)
  static BeanPostProcessor listenersWithDeadlines(ObjectProvider<DeadlineSettings> deadlines) {
    return new ListenerAdvice(
        new MessageDeadline(SingletonSupplier.of(deadlines::getObject), System::currentTimeMillis));
  }

  @Bean
  QueueLimits queueLimits(ObjectProvider<ConnectionFactory> connections) {
    return new QueueLimits(connections);
  }

  /** Every listener logs under the correlation id of the message that it handles. */
  @Bean
  static BeanPostProcessor correlatedListeners() {
    return new ListenerAdvice(new CorrelatedLog());
  }

  @Bean
  static BeanPostProcessor recoveringContainers(ObjectProvider<MessagingSettings> settings) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof AbstractRabbitListenerContainerFactory<?> containers) {
          containers.setRecoveryInterval(settings.getObject().recoveryInterval().toMillis());
        }
        return bean;
      }
    };
  }

  /** The last one, so that it is outside all other advices. */
  @Bean
  static BeanPostProcessor concurrentListeners(ObjectProvider<MessagingSettings> settings) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof DirectRabbitListenerContainerFactory containers
            && settings.getObject().handledAtOnce() > 0) {
          ConcurrentListener.around(containers, settings.getObject().handledAtOnce());
        }
        return bean;
      }
    };
  }

  @Bean
  @ConditionalOnBean(MeterRegistry.class)
  QueueMeters queueMeters(MeterRegistry meters) {
    return new QueueMeters(meters, System::currentTimeMillis);
  }

  @Bean
  @ConditionalOnBean(QueueMeters.class)
  RabbitTemplateCustomizer sentAt(QueueMeters queues) {
    return queues::stamp;
  }
}

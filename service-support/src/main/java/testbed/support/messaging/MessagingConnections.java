package testbed.support.messaging;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.amqp.autoconfigure.RabbitTemplateCustomizer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Has every service publish on a connection of its own, and consume with a thread per consumer. */
@AutoConfiguration(
    beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration")
@ConditionalOnClass(RabbitTemplate.class)
public class MessagingConnections {

  private static final String THREADS = "amqp-";

  /** A server that holds its publishers back must not hold back its consumers as well. */
  @Bean
  RabbitTemplateCustomizer separatePublisherConnection() {
    return template -> template.setUsePublisherConnection(true);
  }

  /**
   * A direct container's listeners run on the client's threads: as many as processors, if nobody
   * gives it others. Each consumer has a channel, which delivers one message at a time, so the
   * number of consumers is the limit.
   */
  @Bean
  static BeanPostProcessor threadPerConsumer(Environment environment) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof CachingConnectionFactory connections) {
          connections.setExecutor(threads(environment));
        }
        return bean;
      }
    };
  }

  /** Of the kind that the service's HTTP requests have: the variants are to differ in no more. */
  private static ExecutorService threads(Environment environment) {
    return Threading.VIRTUAL.isActive(environment)
        ? Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name(THREADS, 0).factory())
        : Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name(THREADS, 0).factory());
  }
}

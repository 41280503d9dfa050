package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import testbed.messaging.Messaging;

/** How a service (service-support) consumes; here, because it needs an AMQP server. */
class ConsumersTest extends WithAmqpServer {

  /** More than the client has threads of its own. */
  private static final int CONSUMERS = Runtime.getRuntime().availableProcessors() + 3;

  private static final long PATIENCE_SECONDS = 30;
  private static final String QUEUE = "requests";

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void workOnAsManyMessagesAtOnceAsThereAreConsumers(boolean virtualThreads) throws Exception {
    try (var service =
        started(
            Service.class,
            "--spring.rabbitmq.listener.type=direct",
            "--spring.rabbitmq.listener.direct.consumers-per-queue=" + CONSUMERS,
            // None of them takes a second message.
            "--spring.rabbitmq.listener.direct.prefetch=1",
            "--spring.threads.virtual.enabled=" + virtualThreads)) {
      for (int message = 0; message < CONSUMERS; message++) {
        service.getBean(RabbitTemplate.class).convertAndSend(QUEUE, "");
      }

      assertThat(service.getBean(Service.class).everyConsumerIsAtWork()).isTrue();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({Messaging.class, RabbitAutoConfiguration.class})
  static class Service {

    private final CountDownLatch free = new CountDownLatch(CONSUMERS);

    @Bean
    Queue queue() {
      return new Queue(QUEUE);
    }

    @RabbitListener(queues = QUEUE)
    void work(String message) throws InterruptedException {
      free.countDown();
      everyConsumerIsAtWork();
    }

    boolean everyConsumerIsAtWork() throws InterruptedException {
      return free.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }
}

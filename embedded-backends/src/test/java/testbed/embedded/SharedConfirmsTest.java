package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder.Overflow;
import org.springframework.amqp.rabbit.core.AmqpNackReceivedException;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import testbed.messaging.ConfirmedConnection;
import testbed.messaging.Messaging;
import testbed.messaging.QueueLimits;

/** Confirms that all come over one channel (service-support), with an AMQP server. */
@Timeout(120)
class SharedConfirmsTest extends WithAmqpServer {

  private static final String QUEUE = "shared";
  private static final int LENGTH = 200;
  private static final int SENDERS = 50;
  private static final int MESSAGES = 2 * LENGTH;

  private ConfigurableApplicationContext service;
  private RabbitTemplate template;

  @BeforeEach
  void start() {
    service = started(Service.class, "--testbed.messaging.confirms=shared");
    template = service.getBean(ConfirmedConnection.class).template();
    service.getBean(AmqpAdmin.class).purgeQueue(QUEUE);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void saySendersAtOnceWhoseMessagesTheQueueHasTaken() throws Exception {
    Callable<Boolean> sender = this::isTaken;
    List<Boolean> taken;
    try (var senders = Executors.newFixedThreadPool(SENDERS)) {
      taken =
          senders
              .invokeAll(IntStream.range(0, MESSAGES).mapToObj(message -> sender).toList())
              .stream()
              .map(future -> future.resultNow())
              .toList();
    }

    assertThat(taken).filteredOn(confirmed -> confirmed).hasSize(LENGTH);
    assertThat(service.getBean(AmqpAdmin.class).getQueueInfo(QUEUE).getMessageCount())
        .isEqualTo(LENGTH);
  }

  @Test
  void failForAMessageThatNoQueueTakes() {
    assertThatThrownBy(() -> template.convertAndSend("", "nobody", "message"))
        .isInstanceOf(AmqpNackReceivedException.class);
  }

  private boolean isTaken() {
    try {
      template.convertAndSend("", QUEUE, "message");
      return true;
    } catch (AmqpNackReceivedException full) {
      return false;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({Messaging.class, RabbitAutoConfiguration.class})
  @Import(ConfirmedConnection.class)
  static class Service {

    @Bean
    Queue shared() {
      return QueueLimits.durable(QUEUE, LENGTH, Overflow.rejectPublish);
    }
  }
}

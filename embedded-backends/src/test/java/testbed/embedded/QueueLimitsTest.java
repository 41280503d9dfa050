package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** How a service (service-support) limits a queue; here, because it needs an AMQP server. */
@Timeout(120)
class QueueLimitsTest extends WithAmqpServer {

  private static final int LENGTH = 3;
  private static final String REFUSING = "refusing";
  private static final String DROPPING = "dropping";
  private static final String UNLIMITED = "unlimited";

  private ConfigurableApplicationContext service;
  private RabbitTemplate template;

  @BeforeEach
  void start() {
    service = started(Service.class);
    template = service.getBean(ConfirmedConnection.class).template();
    for (var queue : new String[] {REFUSING, DROPPING, UNLIMITED}) {
      service.getBean(AmqpAdmin.class).purgeQueue(queue);
    }
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void refusesWhatAFullQueueCannotTake() {
    send(REFUSING, LENGTH);

    assertThatThrownBy(() -> send(REFUSING, 1)).isInstanceOf(AmqpNackReceivedException.class);
    assertThat(waitingIn(REFUSING)).isEqualTo(LENGTH);
  }

  @Test
  void takesMoreWhenThereIsRoomAgain() {
    send(REFUSING, LENGTH);
    assertThatThrownBy(() -> send(REFUSING, 1)).isInstanceOf(AmqpNackReceivedException.class);

    template.receive(REFUSING);

    assertThatCode(() -> send(REFUSING, 1)).doesNotThrowAnyException();
  }

  @Test
  void dropsTheOldestIfItIsMeantTo() {
    send(DROPPING, LENGTH + 1);

    assertThat(waitingIn(DROPPING)).isEqualTo(LENGTH);
    assertThat(template.receiveAndConvert(DROPPING)).isEqualTo("message 1");
  }

  @Test
  void takesEverythingWithoutALimit() {
    send(UNLIMITED, 10 * LENGTH);

    assertThat(waitingIn(UNLIMITED)).isEqualTo(10 * LENGTH);
  }

  private void send(String queue, int count) {
    for (int message = 0; message < count; message++) {
      template.convertAndSend("", queue, "message " + message);
    }
  }

  private long waitingIn(String queue) {
    return service.getBean(AmqpAdmin.class).getQueueInfo(queue).getMessageCount();
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({Messaging.class, RabbitAutoConfiguration.class})
  @Import(ConfirmedConnection.class)
  static class Service {

    @Bean
    Queue refusing() {
      return QueueLimits.durable(REFUSING, LENGTH, Overflow.rejectPublish);
    }

    @Bean
    Queue dropping() {
      return QueueLimits.durable(DROPPING, LENGTH, Overflow.dropHead);
    }

    @Bean
    Queue unlimited() {
      return QueueLimits.durable(UNLIMITED, 0, Overflow.rejectPublish);
    }
  }
}

package testbed.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.AmqpException;
import org.springframework.amqp.core.AmqpAdmin;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.DirectMessageListenerContainer;
import org.springframework.amqp.rabbit.retry.MessageRecoverer;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataAccessResourceFailureException;
import testbed.messaging.CommonAcknowledgement;
import testbed.messaging.ConfirmedConnection;
import testbed.messaging.LoggedRecoverer;
import testbed.messaging.Messaging;

/** How a service (service-support) delivers; here, because it needs an AMQP server. */
@Timeout(120)
class DeliveryTest extends WithAmqpServer {

  private static final int MESSAGES = 40;
  private static final int PATIENCE_SECONDS = 60;
  private static final String QUEUE = "orders";

  @BeforeEach
  void purge() {
    try (var service = start("direct", false)) {
      service.getBean(AmqpAdmin.class).purgeQueue(QUEUE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"direct", "simple"})
  void losesAndSetsAsideNothingInAnOutage(String containers) {
    try (var service = start(containers, true)) {
      var orders = service.getBean(Service.class);
      orders.databaseIsAway = true;
      send(service);
      // More often than a message is tried that cannot succeed.
      await().atMost(PATIENCE_SECONDS, SECONDS).until(() -> orders.mostAttempts() > 3);
      assertThat(orders.handled).isEmpty();

      orders.databaseIsAway = false;

      await().atMost(PATIENCE_SECONDS, SECONDS).until(() -> orders.handled.size() == MESSAGES);
      assertThat(orders.setAside).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"direct", "simple"})
  void keepsTheMessagesOfAServiceThatStopsInAnOutage(String containers) {
    try (var service = start(containers, true)) {
      var orders = service.getBean(Service.class);
      orders.databaseIsAway = true;
      send(service);
      await().atMost(PATIENCE_SECONDS, SECONDS).until(() -> orders.mostAttempts() > 1);
    }

    try (var service = start(containers, true)) {
      var orders = service.getBean(Service.class);
      await().atMost(PATIENCE_SECONDS, SECONDS).until(() -> orders.handled.size() == MESSAGES);
      assertThat(orders.setAside).isEmpty();
    }
  }

  @Test
  void confirmsWhatAQueueHasTaken() {
    try (var service = start("direct", false)) {
      var confirmed = service.getBean(ConfirmedConnection.class).template();

      assertThatCode(() -> confirmed.convertAndSend("", QUEUE, "order")).doesNotThrowAnyException();

      assertThat(service.getBean(AmqpAdmin.class).getQueueInfo(QUEUE).getMessageCount()).isOne();
    }
  }

  @Test
  void failsToSendWhatNoQueueTakes() {
    try (var service = start("direct", false)) {
      var confirmed = service.getBean(ConfirmedConnection.class).template();

      assertThatThrownBy(() -> confirmed.convertAndSend("", "nowhere", "order"))
          .isInstanceOf(AmqpException.class);
    }
  }

  private static void send(ConfigurableApplicationContext service) {
    var template = service.getBean(RabbitTemplate.class);
    for (int message = 0; message < MESSAGES; message++) {
      template.convertAndSend(QUEUE, "order " + message);
    }
  }

  private static ConfigurableApplicationContext start(String containers, boolean listens) {
    return started(
        Service.class,
        "--spring.rabbitmq.listener.type=" + containers,
        "--spring.rabbitmq.listener.direct.auto-startup=" + listens,
        "--spring.rabbitmq.listener.direct.consumers-per-queue=3",
        "--spring.rabbitmq.listener.direct.prefetch=200",
        "--spring.rabbitmq.listener.direct.retry.enabled=true",
        "--spring.rabbitmq.listener.direct.retry.initial-interval=1ms",
        "--spring.rabbitmq.listener.simple.auto-startup=" + listens,
        "--spring.rabbitmq.listener.simple.retry.enabled=true",
        "--spring.rabbitmq.listener.simple.retry.initial-interval=1ms");
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({Messaging.class, RabbitAutoConfiguration.class})
  @Import(ConfirmedConnection.class)
  static class Service {

    private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Set<Object> setAside = ConcurrentHashMap.newKeySet();
    private volatile boolean databaseIsAway;

    @Bean
    Queue queue() {
      return new Queue(QUEUE);
    }

    @Bean
    ContainerCustomizer<DirectMessageListenerContainer> acknowledgesTogether() {
      return container -> CommonAcknowledgement.of(container, 50);
    }

    @Bean
    MessageRecoverer deadLetters() {
      return new LoggedRecoverer((message, cause) -> setAside.add(message));
    }

    @RabbitListener(queues = QUEUE)
    void take(String order) {
      attempts.computeIfAbsent(order, first -> new AtomicInteger()).incrementAndGet();
      if (databaseIsAway) {
        throw new DataAccessResourceFailureException("refused");
      }
      handled.add(order);
    }

    int mostAttempts() {
      return attempts.values().stream().mapToInt(AtomicInteger::get).max().orElse(0);
    }
  }
}

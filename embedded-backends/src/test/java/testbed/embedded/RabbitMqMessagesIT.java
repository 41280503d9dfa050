package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.rabbitmq.RabbitMQContainer;
import testbed.messaging.testing.BackendContainers;

/** The same messages as {@link BrokerJMessagesTest} sends to the embedded server. */
@Timeout(600)
@Testcontainers(disabledWithoutDocker = true)
class RabbitMqMessagesIT {

  @Container static final RabbitMQContainer RABBITMQ = BackendContainers.rabbitMq();

  @ParameterizedTest
  @EnumSource
  void areTreatedAsTheDecisionSays(MessageCase message) throws Exception {
    var server = new ConnectionFactory();
    server.setHost(RABBITMQ.getHost());
    server.setPort(RABBITMQ.getAmqpPort());
    try (var connection = server.newConnection()) {
      assertThat(message.outcome(connection.createChannel(), MessageCase.Server.RABBITMQ))
          .isEqualTo(message.onRabbitMq);
    }
  }
}

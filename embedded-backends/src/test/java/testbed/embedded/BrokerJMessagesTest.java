package testbed.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same messages as {@link RabbitMqMessagesIT} sends to RabbitMQ. */
@Timeout(120)
class BrokerJMessagesTest extends WithAmqpServer {

  private static final Path DECISION = Path.of("..", "docs", "adr", "0007-embedded-backends.md");

  @ParameterizedTest
  @EnumSource
  void areTreatedAsTheDecisionSays(MessageCase message) throws Exception {
    var server = new ConnectionFactory();
    server.setHost("127.0.0.1");
    server.setPort(backends.amqpPort().orElseThrow());
    try (var connection = server.newConnection()) {
      assertThat(message.outcome(connection.createChannel(), MessageCase.Server.BROKER_J))
          .isEqualTo(message.onBrokerJ);
    }

    var row = "| %s | %s | %s |".formatted(message.sent, message.onRabbitMq, message.onBrokerJ);
    assertThat(Files.readString(DECISION).contains(row))
        .as("the table of differences has %s", row)
        .isEqualTo(!message.onRabbitMq.equals(message.onBrokerJ));
  }
}

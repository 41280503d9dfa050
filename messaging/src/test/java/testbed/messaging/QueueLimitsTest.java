package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder.Overflow;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.DeclarationExceptionEvent;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import testbed.support.preset.InvalidSetting;

/** Without a server; with one: {@code QueueLimitsTest} of the embedded backends. */
@ExtendWith(OutputCaptureExtension.class)
class QueueLimitsTest {

  private static final int QUEUE_CLASS = 50;
  private static final int DECLARE = 10;
  private static final Queue REQUESTS =
      QueueLimits.durable("requests", 100, Overflow.rejectPublish);

  private final Channel channel = mock(Channel.class);
  private final com.rabbitmq.client.Connection server = mock(com.rabbitmq.client.Connection.class);
  private QueueLimits limits;

  @BeforeEach
  void connect() {
    var connection = mock(Connection.class);
    when(connection.createChannel(anyBoolean())).thenReturn(channel);
    when(channel.getConnection()).thenReturn(server);
    var connections = mock(ConnectionFactory.class);
    when(connections.createConnection()).thenReturn(connection);
    var beans = new StaticListableBeanFactory(Map.of("connections", connections));
    limits = new QueueLimits(beans.getBeanProvider(ConnectionFactory.class));
  }

  @Test
  void areDeclaredWithRabbitMqsArguments() {
    when(server.getServerProperties()).thenReturn(Map.of("product", "RabbitMQ"));

    assertThat(limits.apply(REQUESTS)).isSameAs(REQUESTS);
    assertThat(REQUESTS.getArguments())
        .containsOnly(Map.entry("x-max-length", 100L), Map.entry("x-overflow", "reject-publish"));
  }

  @Test
  void areDeclaredWithQpidsArgumentsThere() {
    when(server.getServerProperties()).thenReturn(Map.of("qpid.build", "1"));

    assertThat(((Queue) limits.apply(REQUESTS)).getArguments())
        .containsOnly(Map.entry("qpid.max_count", 100L), Map.entry("qpid.policy_type", "REJECT"));
  }

  @Test
  void doNotTouchOtherQueues() {
    var other = new Queue("other");

    assertThat(limits.apply(other)).isSameAs(other);
    verify(channel, never()).getConnection();
  }

  @Test
  void replaceAnEmptyQueueThatHasOthers() throws IOException {
    limits.failed(refused(AMQP.PRECONDITION_FAILED));

    verify(channel).queueDelete("requests", true, true);
  }

  @Test
  void sayWhatToDoWithAQueueInUseThatHasOthers(CapturedOutput log) throws IOException {
    when(channel.queueDelete("requests", true, true)).thenThrow(new IOException("in use"));

    limits.failed(refused(AMQP.PRECONDITION_FAILED));

    assertThat(log)
        .contains("rabbitmqctl delete_queue requests")
        .contains("TESTBED_MESSAGING_QUEUE_LENGTH");
  }

  @Test
  void deleteNothingForAnotherReason() throws IOException {
    limits.failed(refused(AMQP.ACCESS_REFUSED));

    verify(channel, never()).queueDelete(any(), anyBoolean(), anyBoolean());
  }

  @Test
  void areNotNegative() {
    assertThatThrownBy(() -> new MessagingSettings(-1, Confirms.EACH, false, 0, Duration.ZERO))
        .isInstanceOf(InvalidSetting.class)
        .hasMessage("TESTBED_MESSAGING_QUEUE_LENGTH is '-1'");
  }

  private DeclarationExceptionEvent refused(int code) {
    var close =
        new AMQP.Channel.Close.Builder()
            .replyCode(code)
            .replyText("refused")
            .classId(QUEUE_CLASS)
            .methodId(DECLARE)
            .build();
    return new DeclarationExceptionEvent(
        this, REQUESTS, new IOException(new ShutdownSignalException(false, false, close, channel)));
  }
}

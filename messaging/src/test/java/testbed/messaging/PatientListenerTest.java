package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.rabbitmq.client.Channel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageDeliveryMode;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.dao.DataAccessResourceFailureException;
import testbed.messaging.testing.ContainerDelivery;

class PatientListenerTest {

  private static final RuntimeException AWAY =
      new FailedByOutage(new DataAccessResourceFailureException("refused"));

  private final AtomicBoolean stopping = new AtomicBoolean();
  private final AtomicLong nanos = new AtomicLong();
  private final Channel channel = mock(Channel.class);
  private final Message message = new Message(new byte[0], new MessageProperties());
  private final Queue<Runnable> attempts = new ArrayDeque<>();

  @BeforeEach
  void opened() {
    when(channel.isOpen()).thenReturn(true);
  }

  @Test
  void triesAgainUntilTheOutageIsOver() {
    attempts.addAll(List.of(this::fail, this::fail, this::fail, () -> {}));

    receive();

    assertThat(attempts).isEmpty();
  }

  @Test
  void triesAgainWhatCannotEvenBeSetAside() {
    attempts.add(
        () -> {
          throw new IllegalStateException("nowhere to put it");
        });
    attempts.add(() -> {});

    receive();

    assertThat(attempts).isEmpty();
  }

  @Test
  void givesTheMessageBackWhenTheServiceStops() {
    attempts.add(this::fail);
    attempts.add(
        () -> {
          stopping.set(true);
          fail();
        });

    assertThatThrownBy(this::receive).isSameAs(AWAY);
    assertThat(attempts).isEmpty();
  }

  @Test
  void givesTheMessageBackWhenItsChannelIsClosed() {
    attempts.add(
        () -> {
          when(channel.isOpen()).thenReturn(false);
          fail();
        });

    assertThatThrownBy(this::receive).isSameAs(AWAY);
    assertThat(attempts).isEmpty();
  }

  @Test
  void dropsWhatNobodyWaitsForAnyMore() {
    message.getMessageProperties().setReceivedDeliveryMode(MessageDeliveryMode.NON_PERSISTENT);
    attempts.add(this::fail);
    attempts.add(
        () -> {
          nanos.addAndGet(PatientListener.TRANSIENT_NANOS);
          fail();
        });

    receive();

    assertThat(attempts).isEmpty();
  }

  @Test
  void keepsWhatLasts() {
    message.getMessageProperties().setReceivedDeliveryMode(MessageDeliveryMode.PERSISTENT);
    attempts.add(this::fail);
    attempts.add(
        () -> {
          nanos.addAndGet(PatientListener.TRANSIENT_NANOS);
          fail();
        });
    attempts.add(() -> {});

    receive();

    assertThat(attempts).isEmpty();
  }

  private void fail() {
    throw AWAY;
  }

  private void receive() {
    ContainerDelivery.deliver(
        message,
        channel,
        received -> attempts.remove().run(),
        new PatientListener(stopping::get, nanos::get));
  }
}

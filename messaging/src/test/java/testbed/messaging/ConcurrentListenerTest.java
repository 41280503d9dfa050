package testbed.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentCaptor;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import testbed.messaging.testing.ContainerDelivery;

@Timeout(60)
class ConcurrentListenerTest {

  private static final long PATIENCE_MILLIS = 30_000;

  private final ConcurrentListener listener = new ConcurrentListener();
  private final Channel channel = mock(Channel.class);
  private final Set<Long> begun = ConcurrentHashMap.newKeySet();
  private final CountDownLatch first = new CountDownLatch(1);
  private final CountDownLatch others = new CountDownLatch(1);

  @AfterEach
  void end() {
    first.countDown();
    others.countDown();
  }

  @Test
  void handlesMessagesWhileOthersWait() {
    for (long tag = 1; tag <= 50; tag++) {
      deliver(tag);
    }

    await().until(() -> begun.size() == 50);
  }

  @Test
  void acknowledgesTogetherWhatHasNoOtherBefore() throws Exception {
    deliver(1);
    deliver(2);
    deliver(3);
    await().until(() -> begun.size() == 3);

    others.countDown();
    // Not together with the first, which is being handled.
    verify(channel, timeout(PATIENCE_MILLIS)).basicAck(2, false);
    verify(channel, timeout(PATIENCE_MILLIS)).basicAck(3, false);
    verify(channel, never()).basicAck(1, false);
    deliver(4);
    verify(channel, timeout(PATIENCE_MILLIS)).basicAck(4, false);

    first.countDown();
    verify(channel, timeout(PATIENCE_MILLIS)).basicAck(1, false);
  }

  @Test
  void acknowledgesEachMessageOnce() throws Exception {
    var messages = 500;
    for (long tag = 1; tag <= messages; tag++) {
      deliver(tag);
    }
    first.countDown();
    others.countDown();

    await()
        .untilAsserted(
            () -> {
              var tags = ArgumentCaptor.forClass(Long.class);
              var several = ArgumentCaptor.forClass(Boolean.class);
              verify(channel, atLeastOnce()).basicAck(tags.capture(), several.capture());
              assertThat(acknowledged(tags.getAllValues(), several.getAllValues()))
                  .isEqualTo(messages);
            });
  }

  /** How many are, by the rules of the protocol; fails if one is twice, which ends a channel. */
  private static int acknowledged(List<Long> tags, List<Boolean> several) {
    var open = new TreeSet<Long>();
    var all = tags.stream().mapToLong(Long::longValue).max().orElse(0);
    for (long tag = 1; tag <= all; tag++) {
      open.add(tag);
    }
    for (int i = 0; i < tags.size(); i++) {
      assertThat(open.remove(tags.get(i))).isTrue();
      if (several.get(i)) {
        open.headSet(tags.get(i)).clear();
      }
    }
    return (int) all - open.size();
  }

  @Test
  void returnsToTheQueueWhatFails() throws Exception {
    deliver(7, new IllegalStateException("for this test"));

    verify(channel, timeout(PATIENCE_MILLIS)).basicNack(7, false, true);
    verify(channel, never()).basicAck(anyLong(), anyBoolean());
  }

  @Test
  void goesOnThoughItsChannelIsClosed() throws Exception {
    doThrow(AlreadyClosedException.class).when(channel).basicAck(2, false);
    others.countDown();
    deliver(2);
    verify(channel, timeout(PATIENCE_MILLIS)).basicAck(2, false);

    deliver(3);

    verify(channel, timeout(PATIENCE_MILLIS)).basicAck(3, false);
  }

  @Test
  void makesContainersHandOverTheirMessages() {
    var containers = new DirectRabbitListenerContainerFactory();

    ConcurrentListener.around(containers, 200);

    assertThat(containers.getAdviceChain()).singleElement().isInstanceOf(ConcurrentListener.class);
    assertThat(containers).extracting("acknowledgeMode").isEqualTo(AcknowledgeMode.MANUAL);
    assertThat(containers).extracting("prefetchCount").isEqualTo(200);
  }

  private void deliver(long tag) {
    deliver(tag, null);
  }

  private void deliver(long tag, RuntimeException failure) {
    var properties = new MessageProperties();
    properties.setDeliveryTag(tag);
    ContainerDelivery.deliver(
        new Message(new byte[0], properties), channel, message -> handle(tag, failure), listener);
  }

  private void handle(long tag, RuntimeException failure) {
    begun.add(tag);
    if (failure != null) {
      throw failure;
    }
    try {
      (tag == 1 ? first : others).await();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }
}

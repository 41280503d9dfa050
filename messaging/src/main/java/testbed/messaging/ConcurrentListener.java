package testbed.messaging;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.config.DirectRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Around a listener and all other advices: one consumer handles many messages at a time, each on a
 * virtual thread, and acknowledges together those that are done. A message that waits or fails
 * delays no other, as if each had a consumer of its own. One that fails returns to its queue.
 */
final class ConcurrentListener implements MethodInterceptor {

  private static final Logger log = LoggerFactory.getLogger(ConcurrentListener.class);

  private final Map<Channel, Deliveries> deliveries = new ConcurrentHashMap<>();

  /**
   * Puts this around the listeners of a factory's containers, outside all other advices.
   *
   * @param most messages at a time
   */
  static void around(DirectRabbitListenerContainerFactory containers, int most) {
    new ListenerAdvice(new ConcurrentListener()).postProcessAfterInitialization(containers, "");
    containers.setConsumersPerQueue(1);
    containers.setPrefetchCount(most);
    containers.setAcknowledgeMode(AcknowledgeMode.MANUAL);
  }

  /**
   * @param call a listener container's: of a channel and a message
   */
  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    if (!(call.getArguments()[0] instanceof Channel channel)
        || !(call.getArguments()[1] instanceof Message message)) {
      return call.proceed();
    }
    // Its proxy may open another channel, on which the delivery would be unknown.
    var open = channel instanceof ChannelProxy proxy ? proxy.getTargetChannel() : channel;
    var tag = message.getMessageProperties().getDeliveryTag();
    var ofChannel = of(open);
    var handling = ((ProxyMethodInvocation) call).invocableClone();
    ofChannel.begin(tag);
    Thread.startVirtualThread(() -> handle(handling, ofChannel, tag));
    return null;
  }

  /** For the one thread that delivers the messages of a channel. */
  private Deliveries of(Channel channel) {
    var existing = deliveries.get(channel);
    if (existing != null) {
      return existing;
    }
    var first = new Deliveries(channel);
    deliveries.put(channel, first);
    // Called at once if the channel has ended meanwhile.
    channel.addShutdownListener(end -> deliveries.remove(channel));
    return first;
  }

  private static void handle(MethodInvocation handling, Deliveries deliveries, long tag) {
    try {
      handling.proceed();
    } catch (Throwable failure) {
      log.debug("A message returns to its queue", failure);
      deliveries.giveBack(tag);
      return;
    }
    deliveries.done(tag);
  }

  /** Those of a channel that are not acknowledged. */
  private static final class Deliveries {

    private final Channel channel;

    /** Guarded by this, as all below. */
    private final TreeSet<Long> begun = new TreeSet<>();

    private TreeSet<Long> done = new TreeSet<>();
    private boolean isAcknowledging;

    Deliveries(Channel channel) {
      this.channel = channel;
    }

    synchronized void begin(long tag) {
      begun.add(tag);
    }

    void giveBack(long tag) {
      send(() -> channel.basicNack(tag, false, true));
      // Not before: a common acknowledgement would include it.
      synchronized (this) {
        begun.remove(tag);
      }
    }

    void done(long tag) {
      synchronized (this) {
        begun.remove(tag);
        done.add(tag);
        if (isAcknowledging) {
          return;
        }
        isAcknowledging = true;
      }
      // First those that can end now.
      Thread.yield();
      acknowledge();
    }

    private void acknowledge() {
      while (true) {
        TreeSet<Long> taken;
        long firstBegun;
        synchronized (this) {
          if (done.isEmpty()) {
            isAcknowledging = false;
            return;
          }
          taken = done;
          done = new TreeSet<>();
          firstBegun = begun.isEmpty() ? Long.MAX_VALUE : begun.first();
        }
        var before = taken.headSet(firstBegun);
        if (!before.isEmpty()) {
          var last = before.last();
          send(() -> channel.basicAck(last, before.size() > 1));
        }
        for (var tag : taken.tailSet(firstBegun)) {
          send(() -> channel.basicAck(tag, false));
        }
      }
    }

    private static void send(Sending sending) {
      try {
        sending.run();
      } catch (IOException | ShutdownSignalException closed) {
        log.debug("A message will be delivered again: {}", closed.getMessage());
      }
    }
  }

  @FunctionalInterface
  private interface Sending {

    void run() throws IOException;
  }
}

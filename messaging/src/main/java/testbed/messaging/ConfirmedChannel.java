package testbed.messaging;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.CorrelationData.Confirm;

/**
 * A channel for many messages at once, each of which learns its fate: confirmed, refused, returned,
 * or unknown because the channel has ended.
 */
final class ConfirmedChannel {

  /** The header by which a returned message is found. */
  private static final String NUMBER = "publish-number";

  private final Channel channel;

  /** By number on the channel. Guarded by this. */
  private final SortedMap<Long, CorrelationData> waiting = new TreeMap<>();

  private ConfirmedChannel(Channel channel) {
    this.channel = channel;
  }

  /** Switches a new channel to publisher confirms. */
  static ConfirmedChannel over(Channel channel) throws IOException {
    var confirmed = new ConfirmedChannel(channel);
    channel.addReturnListener(confirmed::returned);
    channel.addConfirmListener(
        (number, andEarlier) -> confirmed.settle(number, andEarlier, true),
        (number, andEarlier) -> confirmed.settle(number, andEarlier, false));
    channel.addShutdownListener(end -> confirmed.end(String.valueOf(end.getMessage())));
    try {
      channel.confirmSelect();
    } catch (IOException | RuntimeException failed) {
      channel.abort();
      throw failed;
    }
    return confirmed;
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /**
   * Sends a message. For one thread at a time: messages are numbered in the order of sending.
   *
   * @param sending sends it over the channel
   */
  void send(Message message, CorrelationData confirmation, Sending sending) {
    long number = channel.getNextPublishSeqNo();
    message.getMessageProperties().setHeader(NUMBER, number);
    // Before it leaves, because the confirmation may be faster.
    synchronized (this) {
      waiting.put(number, confirmation);
    }
    try {
      sending.over(channel);
    } catch (RuntimeException notSent) {
      removed(number, false);
      throw notSent;
    }
  }

  /** Sends a message over a channel. */
  @FunctionalInterface
  interface Sending {

    void over(Channel channel);
  }

  private void settle(long number, boolean andEarlier, boolean taken) {
    complete(removed(number, andEarlier), new Confirm(taken, null));
  }

  private synchronized Collection<CorrelationData> removed(long number, boolean andEarlier) {
    if (!andEarlier) {
      var confirmation = waiting.remove(number);
      return confirmation == null ? List.of() : List.of(confirmation);
    }
    var earlier = waiting.headMap(number + 1);
    var all = List.copyOf(earlier.values());
    earlier.clear();
    return all;
  }

  /** Comes before the confirmation of the same message. */
  private void returned(Return message) {
    var confirmation = waitingFor(message);
    if (confirmation != null) {
      confirmation.setReturned(
          new ReturnedMessage(
              new Message(message.getBody(), new MessageProperties()),
              message.getReplyCode(),
              message.getReplyText(),
              message.getExchange(),
              message.getRoutingKey()));
    }
  }

  private synchronized @Nullable CorrelationData waitingFor(Return message) {
    var headers = message.getProperties().getHeaders();
    return headers != null && headers.get(NUMBER) instanceof Long number
        ? waiting.get(number)
        : null;
  }

  private void end(String reason) {
    complete(removed(Long.MAX_VALUE - 1, true), new Confirm(false, reason));
  }

  private static void complete(Collection<CorrelationData> confirmed, Confirm confirm) {
    confirmed.forEach(confirmation -> confirmation.getFuture().complete(confirm));
  }
}

#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: acknowledging a message twice, or one that was never delivered, closes the channel with 406
# PRECONDITION_FAILED, as RabbitMQ does and clients are written for.
# What happens: nothing. The channel stays open, and a nack with requeue after an ack is ignored as well.
# Why it matters: a listener that acknowledges twice passes every test here, and on RabbitMQ loses its channel
# at each message: all that was prefetched comes again, which looks like a slow broker.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > AcknowledgeTwice.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class AcknowledgeTwice extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("q", false, false, false, null);
    for (int number = 1; number <= 2; number++) {
      channel.basicPublish("", "q", null, String.valueOf(number).getBytes());
    }
    long tag = channel.basicGet("q", false).getEnvelope().getDeliveryTag();
    channel.basicAck(tag, false);
    channel.basicAck(tag, false);
    channel.basicNack(tag, false, true);
    channel.basicAck(4711, false);
    // A call with an answer: what was refused before it would have closed the channel.
    long left = channel.messageCount("q");
    System.out.printf(
        "acknowledged one message twice, put it back, acknowledged number 4711: channel open %s, %d message left%n",
        channel.isOpen(), left);
    expect(channel.isOpen(), "the channel stays open");
    expect(left == 1, "the second ack and the nack have no effect");
    System.exit(0);
  }
}
END
run_java AcknowledgeTwice BrokerJ

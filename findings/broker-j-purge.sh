#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: purging a queue drops what waits in it and counts that, as RabbitMQ does. A message that a consumer holds
# without having acknowledged it stays, and comes back when it is put back.
# What happens: the message that is held is purged and counted as well: 5 of 5, and after nack with requeue the
# queue is empty. The consumer's channel tells nothing.
# Why it matters: a purge between two measurements, or of a queue of dead letters, takes work that a service has
# in its hands: if that service fails then, the message is lost in spite of its acknowledgement mode.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > Purge.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class Purge extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("q", false, false, false, null);
    for (int number = 1; number <= 5; number++) {
      channel.basicPublish("", "q", null, String.valueOf(number).getBytes());
    }
    var held = channel.basicGet("q", false);
    int purged = channel.queuePurge("q").getMessageCount();
    channel.basicNack(held.getEnvelope().getDeliveryTag(), false, true);
    long left = channel.messageCount("q");
    var again = drain(channel, "q");
    System.out.printf(
        "5 sent, 1 of them held by a consumer: %d purged; after it was put back: %d left, %s%n",
        purged, left, again);
    expect(purged == 5, "a purge counts what a consumer holds");
    expect(left == 0 && again.isEmpty(), "what was held is gone after it was put back");
    System.exit(0);
  }
}
END
run_java Purge BrokerJ

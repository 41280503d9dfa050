#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a message that is rejected with requeue = false is dropped, or dead-lettered where that is set up.
# What happens: it comes again, ten times of ten, as if requeue were true. nack is the same.
# Why it matters: a message that no listener can read keeps its consumer busy for ever. On RabbitMQ the same
# service drops it, so that a rate measured here says nothing of it.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > Rejected.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class Rejected extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    for (var way : List.of("reject", "nack")) {
      channel.queueDeclare(way, false, false, false, null);
      channel.basicPublish("", way, null, "unreadable".getBytes());
      int deliveries = 0;
      for (GetResponse next; deliveries < 10 && (next = channel.basicGet(way, false)) != null; deliveries++) {
        long tag = next.getEnvelope().getDeliveryTag();
        if (way.equals("reject")) {
          channel.basicReject(tag, false);
        } else {
          channel.basicNack(tag, false, false);
        }
      }
      long left = channel.messageCount(way);
      System.out.printf(
          "%s without requeue, up to ten times: delivered %d times, %d message left%n", way, deliveries, left);
      expect(deliveries == 10 && left == 1, "what is rejected comes again");
    }
    System.exit(0);
  }
}
END
run_java Rejected BrokerJ

#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a queue with x-qpid-priorities 3 has three bands of about equal width (0 to 3, 4 to 6, 7 to 9), and a
# message without a priority is in the middle or has AMQP's default.
# What happens: the bands are 0 to 3, 4 alone, and 5 to 9; a message without a priority is in the lowest.
# Why it matters: of traffic with priorities 5 to 9 nothing overtakes anything: "urgent" (9) waits behind 5, and
# an experiment with priorities measures a plain queue.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > Priorities.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class Priorities extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    var levels = Map.<String, Object>of("x-qpid-priorities", 3);
    channel.queueDeclare("levels", false, false, false, levels);
    for (int priority = 0; priority <= 9; priority++) {
      var properties = new AMQP.BasicProperties.Builder().priority(priority).build();
      channel.basicPublish("", "levels", properties, String.valueOf(priority).getBytes());
      if (priority == 0) {
        channel.basicPublish("", "levels", null, "none".getBytes());
      }
    }
    var order = drain(channel, "levels");
    System.out.println("sent 0, without, 1, 2 ... 9; delivered " + order);
    expect(
        order.equals(List.of("5", "6", "7", "8", "9", "4", "0", "none", "1", "2", "3")),
        "three levels are 5 to 9, 4, and 0 to 3 with those that have none");
    System.exit(0);
  }
}
END
run_java Priorities BrokerJ

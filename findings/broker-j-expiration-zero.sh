#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a message with expiration "0" expires at once unless a consumer waits for it, as on RabbitMQ: it is
# how a request is sent that nobody shall answer late. "1" is about the same.
# What happens: "0" is no expiration: the message stays. "1" is gone after a millisecond. An expired message is counted
# in the queue until somebody fetches.
# Why it matters: a deadline that has just passed, computed as max(0, what is left), makes the one request that
# never expires. A service that was away answers all of them.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > Expiration.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class Expiration extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("q", false, false, false, null);
    for (var milliseconds : List.of("1", "0")) {
      var properties = new AMQP.BasicProperties.Builder().expiration(milliseconds).build();
      channel.basicPublish("", "q", properties, milliseconds.getBytes());
    }
    Thread.sleep(1000);
    long counted = channel.messageCount("q");
    var delivered = drain(channel, "q");
    System.out.printf("sent with expiration 1 and 0 ms; after 1 s %d counted, delivered %s%n", counted, delivered);
    expect(delivered.equals(List.of("0")), "0 does not expire, 1 does");
    expect(counted == 2, "an expired message is counted");
    System.exit(0);
  }
}
END
run_java Expiration BrokerJ

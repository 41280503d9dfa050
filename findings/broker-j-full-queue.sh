#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: a queue that is full (qpid.policy_type = reject, qpid.max_count = 2) refuses what is too much: the publisher
# has a nack. Of a fan-out to it and to an empty queue the empty one gets the message.
# What happens: the message is dropped and confirmed with an ack. In the fan-out it reaches neither queue, and is
# confirmed as well. With the mandatory flag the publisher gets a nack.
# Why it matters: confirms are there to know what was stored. One full queue of many, say of a service
# that is down, silently stops the events of all others.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > Full.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;
import java.util.concurrent.*;

public class Full extends BrokerJ {
  static final Map<String, Object> TWO = Map.of("qpid.max_count", 2, "qpid.policy_type", "reject");

  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.confirmSelect();
    channel.exchangeDeclare("events", "fanout");
    channel.queueDeclare("full", false, false, false, TWO);
    channel.queueDeclare("empty", false, false, false, null);
    channel.queueBind("full", "events", "");
    channel.queueBind("empty", "events", "");
    String direct = "", fanOut = "";
    for (int number = 1; number <= 4; number++) {
      direct += publish(channel, "", "full", false);
    }
    fanOut += publish(channel, "events", "", false);
    var mandatory = publish(channel, "", "full", true);
    long full = channel.messageCount("full");
    long empty = channel.messageCount("empty");
    System.out.printf("4 messages to a queue of 2:%s; stored %d%n", direct, full);
    System.out.printf("1 to that queue and an empty one:%s; stored in the empty one: %d%n", fanOut, empty);
    System.out.printf("1 to the full queue, mandatory:%s%n", mandatory);
    expect(direct.equals(" ack ack ack ack") && full == 2, "what is dropped is confirmed");
    expect(fanOut.equals(" ack") && empty == 0, "a fan-out with a full queue reaches nobody");
    expect(mandatory.equals(" nack"), "a mandatory message is not confirmed");
    System.exit(0);
  }

  static String publish(Channel channel, String exchange, String key, boolean mandatory) throws Exception {
    channel.basicPublish(exchange, key, mandatory, null, "x".getBytes());
    return channel.waitForConfirms(10_000) ? " ack" : " nack";
  }
}
END
run_java Full BrokerJ

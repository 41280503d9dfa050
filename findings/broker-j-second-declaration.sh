#!/usr/bin/env bash
# Apache Qpid Broker-J 10.1.0 with amqp-client 5.28.0 (AMQP 0-9-1).
# Guess: what is declared again must be declared alike, or the channel is closed (406), as AMQP's document says of
# queues and exchanges. A queue that is bound twice to a headers exchange, with other headers, gets both kinds.
# What happens: durable, the arguments of a queue, and an exchange's durable and auto-delete may differ: the second
# declaration is confirmed, and ignored. So is a second binding, if it has the routing key of the first: its messages
# go nowhere. With a key of its own, which a headers exchange does not read, it counts.
# Why it matters: two services that declare the same queue differently pass their tests here, and fail with RabbitMQ. A
# limit that is changed while the broker runs stays as it was. Headers bindings all have the empty key, as nobody
# reads it.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.28.0

cat > SecondDeclaration.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class SecondDeclaration extends BrokerJ {

  static void send(Channel channel, String header) throws Exception {
    var properties = new AMQP.BasicProperties.Builder().headers(Map.of(header, "yes")).build();
    channel.basicPublish("kinds", "", properties, header.getBytes());
  }

  static void bind(Channel channel, String key, String header) throws Exception {
    channel.queueBind("tickets", "kinds", key, Map.of("x-match", "all", header, "yes"));
  }

  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("orders", false, false, false, null);
    channel.queueDeclare("orders", true, false, false, null);
    channel.queueDeclare("orders", false, false, false, Map.of("qpid.max_count", 1, "qpid.policy_type", "ring"));
    channel.exchangeDeclare("events", "direct", false, false, null);
    channel.exchangeDeclare("events", "direct", true, false, null);
    channel.exchangeDeclare("events", "direct", false, true, null);
    channel.basicPublish("", "orders", null, "first".getBytes());
    channel.basicPublish("", "orders", null, "second".getBytes());
    var orders = drain(channel, "orders");
    System.out.println("declared again, durable, then for one message: confirmed; of two sent delivered " + orders);
    expect(orders.equals(List.of("first", "second")), "a second declaration is confirmed and ignored");

    channel.exchangeDeclare("kinds", "headers");
    channel.queueDeclare("tickets", false, false, false, null);
    bind(channel, "", "sold");
    bind(channel, "", "returned");
    send(channel, "sold");
    send(channel, "returned");
    var one = drain(channel, "tickets");
    bind(channel, "another", "returned");
    send(channel, "sold");
    send(channel, "returned");
    var both = drain(channel, "tickets");
    System.out.println("bound for sold and for returned, both with an empty key: delivered " + one);
    System.out.println("the second once more, with a key of its own: delivered " + both);
    expect(one.equals(List.of("sold")), "a second binding with the same key is confirmed and ignored");
    expect(both.equals(List.of("sold", "returned")), "with another key it counts");
    System.exit(0);
  }
}
END
run_java SecondDeclaration BrokerJ

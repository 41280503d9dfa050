#!/usr/bin/env bash
# rabbitmq-mock 1.2.0 (com.github.fridujo, a RabbitMQ in memory for tests), with amqp-client 5.30.0.
# Guess: delivery tags belong to a channel, as AMQP has it; what a channel has not acknowledged comes back when the
# channel closes, marked as redelivered.
# What happens: each channel counts its tags from 1, but a tag is looked up in all queues of the broker, and each queue
# keeps what is unacknowledged by tag alone. An acknowledgement of tag 1 drops each message that any channel received as
# its first: a reject with requeue brings back nothing then. Two channels that receive from a queue overwrite each
# other's. Closing a channel or its connection gives nothing back, and no message is ever marked as redelivered.
# Why it matters: messages disappear in tests with two consumers, and only where one fails: a test of "two fail, both
# messages are tried again" fails for correct code, and a test that a crash loses nothing cannot be written. Code for
# redelivered messages never runs.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries com.github.fridujo:rabbitmq-mock:1.2.0 com.rabbitmq:amqp-client:5.30.0 org.slf4j:slf4j-nop:1.7.36

cat > Acknowledgements.java <<'END'
import com.github.fridujo.rabbitmq.mock.MockConnectionFactory;
import com.rabbitmq.client.*;
import java.util.*;

public class Acknowledgements extends Finding {

  /** Sends messages to a new queue. */
  static void send(Channel channel, String queue, String... bodies) throws Exception {
    channel.queueDeclare(queue, false, false, false, null);
    for (var body : bodies) {
      channel.basicPublish("", queue, null, body.getBytes());
    }
  }

  /** Takes a message, without an acknowledgement, and returns its tag. */
  static long take(Channel channel, String queue) throws Exception {
    return channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
  }

  /** The messages that are left. */
  static List<String> left(Channel channel, String queue) throws Exception {
    var bodies = new ArrayList<String>();
    for (GetResponse next; (next = channel.basicGet(queue, true)) != null; ) {
      bodies.add(new String(next.getBody()) + (next.getEnvelope().isRedeliver() ? " (redelivered)" : ""));
    }
    return bodies;
  }

  public static void main(String[] arguments) throws Exception {
    var connection = new MockConnectionFactory().newConnection();
    var observer = connection.createChannel();

    var first = connection.createChannel();
    var second = connection.createChannel();
    send(observer, "payments", "payment");
    send(observer, "mails", "mail");
    var payment = take(first, "payments");
    second.basicAck(take(second, "mails"), false);
    first.basicNack(payment, false, true);
    var payments = left(observer, "payments");
    System.out.println("payments, after an ack of a mail by another channel and a requeue: " + payments);

    first = connection.createChannel();
    second = connection.createChannel();
    send(observer, "orders", "order 1", "order 2");
    var order = take(first, "orders");
    var other = take(second, "orders");
    first.basicNack(order, false, true);
    second.basicNack(other, false, true);
    var orders = left(observer, "orders");
    System.out.println("orders, after two channels have requeued one each: " + orders);

    first = connection.createChannel();
    send(observer, "tickets", "ticket");
    first.basicNack(take(first, "tickets"), false, true);
    take(first, "tickets");
    first.basicRecover(true);
    var tickets = left(observer, "tickets");
    System.out.println("tickets, requeued and recovered by one channel alone: " + tickets);

    first = connection.createChannel();
    send(observer, "seats", "seat");
    take(first, "seats");
    first.close();
    Thread.sleep(500);
    var seats = left(observer, "seats");
    System.out.println("seats, 0.5 s after the channel that had taken it has closed: " + seats);

    expect(payments.isEmpty(), "another channel's ack drops it");
    expect(orders.equals(List.of("order 2")), "one of the two is lost");
    expect(tickets.equals(List.of("ticket")), "it comes back, as if new");
    expect(seats.isEmpty(), "a closed channel gives nothing back");
    System.exit(0);
  }
}
END
run_java Acknowledgements

#!/usr/bin/env bash
# pika 1.4.4 (AMQP client for Python), with amqp-client 5.30.0 (Java) as the sender and Broker-J 10.1.0 between them.
# Guess: a header that Java sends as a double or float is a float in Python.
# What happens: it is an integer, cut off towards zero: 0.75 arrives as 0, 99.9 as 99, -0.5 as 0. pika itself refuses
# to send a float, so that tests with pika at both ends do not show it.
# Why it matters: a sampling rate of 0.25, a price or a duration in seconds is 0 for the Python consumer, without
# a warning; the Java consumers of the same queue read it right.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.30.0
python_packages pika==1.4.4

cat > receive.py <<'END'
import sys

import pika

connection = pika.BlockingConnection(
    pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]))
)
channel = connection.channel()
_, properties, _ = channel.basic_get("readings", auto_ack=True)
received = dict(sorted(properties.headers.items()))
print("pika received", {name: f"{value} ({type(value).__mro__[-2].__name__})" for name, value in received.items()})
try:
    channel.basic_publish("", "readings", b"", pika.BasicProperties(headers={"rate": 0.25}))
    sent = True
except pika.exceptions.UnsupportedAMQPFieldException:
    sent = False
print("pika sends a float:", sent)
if received != {"double": 0, "float": 99, "negative": 0, "whole": 7} or sent:
    print("NO LONGER SO: a double arrives as an integer")
    sys.exit(1)
END

cat > FloatHeaders.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class FloatHeaders extends BrokerJ {
  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("readings", false, false, false, null);
    var headers = new TreeMap<String, Object>(Map.of("double", 0.75, "float", 99.9f, "negative", -0.5, "whole", 7));
    var properties = new AMQP.BasicProperties.Builder().headers(headers).build();
    channel.basicPublish("", "readings", properties, new byte[0]);
    channel.basicPublish("", "readings", properties, new byte[0]);
    System.out.println("amqp-client sent " + headers);
    var received = channel.basicGet("readings", true).getProps().getHeaders();
    System.out.println("amqp-client received " + new TreeMap<>(received));
    expect(received.equals(headers), "amqp-client reads what it sent");
    var port = String.valueOf(channel.getConnection().getPort());
    var receiver = new ProcessBuilder("packages/bin/python", "receive.py", port).inheritIO().start();
    System.exit(receiver.waitFor());
  }
}
END
run_java FloatHeaders BrokerJ

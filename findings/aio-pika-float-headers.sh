#!/usr/bin/env bash
# aio-pika 10.2.1 (AMQP client for asyncio, with aiormq 7.2.4 and pamqp 4.0.1), with amqp-client 5.30.0 (Java) as the
# receiver and Broker-J 10.1.0 between them.
# Guess: a float of a header arrives as it was sent, as a Python float is a double and AMQP has doubles.
# What happens: it is sent in single precision: the time 1764475815.25 arrives as 1764475776, 19.99 as 19.989999771,
# 16777217.0 as 16777216, in Java and in aio-pika. pamqp's encoder of a table takes type `f` for each float; the
# type `d` is only decoded: a double from Java is exact in Python, but changes when it is sent on.
# Why it matters: time.time() in a header is up to 64 s off, and times within 128 s can be equal, so that latencies from
# it are wrong by a minute, or negative; a header that is compared with the original value is not equal.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries "${broker_j[@]}" com.rabbitmq:amqp-client:5.30.0
python_packages aio-pika==10.2.1 aiormq==7.2.4 pamqp==4.0.1

cat > relay.py <<'END'
import asyncio
import sys

import aio_pika

sent = {"time": 1764475815.25, "later": 1764475835.25, "price": 19.99, "large": 16777217.0, "half": 0.5}


async def main():
    connection = await aio_pika.connect(f"amqp://guest:guest@127.0.0.1:{sys.argv[1]}/")
    # Broker-J confirms, but does not list its capabilities as aiormq needs them.
    connection.transport.connection.server_properties["capabilities"] = {"publisher_confirms": True}
    async with connection:
        channel = await connection.channel()
        queue = await channel.get_queue("readings", ensure=False)
        from_java = dict((await queue.get(no_ack=True)).headers)
        print("aio-pika received", from_java)
        for headers in (sent, sent, from_java):
            await channel.default_exchange.publish(aio_pika.Message(b"", headers=headers), "readings")
        print("aio-pika sent    ", sent)
        received = dict((await queue.get(no_ack=True)).headers)
        print("aio-pika received", received)
    changed = sorted(name for name in sent if received[name] != sent[name])
    if from_java != {"time": 1764475815.25} or changed != ["large", "later", "price", "time"]:
        print("NO LONGER SO: aio-pika receives a double, and sends single precision")
        sys.exit(1)


asyncio.run(main())
END

cat > FloatsSent.java <<'END'
import com.rabbitmq.client.*;
import java.util.*;

public class FloatsSent extends BrokerJ {

  static Map<String, Object> received(Channel channel) throws Exception {
    var headers = new TreeMap<>(channel.basicGet("readings", true).getProps().getHeaders());
    headers.replaceAll((name, value) -> ((Number) value).doubleValue());
    System.out.println("amqp-client received " + headers);
    return headers;
  }

  public static void main(String[] arguments) throws Exception {
    var channel = channel();
    channel.queueDeclare("readings", false, false, false, null);
    Map<String, Object> headers = Map.of("time", 1764475815.25);
    channel.basicPublish("", "readings", new AMQP.BasicProperties.Builder().headers(headers).build(), new byte[0]);
    System.out.println("amqp-client sent " + headers);
    var port = String.valueOf(channel.getConnection().getPort());
    expect(new ProcessBuilder("packages/bin/python", "relay.py", port).inheritIO().start().waitFor() == 0, "see above");
    var fromPython = received(channel);
    expect(
        fromPython.equals(
            Map.of(
                "time", 1764475776.0,
                "later", 1764475776.0,
                "price", (double) 19.99f,
                "large", 16777216.0,
                "half", 0.5)),
        "floats arrive in single precision");
    expect(received(channel).equals(Map.of("time", 1764475776.0)), "a double that is sent on changes");
    System.exit(0);
  }
}
END
run_java FloatsSent BrokerJ

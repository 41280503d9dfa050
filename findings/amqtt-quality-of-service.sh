#!/usr/bin/env bash
# amqtt 0.12.1 (Python, an MQTT broker), with paho-mqtt 2.2.0.
# Guess: a message comes with the lower QoS of publisher and subscription, and a second subscription of a client to a
# topic replaces the first, as MQTT 3.1.1 says (3.8.4).
# What happens: the QoS of the publisher counts for nothing: a message published at 0 comes with QoS 2 at a subscription
# with 2. A second subscription is granted, and ignored: after 0 and then 1 messages still come at 0, after 1 and then 0
# at 1.
# Why it matters: a consumer that is changed to QoS 1, and is answered that it has it, still loses what it does not
# receive at once. Measurements published at QoS 0, to be cheap, cost four packets each at a consumer with QoS 2.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages amqtt==0.12.1 paho-mqtt==2.2.0

cat > broker.py <<'END'
import asyncio
import sys

from amqtt.broker import Broker


async def main():
    plugins = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}
    bind = f"127.0.0.1:{sys.argv[1]}"
    await Broker({"listeners": {"default": {"type": "tcp", "bind": bind}}, "plugins": plugins}).start()
    open("ready", "w").close()
    await asyncio.Event().wait()


asyncio.run(main())
END

cat > quality.py <<'END'
import queue
import sys

import paho.mqtt.client as mqtt

received, granted = queue.Queue(), queue.Queue()
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.on_message = lambda client, data, message: received.put((message.payload.decode(), message.qos))
client.on_subscribe = lambda client, data, packet, reasons, properties: granted.put(reasons[0].value)
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_start()


def subscribe(topic, qos):
    client.subscribe(topic, qos)
    return granted.get(timeout=5)


def publish(topic, qos):
    client.publish(topic, f"published at {qos}", qos)
    return received.get(timeout=5)


subscribe("seats", 2)
qualities = [publish("seats", qos) for qos in (0, 1, 2)]
print("(message, QoS) at a subscription with QoS 2:", qualities)
subscriptions = {}
for first, second in ((0, 1), (1, 0)):
    topic = f"orders/{first}"
    grants = subscribe(topic, first), subscribe(topic, second)
    subscriptions[grants] = publish(topic, 1)
    print("two subscriptions, granted with QoS", grants, "one after the other:", subscriptions[grants])
client.disconnect()
client.loop_stop()
if qualities != [("published at 0", 2), ("published at 1", 2), ("published at 2", 2)]:
    sys.exit("NO LONGER SO: each has the QoS of the subscription")
if subscriptions != {(0, 1): ("published at 1", 0), (1, 0): ("published at 1", 1)}:
    sys.exit("NO LONGER SO: a second subscription is granted and ignored")
END
port=$(free_port)
packages/bin/python broker.py "$port" 2> broker.log &
started+=("$!")
await 100 test -e ready
packages/bin/python quality.py "$port"

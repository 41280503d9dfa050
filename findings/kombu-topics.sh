#!/usr/bin/env bash
# kombu 5.7.0 (Python), its topic exchange for brokers that have none: memory here; Redis's and MongoDB's inherit it.
# Guess: "#" stands for any number of words, none too, as AMQP 0-9-1 says and RabbitMQ does: "order.#" takes "order"
# and "order.paid.late"; "*" stands for one word.
# What happens: "*" does, but "#" needs its dot: "order.#" does not take "order", "#.paid" not "paid", and "a.#.b" not
# "a.b". The message goes nowhere, and publishing raises nothing.
# Why it matters: a consumer of all events of "order" gets them with RabbitMQ, and with Redis or in a test in memory all
# but those named "order".

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages kombu==5.7.0

cat > topics.py <<'END'
import sys

from kombu import Connection, Exchange, Queue

KEYS = ("order", "order.paid", "order.paid.late", "paid")
STATED = {
    "#": ["order", "order.paid", "order.paid.late", "paid"],
    "order.#": ["order.paid", "order.paid.late"],
    "#.paid": ["order.paid"],
    "order.#.paid": [],
    "order.*": ["order.paid"],
}

with Connection("memory://") as connection:
    channel = connection.channel()
    exchange = Exchange("events", type="topic")
    queues = {pattern: Queue(pattern, exchange, routing_key=pattern)(channel) for pattern in STATED}
    for queue in queues.values():
        queue.declare()
    for key in KEYS:
        connection.Producer().publish(key, exchange=exchange, routing_key=key)
    seen = {}
    for pattern, queue in queues.items():
        seen[pattern] = []
        while (message := queue.get(no_ack=True)) is not None:
            seen[pattern].append(message.payload)
        print(f"{pattern} takes {seen[pattern]} of {list(KEYS)}")
if seen != STATED:
    sys.exit("NO LONGER SO: # does not stand for no word")
END
packages/bin/python topics.py

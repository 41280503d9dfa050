#!/usr/bin/env bash
# FastStream 0.7.8 (Python), its TestRabbitBroker, beside its TestNatsBroker.
# Guess: two subscribers of one queue share its messages, as on RabbitMQ, and as those of one queue group do in
# TestNatsBroker; two bindings of one queue lead to the same queue.
# What happens: TestRabbitBroker has no queues. It calls each subscriber whose routing key fits, so that each message is
# handled by both. Of two subscribers of one queue that bind it by different keys each gets the messages of its own key;
# on RabbitMQ any of them gets either.
# Why it matters: a test of an application with two workers counts each order twice. Handlers of payments and refunds
# that use one queue by mistake pass their tests, and in production each gets about half of the other's messages.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages "faststream[rabbit,nats]==0.7.8"

cat > workers.py <<'END'
import asyncio
import sys

from faststream.nats import NatsBroker, TestNatsBroker
from faststream.rabbit import RabbitBroker, RabbitExchange, RabbitQueue, TestRabbitBroker

rabbit, nats = RabbitBroker(), NatsBroker()
handled = []


def subscribe(decorator, name):
    @decorator
    async def handle(message: str):
        handled.append(f"{name}: {message}")


for worker in ("worker 1", "worker 2"):
    subscribe(rabbit.subscriber("orders"), worker)
    subscribe(nats.subscriber("orders", queue="workers"), worker)
shop = RabbitExchange("shop")
for key in ("paid", "refunded"):
    subscribe(rabbit.subscriber(RabbitQueue("billing", routing_key=key), shop), f"handler of {key}")


def seen(what):
    result = sorted(handled)
    handled.clear()
    print(f"{what}: {result}")
    return result


async def main():
    async with TestNatsBroker(nats):
        await nats.publish("order", "orders")
    shared = seen("TestNatsBroker, one order, two workers of a queue group")
    async with TestRabbitBroker(rabbit):
        await rabbit.publish("order", "orders")
        twice = seen("TestRabbitBroker, one order, two workers of a queue")
        for key in ("paid", "refunded"):
            await rabbit.publish(key, key, exchange=shop)
        apart = seen("TestRabbitBroker, two handlers of one queue that is bound by two keys")
    if len(shared) != 1:
        sys.exit("NO LONGER SO: one worker of a queue group gets an order")
    if twice != ["worker 1: order", "worker 2: order"]:
        sys.exit("NO LONGER SO: both workers of a queue get an order")
    if apart != ["handler of paid: paid", "handler of refunded: refunded"]:
        sys.exit("NO LONGER SO: each handler gets the messages of its own key")


asyncio.run(main())
END
packages/bin/python workers.py

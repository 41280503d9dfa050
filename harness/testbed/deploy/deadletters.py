"""Messages that services have set aside: listed, sent again, or deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import pika
from pika.exceptions import (
    AMQPError,
    ChannelClosedByBroker,
    ConnectionClosedByBroker,
    NackError,
    UnroutableError,
)

from testbed.deploy.places import deployer
from testbed.deploy.record import StackRecord
from testbed.model.errors import UserError

QUEUE = "deadLetterQueue"

TYPE = "__TypeId__"
EXCHANGE = "x-original-exchange"
ROUTING_KEY = "x-original-routingKey"
REASON = "x-exception-message"
ADDED = ("x-exception-", "x-original-")
"""Prefixes of the headers that were added when the message was set aside."""

TIMEOUT_S = 10


class Channel(Protocol):
    """What is used of a channel; its publishing is confirmed."""

    def queue_declare(self, queue: str, *, passive: bool) -> Any: ...
    def queue_purge(self, queue: str) -> Any: ...
    def basic_get(self, queue: str) -> tuple[Any, Any, bytes | None]: ...
    def basic_publish(
        self, exchange: str, routing_key: str, body: bytes, properties: Any, *, mandatory: bool
    ) -> None: ...
    def basic_ack(self, delivery_tag: int) -> None: ...
    def basic_nack(self, delivery_tag: int, *, multiple: bool) -> None: ...


@dataclass(frozen=True)
class DeadLetter:
    """A message that was set aside."""

    type: str
    correlation_id: str
    exchange: str | None
    routing_key: str | None
    """With `exchange`, its first destination; None if the headers lack it."""
    reason: str


def peek(channel: Channel, queue: str = QUEUE) -> list[DeadLetter]:
    """Return the messages of a queue, which stay there."""
    letters, last = [], None
    while True:
        method, properties, _ = channel.basic_get(queue)
        if method is None:
            break
        letters.append(_described(properties))
        last = method.delivery_tag
    if last is not None:
        channel.basic_nack(last, multiple=True)
    return letters


def replay(channel: Channel, queue: str = QUEUE) -> int:
    """Send messages to their first destination again; return how many.

    A message without it stays in the queue. The others leave the queue only when another one has
    taken them. Raises `UserError` if none does.
    """
    replayed, kept = 0, None
    # Messages that are set aside again meanwhile are not counted.
    for _ in range(channel.queue_declare(queue, passive=True).method.message_count):
        method, properties, body = channel.basic_get(queue)
        if method is None:
            break
        letter = _described(properties)
        if letter.exchange is None or letter.routing_key is None:
            kept = method.delivery_tag
            continue
        properties.headers = {
            name: value for name, value in properties.headers.items() if not name.startswith(ADDED)
        }
        try:
            channel.basic_publish(
                letter.exchange, letter.routing_key, body or b"", properties, mandatory=True
            )
        except (NackError, UnroutableError) as problem:
            raise UserError(
                f"no queue takes messages to {letter.routing_key!r}; sent before: {replayed}",
                "Does the service run that the message is for?",
            ) from problem
        channel.basic_ack(method.delivery_tag)
        replayed += 1
    if kept is not None:
        channel.basic_nack(kept, multiple=True)
    return replayed


def purge(channel: Channel, queue: str = QUEUE) -> int:
    """Delete the messages of a queue; return how many."""
    return int(channel.queue_purge(queue).method.message_count)


@contextmanager
def connected(record: StackRecord, environ: Mapping[str, str]) -> Iterator[Channel]:
    """Open a confirmed channel to the AMQP server of a running stack.

    Raises `UserError` if the stack has none, it does not answer, or it does not have the queue.
    """
    settings = deployer(record.backends).amqp_settings(record, environ)
    if not settings:
        raise UserError(f"{record.variant} sends no messages", "Start a variant that does.")
    address = f"{settings['RABBITMQ_HOST']}:{settings['RABBITMQ_PORT']}"
    try:
        with pika.BlockingConnection(
            pika.ConnectionParameters(
                host=settings["RABBITMQ_HOST"],
                port=int(settings["RABBITMQ_PORT"]),
                virtual_host=settings.get("RABBITMQ_VIRTUAL_HOST", "/"),
                credentials=pika.PlainCredentials(
                    settings.get("RABBITMQ_USERNAME", "guest"),
                    settings.get("RABBITMQ_PASSWORD", "guest"),
                ),
                blocked_connection_timeout=TIMEOUT_S,
                socket_timeout=TIMEOUT_S,
            )
        ) as connection:
            # The embedded server has both and does not say so.
            connection._impl.server_capabilities |= {"publisher_confirms": True, "basic.nack": True}
            channel = connection.channel()
            channel.confirm_delivery()
            yield channel
    except (ChannelClosedByBroker, ConnectionClosedByBroker) as problem:
        raise UserError(f"{address}: {problem.reply_text}") from problem
    except (AMQPError, OSError) as problem:
        raise UserError(f"the AMQP server at {address} does not answer") from problem


def _described(properties: Any) -> DeadLetter:
    headers = properties.headers or {}
    return DeadLetter(
        type=str(headers.get(TYPE, "")),
        correlation_id=properties.correlation_id or "",
        exchange=headers.get(EXCHANGE),
        routing_key=headers.get(ROUTING_KEY),
        reason=str(headers.get(REASON, "")),
    )

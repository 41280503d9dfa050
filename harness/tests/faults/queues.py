"""Puts messages into the queues of a running system and takes them out, past its services."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel

from testbed.deploy import compose, ports
from testbed.deploy.stack import Stack
from testbed.model.project import Project

DEAD_LETTERS = "deadLetterQueue"
RESPONSES = "responseQueue"
PRESENCE = "presenceQueue"
SERVER = "rabbitmq"


def requests_of(service: str) -> str:
    """Return the queue of requests to a service."""
    return f"requestQueue-{service}"


@contextmanager
def channel(stack: Stack) -> Iterator[BlockingChannel]:
    """Open a channel to the message server of a running system."""
    connection = pika.BlockingConnection(_address(stack))
    try:
        yield connection.channel()
    finally:
        connection.close()


def put(stack: Stack, queue: str, body: bytes, **properties: Any) -> None:
    """Put a message into a queue; `properties` as for pika."""
    with channel(stack) as opened:
        opened.basic_publish("", queue, body, pika.BasicProperties(delivery_mode=2, **properties))


def taken(stack: Stack, queue: str) -> list[tuple[pika.BasicProperties, bytes]]:
    """Take every message out of a queue."""
    found = []
    with channel(stack) as opened:
        while True:
            method, properties, body = opened.basic_get(queue, auto_ack=True)
            if method is None:
                return found
            found.append((properties, body))


def _address(stack: Stack) -> pika.ConnectionParameters:
    if stack.record.compose is not None:
        known = compose.variables(Project.find(), os.environ)
        (port, *_) = stack.deployment.published[SERVER]
        port = str(port)
    else:
        known = next(
            one.environ for one in stack.deployment.services if "RABBITMQ_PORT" in one.environ
        )
        port = known["RABBITMQ_PORT"]
    return pika.ConnectionParameters(
        ports.LOOPBACK,
        int(port),
        credentials=pika.PlainCredentials(known["RABBITMQ_USERNAME"], known["RABBITMQ_PASSWORD"]),
        blocked_connection_timeout=30,
        socket_timeout=10,
    )

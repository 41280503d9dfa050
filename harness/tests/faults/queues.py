"""Puts messages into the queues of a running system and takes them out, past its services."""

from __future__ import annotations

import os
from typing import Any

import pika

from testbed.deploy import deadletters
from testbed.deploy.stack import Stack

DEAD_LETTERS = deadletters.QUEUE
RESPONSES = "responseQueue"
PRESENCE = "presenceQueue"
SERVER = "rabbitmq"


def requests_of(service: str) -> str:
    """Return the queue of requests to a service."""
    return f"requestQueue-{service}"


def put(stack: Stack, queue: str, body: bytes, **properties: Any) -> None:
    """Put a message into a queue; `properties` as for pika."""
    described = pika.BasicProperties(delivery_mode=2, **properties)
    with deadletters.connected(stack.record, os.environ) as opened:
        opened.basic_publish("", queue, body, described, mandatory=True)


def taken(stack: Stack, queue: str) -> list[tuple[pika.BasicProperties, bytes]]:
    """Take every message out of a queue."""
    found = []
    with deadletters.connected(stack.record, os.environ) as opened:
        while True:
            method, properties, body = opened.basic_get(queue)
            if method is None:
                return found
            opened.basic_ack(method.delivery_tag)
            found.append((properties, body or b""))

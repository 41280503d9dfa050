"""Puts messages into the queues of a running system and takes them out, past its services."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pika

from testbed.deploy import deadletters
from testbed.deploy.containers import compose
from testbed.deploy.stack import Stack

DEAD_LETTERS = deadletters.QUEUE
RESPONSES = "responseQueue"
PRESENCE = "presenceQueue"
SERVER = "rabbitmq"

USUAL = "320MiB"
"""RabbitMQ's limit of memory, as in ``docker/rabbitmq``."""


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
    messages = []
    with deadletters.connected(stack.record, os.environ) as opened:
        while True:
            method, properties, body = opened.basic_get(queue)
            if method is None:
                return messages
            opened.basic_ack(method.delivery_tag)
            messages.append((properties, body or b""))


@contextlib.contextmanager
def short_of_memory(stack: Stack) -> Iterator[None]:
    """Let RabbitMQ, in a container, raise its memory alarm while the body runs."""
    assert stack.record.compose is not None
    container = compose.find(stack.record.compose, SERVER).id

    def allow(*limit: str) -> None:
        command = ("docker", "exec", container, "rabbitmqctl", "set_vm_memory_high_watermark")
        subprocess.run((*command, *limit), check=True, capture_output=True, timeout=60)

    allow("0.00001")
    try:
        yield
    finally:
        allow("absolute", USUAL)

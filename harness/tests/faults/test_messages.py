"""A message that cannot be processed is set aside; the others go on."""

from __future__ import annotations

import itertools
import json
import socket
import struct
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import pika
import pytest

from contract.product import Product
from testbed.deploy.stack import Stack

from . import queues
from .accounting import of
from .clients import reading, reserving, service_of, wanted
from .conftest import Eventually
from .recording import Progress

pytestmark = pytest.mark.variant("async")

CINEMA = "dundrum"
SERVICE = service_of(CINEMA)
QUEUE = queues.requests_of(SERVICE)

MOST_DELIVERIES = 6
SET_ASIDE_S = 120
IDLE_S = 5
SPINNING = 0.5
"""The share of a processor above which a service that has nothing to do is busy."""

JSON = "application/json"
TYPE = "__TypeId__"

REASON = "x-exception-message"
NO_TYPE = "no message has this type id"
"""The reason given for an unknown type. The body is not read."""


@dataclass(frozen=True)
class Message:
    """A message that no service can process; `properties` as for pika."""

    body: bytes
    properties: dict[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def names_class(self) -> bool:
        """Whether its type header is the name of a class."""
        return "." in self.properties.get("headers", {}).get(TYPE, "")


def typed(type_: str, body: bytes, **properties: Any) -> Message:
    """Return a message of JSON with a type header."""
    headers = {TYPE: type_, **properties.pop("headers", {})}
    return Message(body, {"content_type": JSON, "headers": headers, **properties})


def request() -> bytes:
    return json.dumps({"reservation": wanted(CINEMA, uuid.uuid4().hex)}).encode()


def poison() -> dict[str, Message]:
    """Return requests that fail in every try."""
    id_ = str(uuid.uuid4())
    return {
        "a malformed id": typed("make-reservation", request(), correlation_id="none"),
        "no id": typed("make-reservation", request()),
        "no reservation": typed("make-reservation", b"{}", correlation_id=id_),
        "nothing": typed("make-reservation", b"null", correlation_id=id_),
        "no body": typed("make-reservation", b"", correlation_id=id_),
        "half a body": typed("make-reservation", request()[:-9], correlation_id=id_),
        "an answer": typed(
            "movies-listed", b'{"cinema": "ucd", "catalogue": null}', correlation_id=id_
        ),
        "an unknown type": typed("cancel-reservation", b"{}", correlation_id=id_),
        "an unknown encoding": typed(
            "make-reservation", request(), correlation_id=id_, content_encoding="none-8"
        ),
        "no type": Message(request(), {"content_type": JSON, "correlation_id": id_}),
        "no media type": Message(request(), {"headers": {TYPE: "make-reservation"}}),
        "odd headers": typed(
            "list-movies",
            b"[]",
            headers={"sent-at-millis": "yesterday", "x-death": "often", "deep": {"a": {"b": []}}},
        ),
    }


def garbage(port: int) -> dict[str, Message]:
    """Return what only an attacker sends; some of it calls a port if it is run."""
    there = json.dumps(f"http://127.0.0.1:{port}/evil.xml").encode()
    context = "org.springframework.context.support.FileSystemXmlApplicationContext"
    serialised = {"content_type": "application/x-java-serialized-object"}
    return {
        "bad JSON": typed("make-reservation", b'{"reservation": {{{'),
        "deep JSON": typed("make-reservation", b"[" * 100_000),
        "a class to build": typed(context, there, correlation_id=str(uuid.uuid4())),
        "a class in two headers": typed(
            "java.util.ArrayList", b"[" + there + b"]", headers={"__ContentTypeId__": context}
        ),
        "serialised sets": Message(nested_sets(60), serialised),
        "serialised sets under a known type": Message(
            nested_sets(60), {**serialised, "headers": {TYPE: "list-movies"}}
        ),
        "raw bytes": Message(bytes(range(256)) * 16),
        "raw bytes as text": Message(b"\xff\xfe\x00", {"content_type": "text/plain"}),
    }


def nested_sets(depth: int) -> bytes:
    """Return serialised Java sets that take about 2 to the power of `depth` steps to read."""
    made = bytearray(b"\xac\xed\x00\x05")
    handles: dict[tuple[int, bool], int] = {}
    following = itertools.count(0x7E0001)

    def write(level: int, marked: bool) -> None:
        if (level, marked) in handles:
            made.extend(struct.pack(">BI", 0x71, handles[level, marked]))
            return
        made.append(0x73)
        if handles:
            made.extend(struct.pack(">BI", 0x71, 0x7E0000))
        else:
            name = b"java.util.HashSet"
            made.extend(struct.pack(">BH", 0x72, len(name)) + name)
            made.extend(bytes.fromhex("ba44859596b8b734 03 0000 78 70"))
        handles[level, marked] = next(following)
        inner = () if level == depth else (True, False)
        made.extend(struct.pack(">BBIfI", 0x77, 12, 16, 0.75, len(inner) + marked))
        if marked:
            # Makes the two sets of a level differ.
            made.extend(struct.pack(">BH", 0x74, 1) + b"x")
            next(following)
        for other in inner:
            write(level + 1, other)
        made.append(0x78)

    write(0, False)
    return bytes(made)


def set_aside(
    stack: Stack, messages: list[Message], eventually: Eventually
) -> list[pika.BasicProperties]:
    """Wait until messages are among the dead letters; return the properties of all letters."""
    letters: list[pika.BasicProperties] = []

    def complete() -> bool:
        letters.extend(letter for letter, _ in queues.taken(stack, queues.DEAD_LETTERS))
        return {message.id for message in messages} <= {letter.message_id for letter in letters}

    eventually(complete, SET_ASIDE_S)
    return letters


@pytest.mark.promise(
    "poison-is-set-aside",
    "A request that always fails is set aside after six deliveries at most; the others go on.",
)
def test_poison_is_set_aside(
    stack: Stack,
    product: Product,
    figures: dict[str, str],
    progress: Progress,
    eventually: Eventually,
) -> None:
    """Malformed requests are put into a cinema's queue, one after the other, each followed by a
    reservation. Each must come to the dead letters once. Then the cinema must be idle."""
    queues.taken(stack, queues.DEAD_LETTERS)
    reserve = reserving(product, CINEMA)
    deliveries: dict[str, float] = {}
    copies: dict[str, int] = {}
    failed: list[str] = []

    def redelivered() -> float:
        return reading(stack, SERVICE, "queue_redelivered_total", queue=QUEUE)

    for name, message in poison().items():
        progress(name)
        before = redelivered()
        queues.put(stack, QUEUE, message.body, message_id=message.id, **message.properties)
        if not reserve(uuid.uuid4().hex).served:
            failed.append(name)
        letters = set_aside(stack, [message], eventually)
        copies[name] = sum(letter.message_id == message.id for letter in letters)
        deliveries[name] = 1 + redelivered() - before
    cpu = stack.meter().read()[SERVICE].cpu_s
    time.sleep(IDLE_S)
    busy = (stack.meter().read()[SERVICE].cpu_s - cpu) / IDLE_S
    figures["set aside"] = of(len(copies), len(poison()))
    figures["deliveries of one at most"] = f"{max(deliveries.values()):.0f}"
    figures["reservations that failed meanwhile"] = of(failed, len(deliveries))
    figures["processors in use afterwards"] = f"{busy:.2f}"
    assert not failed, f"a reservation failed beside: {failed[0]}"
    assert set(copies.values()) == {1}, f"set aside more than once: {copies}"
    assert max(deliveries.values()) <= MOST_DELIVERIES, deliveries
    assert busy < SPINNING


@pytest.mark.promise(
    "garbage-never-runs",
    "Malformed and foreign messages are set aside in every queue, and never executed.",
)
def test_garbage_never_runs(
    stack: Stack,
    product: Product,
    figures: dict[str, str],
    progress: Progress,
    eventually: Eventually,
) -> None:
    """Bad JSON, serialised Java objects, raw bytes and type headers that name classes are put into
    the queues of requests, answers and presence. A server counts the calls of what was run."""
    queues.taken(stack, queues.DEAD_LETTERS)
    put: list[Message] = []
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.setblocking(False)
        for queue in (QUEUE, queues.RESPONSES, queues.PRESENCE):
            progress(queue)
            for message in garbage(canary.getsockname()[1]).values():
                queues.put(stack, queue, message.body, message_id=message.id, **message.properties)
                put.append(message)
        letters = set_aside(stack, put, eventually)
        stack.require_alive()
        calls = 0
        with pytest.raises(BlockingIOError):
            while True:
                canary.accept()[0].close()
                calls += 1
    figures["set aside"] = of(put, put)
    figures["run"] = of(calls, put)
    # The JSON library itself refuses the dangerous classes that it knows. None may get so far.
    reasons = {letter.message_id: (letter.headers or {}).get(REASON) for letter in letters}
    looked_up = [
        message for message in put if message.names_class and reasons[message.id] != NO_TYPE
    ]
    figures["classes looked up"] = of(looked_up, put)
    assert calls == 0, "something was run"
    assert not looked_up, "a class that a message names was looked up"
    assert reserving(product, CINEMA)(uuid.uuid4().hex).served, "the next reservation failed"
    answer = product.list_movies()
    assert "Cinemas-Missing" not in answer.headers, "the next list is not complete"

"""On a channel that keeps its queues in memory, as an AMQP server would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pika
import pytest
from pika.exceptions import UnroutableError

from testbed.deploy import deadletters
from testbed.deploy.deadletters import DeadLetter
from testbed.deploy.record import StackRecord
from testbed.deploy.services import EMBEDDED
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError

from .conftest import deployed, fake_service, unused_port

STACK = StackRecord("sync", "tuned", "embedded", owner=None)

SENT_TO = {
    "x-original-exchange": "cinema",
    "x-original-routingKey": "request.to.cinema.ucd",
}


def message(**headers: str) -> tuple[Any, bytes]:
    return (
        pika.BasicProperties(
            correlation_id="0197",
            headers={
                "__TypeId__": "make-reservation",
                "x-exception-message": "poison",
                "x-exception-stacktrace": "at ...",
                **headers,
            },
        ),
        b"{}",
    )


@dataclass
class FakeChannel:
    """Returns unacknowledged messages to the head of their queue, in order."""

    ready: list[tuple[Any, bytes]]
    routes: frozenset[str] = frozenset({"request.to.cinema.ucd"})
    sent: list[tuple[str, str, Any, bytes]] = field(default_factory=list)
    set_aside_again: bool = False
    unacknowledged: dict[int, tuple[Any, bytes]] = field(default_factory=dict)
    tag: int = 0

    def queue_declare(self, queue: str, *, passive: bool) -> Any:
        assert (queue, passive) == (deadletters.QUEUE, True)
        return self._count(len(self.ready))

    def queue_purge(self, queue: str) -> Any:
        count, self.ready = len(self.ready), []
        return self._count(count)

    def basic_get(self, queue: str) -> tuple[Any, Any, bytes | None]:
        if not self.ready:
            return None, None, None
        self.tag += 1
        self.unacknowledged[self.tag] = taken = self.ready.pop(0)
        return SimpleNamespace(delivery_tag=self.tag), *taken

    def basic_publish(
        self, exchange: str, routing_key: str, body: bytes, properties: Any, *, mandatory: bool
    ) -> None:
        assert mandatory
        if routing_key not in self.routes:
            raise UnroutableError([])
        self.sent.append((exchange, routing_key, properties, body))
        if self.set_aside_again:
            self.ready.append(message(**SENT_TO))

    def basic_ack(self, delivery_tag: int) -> None:
        del self.unacknowledged[delivery_tag]

    def basic_nack(self, delivery_tag: int, *, multiple: bool) -> None:
        assert multiple
        back = [tag for tag in self.unacknowledged if tag <= delivery_tag]
        self.ready = [*(self.unacknowledged.pop(tag) for tag in back), *self.ready]

    @staticmethod
    def _count(messages: int) -> Any:
        return SimpleNamespace(method=SimpleNamespace(message_count=messages))


def test_messages_are_shown_and_stay() -> None:
    messages = [message(**SENT_TO), message()]
    channel = FakeChannel(list(messages))

    shown = deadletters.peek(channel)

    assert shown == [
        DeadLetter("make-reservation", "0197", "cinema", "request.to.cinema.ucd", "poison"),
        DeadLetter("make-reservation", "0197", None, None, "poison"),
    ]
    assert channel.ready == messages
    assert not channel.unacknowledged


def test_messages_are_sent_again_as_they_were_at_first() -> None:
    channel = FakeChannel([message(**SENT_TO), message(**SENT_TO)])

    assert deadletters.replay(channel) == 2

    exchange, routing_key, properties, body = channel.sent[0]
    assert (exchange, routing_key, body) == ("cinema", "request.to.cinema.ucd", b"{}")
    assert properties.headers == {"__TypeId__": "make-reservation"}
    assert properties.correlation_id == "0197"
    assert not channel.ready
    assert not channel.unacknowledged


def test_what_does_not_tell_where_it_was_sent_to_stays() -> None:
    channel = FakeChannel([message(), message(**SENT_TO), message()])

    assert deadletters.replay(channel) == 1

    assert len(channel.ready) == 2
    assert not channel.unacknowledged


def test_what_is_set_aside_again_is_not_sent_for_ever() -> None:
    channel = FakeChannel([message(**SENT_TO)], set_aside_again=True)

    assert deadletters.replay(channel) == 1
    assert len(channel.ready) == 1


def test_what_no_queue_takes_is_not_taken_from_its_queue() -> None:
    gone = {**SENT_TO, "x-original-routingKey": "request.to.cinema.gone"}
    channel = FakeChannel([message(**SENT_TO), message(**gone)])

    with pytest.raises(UserError, match=r"no queue takes .*gone.*; sent before: 1"):
        deadletters.replay(channel)
    assert len(channel.unacknowledged) == 1


def test_messages_are_deleted() -> None:
    channel = FakeChannel([message(), message()])

    assert deadletters.purge(channel) == 2
    assert not channel.ready


def test_a_stack_without_a_queue_is_told() -> None:
    with (
        pytest.raises(UserError, match="sync sends no messages"),
        deadletters.connected(STACK, {}),
    ):
        pass


def test_the_server_is_that_of_a_running_service_and_told_if_it_does_not_answer(
    make_stack: Callable[..., Stack],
) -> None:
    port = str(unused_port())
    # The backends inherit the shell, whose variables may lead elsewhere.
    elsewhere = {"RABBITMQ_HOST": "192.0.2.1", "RABBITMQ_PORT": "1"}
    backends = replace(fake_service(EMBEDDED), environ=elsewhere)
    here = {"RABBITMQ_HOST": "127.0.0.1", "RABBITMQ_PORT": port}
    running = make_stack(deployed((backends,), (replace(fake_service("cinema"), environ=here),)))
    running.start()
    try:
        with (
            pytest.raises(UserError, match=f"the AMQP server at 127.0.0.1:{port} does not answer"),
            deadletters.connected(running.record, {}),
        ):
            pass
    finally:
        running.stop()

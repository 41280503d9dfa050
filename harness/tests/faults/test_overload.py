"""Overload: requests that are refused are not carried out later."""

from __future__ import annotations

import time
import uuid

import httpx
import pytest

from contract.product import Asynchronous
from testbed.deploy.stack import Stack

from . import queues
from .accounting import Load, evenly, of, quantile, require_right, statuses
from .clients import (
    FULL,
    front_of,
    heap,
    reading,
    requesting,
    reserving,
    service_of,
    settled,
    undocumented,
)
from .conftest import RECOVERY_S, Eventually
from .recording import Progress, Sized

pytestmark = pytest.mark.variant("async")

CINEMA = "cineworld"
FRONT = front_of("async")

FILLING = 40_000
"""More requests than a queue and its consumers hold."""

REFUSED = 0.99
"""The least share of requests that a full queue refuses."""

CONFIRM_S = 2.0
"""How long the front door waits until the message server has taken a request."""

MARGIN_S = 3.0


@pytest.mark.promise(
    "full-queue-sheds",
    "A full queue refuses requests at once, and none of these is booked.",
)
def test_full_queue_sheds(
    stack: Stack,
    product: Asynchronous,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
    eventually: Eventually,
) -> None:
    """A cinema is suspended. Reservations are requested until its queue is full, and then further
    ones. Of these, 99 in 100 must be refused with 503 and Retry-After, as a place may become free,
    and a list must have the other cinemas. Then the cinema goes on, and every reservation is looked
    up."""
    request = requesting(product, CINEMA)
    with Load(reserving(product, CINEMA), evenly(100, 200)):
        pass
    with stack.suspended(service_of(CINEMA)):
        with Load(request, evenly(500, FILLING), notice=progress) as filling:
            ended = filling.entries
            while len(ended) < FILLING and all(entry.outcome.status != 503 for entry in ended):
                filling.await_ended(min(len(ended) + 500, FILLING))
                ended = filling.entries
            filling.end()
        filled = heap(stack, FRONT)
        with Load(request, evenly(200, sized(4_000, 400)), notice=progress) as over:
            pass
        used = heap(stack, FRONT)
        listed = product.list_movies()
    began = time.monotonic()
    progress("waiting until the cinema takes requests again")
    eventually(lambda: reserving(product, CINEMA)(uuid.uuid4().hex).served, RECOVERY_S)
    figures["taken until the queue was full"] = statuses(filling.entries)
    figures["answers of a full queue"] = statuses(over.entries)
    figures["p99 of these"] = f"{quantile(over.entries, 0.99):.2f} s"
    figures["heap in use after a collection"] = f"{filled:.0%}, then {used:.0%}"
    figures["served again after"] = f"{time.monotonic() - began:.1f} s"
    progress("looking up what is stored")
    entries = [*filling.entries, *over.entries]
    account = settled(product, entries, CINEMA, limit_s=180)
    figures["lost"] = of(account.lost, account.acknowledged)
    figures["refused but stored"] = of(account.unwanted, account.entries)
    assert not undocumented(entries)
    refused = sum(entry.outcome.status == 503 for entry in over.entries)
    assert {entry.outcome.status for entry in over.entries} <= {202, 503}, statuses(over.entries)
    assert refused >= REFUSED * len(over.entries), statuses(over.entries)
    assert listed.status_code == httpx.codes.OK, listed.text
    assert listed.headers.get("Cinemas-Missing") == CINEMA
    assert used < FULL, f"{used:.0%} of the heap is in use"
    require_right(account)


@pytest.mark.promise(
    "memory-alarm-is-survived",
    "While RabbitMQ is short of memory requests are refused in time; then all goes on by itself.",
)
def test_memory_alarm_is_survived(
    stack: Stack,
    product: Asynchronous,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
    eventually: Eventually,
) -> None:
    """RabbitMQ is told to have less memory than it uses, and so takes no messages. Meanwhile
    reservations are requested, and answers fetched that had come before. Later each reservation is
    looked up in the cinema's list."""
    if stack.record.compose is None:
        pytest.skip("needs RabbitMQ: --backends docker")
    reserve = reserving(product, CINEMA)
    with Load(reserve, evenly(50, 100)):
        pass
    requested = [product.http.get("/api/movie/list") for _ in range(20)]
    eventually(lambda: reading(stack, FRONT, "broker_operations", state="pending") == 0, RECOVERY_S)
    with queues.short_of_memory(stack):
        progress("RabbitMQ is short of memory")
        fetched = [product.fetch(answer, "wait=10").status_code for answer in requested]
        with Load(requesting(product, CINEMA), evenly(20, 20 * sized(30, 5))) as load:
            pass
    began = time.monotonic()
    progress("waiting until requests are taken again")
    eventually(lambda: reserve(uuid.uuid4().hex).served, RECOVERY_S)
    figures["answers"] = statuses(load.entries)
    figures["slowest refusal"] = f"{quantile(load.entries, 1):.1f} s"
    figures["fetched meanwhile"] = of(fetched.count(httpx.codes.OK), fetched)
    figures["served again after"] = f"{time.monotonic() - began:.1f} s"
    account = settled(product, load.entries, CINEMA)
    figures["lost"] = of(account.lost, account.acknowledged)
    figures["refused but stored"] = of(account.unwanted, account.entries)
    assert not undocumented(load.entries)
    assert {entry.outcome.status for entry in load.entries} == {503}, statuses(load.entries)
    assert quantile(load.entries, 1) < CONFIRM_S + MARGIN_S
    assert set(fetched) == {httpx.codes.OK}, fetched
    assert not account.lost, "an acknowledged reservation is not stored"
    assert not account.unwanted, "a refused reservation is stored"

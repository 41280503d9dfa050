"""What is acknowledged is done, once."""

from __future__ import annotations

import pytest

from contract.product import Product
from testbed.deploy.stack import Stack

from . import queues
from .accounting import WORKERS, Entry, Load, evenly, note, require_right, statuses
from .clients import front_of, reading, requesting, reserving, service_of, settled, undocumented
from .conftest import backend
from .recording import Progress, Sized


@pytest.mark.promise(
    "acknowledged-is-stored",
    "An acknowledged reservation is stored exactly once, and a refused one is not stored.",
)
def test_acknowledged_is_stored(
    stack: Stack,
    product: Product,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Reservations arrive at a constant rate, every other one with an Idempotency-Key. Meanwhile a
    service is killed and started again: in `sync` the cinema; in `async` RabbitMQ, or without
    containers the front door and then the cinema, because the embedded backends keep everything in
    memory. At the end each reservation is looked up in the cinema's list. In `async` the message
    server is also suspended for a while, so that requests are not confirmed."""
    cinema = "cineworld"
    victims = [service_of(cinema)]
    if variant == "async":
        victims.insert(0, front_of(variant))
        if stack.record.compose is not None:
            victims = [queues.SERVER]
    rate, count = sized(100, 40), sized(10_000, 1_000)
    with Load(reserving(product, cinema), evenly(rate, count), notice=progress) as load:
        for number, victim in enumerate(victims, 1):
            load.await_share(number / 4)
            stack.kill_service(victim)
            stack.start_service(victim)
        if variant == "async":
            load.await_share(3 / 4)
            with stack.suspended(backend(stack, queues.SERVER)):
                # Those in flight before, and as many that began meanwhile.
                load.await_ended(3 * count // 4 + 2 * WORKERS)
    progress("looking up what is stored")
    account = settled(product, load.entries, cinema)
    figures["answers"] = statuses(account.entries)
    note(figures, account)
    assert not undocumented(account.entries)
    require_right(account)


@pytest.mark.variant("async")
@pytest.mark.promise("redelivery-stores-once", "A reservation delivered again is stored once.")
def test_redelivery_stores_once(
    stack: Stack, product: Product, figures: dict[str, str], progress: Progress, sized: Sized
) -> None:
    """A cinema is killed again and again. While it is away, reservations are requested; it is
    killed as soon as it is ready and works through its queue."""
    cinema = "dundrum"
    victim = service_of(cinema)
    kills, requests = sized(100, 3), 100
    entries: list[Entry] = []
    for number in range(kills):
        stack.kill_service(victim)
        with Load(requesting(product, cinema), evenly(200, requests)) as load:
            pass
        entries += load.entries
        progress(f"{number + 1} of {kills} kills")
        stack.start_service(victim)
    progress("waiting for the end of the queue")
    account = settled(product, entries, cinema, limit_s=180)
    figures["kills"] = str(kills)
    again = reading(stack, victim, "queue_redelivered_total", queue=queues.requests_of(victim))
    figures["delivered again at the last start"] = f"{again:,.0f}"
    note(figures, account)
    assert not account.lost, "an acknowledged reservation is not stored"
    assert not account.doubled, "a reservation is stored twice"

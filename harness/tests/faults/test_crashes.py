"""A cinema that is slow, dead, or told to stop costs its own part only."""

from __future__ import annotations

import contextlib
import socket
import time
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence

import httpx
import pytest

from contract.product import Product
from testbed.deploy.registry import ADDRESS
from testbed.deploy.stack import Stack
from testbed.model import systems
from testbed.model.systems import instance

from . import clients
from .accounting import Entry, Load, evenly, failed_seconds, of, quantile, statuses
from .clients import front_of, listing, reserving, settled, undocumented
from .conftest import RECOVERY_S, TWICE
from .crowd import APART_S, crowd
from .recording import Progress, Sized

DEADLINE_S = 5.0
"""How long the front doors wait for a cinema."""

MARGIN_S = 5.0

DELAY_S = 2.0
"""Less than others would wait for a cinema that hangs, and more than a busy machine adds."""

HEALTHY, AWAY = "cineworld", "dundrum"

CROWD = 600

CRASH_COSTS = 0.01
"""The largest share of requests that may fail because of one of two instances."""

NOTICED_S, SERVED = 10, 0.95
"""When an instance that hangs costs little any more, and the share that is served then."""

IN_FLIGHT = 300
"""More than wait for an instance that hangs: arrivals must not be late."""


@pytest.mark.promise(
    "others-are-unharmed",
    "A cinema that hangs or is dead delays no other; lists come in time and name it as missing.",
)
def test_others_are_unharmed(
    stack: Stack,
    product: Product,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Reservations at two cinemas and lists arrive at constant rates: with every cinema, with one
    of the two suspended, and with it killed. Its own reservations must be refused in time."""
    seconds = sized(30, 4)
    victim = clients.service_of(AWAY)

    def part(title: str) -> dict[str, Sequence[Entry]]:
        progress(title)
        sent = {
            "others": Load(reserving(product, HEALTHY), evenly(20, 20 * seconds)),
            "own": Load(reserving(product, AWAY), evenly(2, 2 * seconds)),
            "lists": Load(listing(product), evenly(3, 3 * seconds)),
        }
        with contextlib.ExitStack() as running:
            for load in sent.values():
                running.enter_context(load)
        return {name: load.entries for name, load in sent.items()}

    part("with every cinema, to warm up")
    before = part("with every cinema")
    with stack.suspended(victim):
        hanging = part(f"{AWAY} hangs")
    stack.await_converged(lambda _: None, RECOVERY_S)
    stack.kill_service(victim)
    dead = part(f"{AWAY} is dead")
    stack.start_service(victim)
    stack.await_converged(lambda _: None, RECOVERY_S)

    usual = quantile(before["others"], 0.99)
    parts = {"hanging": hanging, "dead": dead}
    for name, sent in parts.items():
        p99 = quantile(sent["others"], 0.99)
        figures[f"p99 of the others, {name}"] = f"{p99 * 1e3:.0f} ms, before {usual * 1e3:.0f} ms"
        figures[f"slowest list, {name}"] = f"{quantile(sent['lists'], 1):.1f} s"
        failed = [entry for entry in sent["others"] if not entry.outcome.served]
        figures[f"failed at the others, {name}"] = of(failed, sent["others"])
        figures[f"its own, {name}"] = statuses(sent["own"])
    for sent in parts.values():
        every = [entry for some in sent.values() for entry in some]
        assert not undocumented(every)
        assert all(entry.outcome.served for entry in sent["others"]), "another cinema has failed"
        assert {entry.outcome.final for entry in sent["lists"]} == {200}, statuses(sent["lists"])
        assert {entry.outcome.why for entry in sent["lists"]} <= {AWAY}, "a list does not name it"
        assert {entry.outcome.final for entry in sent["own"]} <= {503, 504}, statuses(sent["own"])
        assert quantile(every, 1) < DEADLINE_S + MARGIN_S
        delayed = quantile(sent["others"], 0.99)
        assert delayed < usual + DELAY_S, f"p99 {delayed:.1f} s at the others, before {usual:.1f} s"


@pytest.mark.promise(
    "crowd-harms-itself",
    "600 clients at a cinema that hangs harm no other: 99 in 100 wait 2 s longer at most.",
)
def test_crowd_harms_itself(
    stack: Stack,
    product: Product,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """One cinema is suspended, and each of 600 clients wants a reservation there, waits as long as
    it is held, and comes again. Meanwhile reservations at another cinema arrive at a constant
    rate."""
    seconds = sized(60, 20)
    sending = reserving(product, HEALTHY)
    victim = clients.service_of(AWAY)
    with Load(sending, evenly(20, 20 * 10)) as before:
        progress("without a crowd")
    with stack.suspended(victim), crowd(product, AWAY, CROWD):
        progress(f"{CROWD} clients at {AWAY}")
        time.sleep(CROWD * APART_S)
        with Load(sending, evenly(20, 20 * seconds)) as load:
            pass
    stack.await_converged(lambda _: None, RECOVERY_S)
    failed = [entry for entry in load.entries if not entry.outcome.served]
    usual, delayed = quantile(before.entries, 0.99), quantile(load.entries, 0.99)
    figures["p99 of the others"] = f"{delayed * 1e3:,.0f} ms"
    figures["without a crowd"] = f"{usual * 1e3:,.0f} ms"
    figures["failed at the others"] = of(failed, load.entries)
    assert not undocumented(load.entries)
    assert not failed, statuses(load.entries)
    assert delayed < usual + DELAY_S, f"p99 {delayed:.1f} s at the others, before {usual:.1f} s"


@pytest.mark.promise(
    "crash-is-bounded",
    "The crash of one of two instances of a cinema fails one request in a hundred at most.",
)
def test_crash_is_bounded(
    stack: Stack,
    product: Product,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Reservations arrive at a constant rate. One of two instances is killed after a third."""
    rate, seconds = sized(50, 30), sized(30, 8)
    victim = instance(TWICE, 2)
    with Load(reserving(product, "ucd"), evenly(rate, rate * seconds), notice=progress) as load:
        load.await_share(1 / 3)
        stack.kill_service(victim)
    stack.start_service(victim)
    failed = [entry for entry in load.entries if not entry.outcome.served]
    figures["failed"] = of(failed, load.entries)
    figures["seconds with a failure"] = of(failed_seconds(load.entries), seconds)
    figures["answers"] = statuses(load.entries)
    assert not undocumented(load.entries)
    assert len(failed) <= CRASH_COSTS * len(load.entries), statuses(load.entries)


@pytest.mark.variant("sync")
@pytest.mark.promise(
    "stuck-instance-is-left-out",
    "Beside one instance of a cinema that hangs and stays registered, 95 requests in 100 are "
    "served from the tenth second on.",
)
def test_stuck_instance_is_left_out(
    stack: Stack,
    product: Product,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """A server that takes connections and never answers is registered as a further instance of a
    cinema that has one, and then of the cinema that has two. Meanwhile reservations there and lists
    arrive at constant rates. A list is served if it has the cinema."""
    if stack.record.compose is not None:
        pytest.skip("the server is on this machine: --backends embedded")
    seconds = NOTICED_S + sized(30, 10)
    for cinema, name in {AWAY: "one and a stuck one", "ucd": "two and a stuck one"}.items():
        with (
            stuck(stack, clients.service_of(cinema)),
            Load(reserving(product, cinema), evenly(40, 40 * seconds), IN_FLIGHT, progress) as made,
            Load(listing(product), evenly(5, 5 * seconds), IN_FLIGHT) as lists,
        ):
            pass
        for kind, load in {"reservations": made, "lists": lists}.items():
            later = [entry for entry in load.entries if entry.due_s >= NOTICED_S]
            complete = [
                entry for entry in later if entry.outcome.served and entry.outcome.why is None
            ]
            figures[f"{kind} served, {name}"] = of(complete, later)
            assert not undocumented(load.entries)
            assert len(complete) >= SERVED * len(later), f"{kind}, {name}: {statuses(later)}"


@contextlib.contextmanager
def stuck(stack: Stack, service: str) -> Iterator[None]:
    """Register an instance that never answers, while the body runs."""
    own = next(other for other in stack.deployment.services if other.name == service)
    instances = f"{own.environ[ADDRESS]}apps/{service.upper()}"
    json = {"Accept": "application/json"}
    with (
        # The system takes the connections.
        socket.create_server(("127.0.0.1", 0), backlog=4096) as silent,
        httpx.Client(trust_env=False, timeout=RECOVERY_S) as http,
    ):
        address, port = silent.getsockname()
        registered = http.get(instances, headers=json).json()["application"]["instance"][0]
        registered |= {
            "instanceId": "stuck",
            "ipAddr": address,
            "port": {"$": port, "@enabled": "true"},
            # Needs no heartbeat.
            "leaseInfo": {"durationInSecs": 3600},
        }
        http.post(instances, json={"instance": registered}).raise_for_status()
        try:
            yield
        finally:
            http.delete(f"{instances}/stuck").raise_for_status()


@pytest.mark.promise(
    "restart-loses-nothing",
    "No request fails while the services behind the front door are restarted one by one.",
)
def test_restart_loses_nothing(
    stack: Stack,
    product: Product,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Reservations at the cinema with two instances arrive at a constant rate. Each instance of
    each service is told to end and started again, the next one when the system is complete. Left
    out: the front door, which is there once, and requests that need a service that is there once.
    """
    both = [instance(TWICE, number) for number in (1, 2)]
    declared = systems.declaration(variant).services
    others = [service for service in declared if service not in (TWICE, front_of(variant))]
    restarted = both + sized(others, [])
    killed: list[str] = []
    begun: list[tuple[float, str]] = []
    with Load(reserving(product, "ucd"), evenly(30, 30 * 600)) as load:
        for name in restarted:
            progress(f"restarting {name}")
            begun.append((load.elapsed_s, name))
            if stack.stop_service(name):
                killed.append(name)
            stack.start_service(name)
            stack.await_converged(lambda _: None, RECOVERY_S)
        load.end()
    account = settled(product, load.entries, "ucd")
    failed = [entry for entry in load.entries if not entry.outcome.served]
    figures["failed"] = of(failed, load.entries)
    if failed:
        # A request is due while the restart goes on that began last before it.
        meanwhile = Counter(begun[max(0, bisect(begun, (entry.due_s,)) - 1)][1] for entry in failed)
        figures["while these restarted"] = ", ".join(f"{k}: {n:,}" for k, n in meanwhile.items())
    figures["lost"] = of(account.lost, account.acknowledged)
    figures["stored twice"] = of(account.doubled, account.entries)
    figures["had to be killed"] = of(killed, restarted)
    assert not undocumented(load.entries)
    assert not failed, statuses(load.entries)
    assert not account.lost, "an acknowledged reservation is not stored"
    assert not account.doubled, "a reservation is stored twice"
    assert not killed, f"did not end when asked to: {killed}"

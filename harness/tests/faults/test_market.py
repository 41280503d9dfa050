"""The market: orders while everything that they need is killed, lists without the inventory."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from testbed.deploy.services import EMBEDDED
from testbed.deploy.stack import Stack
from testbed.model import systems

from .accounting import Entry, Load, Outcome, evenly, of, quantile, statuses
from .clients import KEY, Send, undocumented
from .conftest import RECOVERY_S, backend
from .market import Market
from .recording import Progress, Sized

ORDERS = "/api/inventory/orders"
INVENTORY = "inventory-service"
REGISTRY = "eureka-server"

BEANS = (1, 2)
"""Every order has one kilogram of each."""

CLIENTS = 8
"""Of those that send orders again."""

AGAIN_S = 120.0
"""How long a client sends an order again that was not accepted."""

REFUSED_S = 12.0
"""How long the refusal of details may take: the deadline of a request, and a margin."""

SETTINGS = {"ACCESS_CONTROL": "off", "MARKET_STOCK": "endless"}


def stock(market: Market) -> list[int]:
    """Return the stock of the ordered beans."""
    answers = [market.http.get(f"/api/beans/{bean}") for bean in BEANS]
    return [int(answer.json()["availableQuantity"]) for answer in answers]


def ordering(market: Market) -> Send:
    """Return the operation that orders both beans; every other order names them the other way."""

    def send(key: str) -> Outcome:
        beans = BEANS if key.partition(".")[0][-1] in "13579" else BEANS[::-1]
        items = [{"beanId": bean, "quantity": 1} for bean in beans]
        answer = market.ask("POST", ORDERS, json=items, headers={KEY: key})
        if isinstance(answer, Outcome):
            return answer
        return Outcome(answer.status_code, str(answer.json()["orderNumber"]), answer.status_code)

    return send


@pytest.mark.variant("market-monolith", "market-services")
@pytest.mark.short("market-services")
@pytest.mark.start(settings=SETTINGS, on_disk=True)
@pytest.mark.promise(
    "orders-take-their-stock",
    "Accepted orders have taken exactly their stock, whichever process was killed meanwhile.",
)
def test_orders_take_their_stock(
    stack: Stack,
    market: Market,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Orders of two beans, each with an Idempotency-Key, arrive at a constant rate. Meanwhile the
    system's services are killed and started again one by one, and then PostgreSQL. An order that
    was not accepted is sent again with its key. At the end the stock of each bean has fallen by the
    number of orders."""
    before, send, rate = stock(market), ordering(market), sized(40, 10)
    declared = [name for name in systems.declaration(variant).services if name != REGISTRY]
    killed = [*sized(declared, [INVENTORY]), backend(stack, "postgresql")]
    with Load(send, evenly(rate, rate * 600), notice=progress) as load:
        for victim in killed:
            load.await_ended(len(load.entries) + 5 * rate)
            kill(stack, victim)
            stack.start_service(victim)
            stack.await_converged(lambda _: None, RECOVERY_S)
        load.await_ended(len(load.entries) + 5 * rate)
        load.end()
    entries = load.entries
    again = [entry.key for entry in entries if entry.outcome.id is None]
    progress(f"sending {len(again):,} orders again")
    with ThreadPoolExecutor(CLIENTS) as clients:
        answers = list(clients.map(lambda key: repeated(send, key), again))
    told_first = [entry.outcome for entry in entries]
    numbers = [outcome.id for outcome in (*told_first, *answers) if outcome.id is not None]
    taken = [had - has for had, has in zip(before, stock(market), strict=True)]
    figures["answers"] = statuses(entries)
    figures["killed"] = ", ".join(killed)
    figures["accepted when sent again"] = of([answer for answer in answers if answer.id], again)
    figures["orders"] = f"{len(entries):,}"
    figures["stock taken"] = " and ".join(f"{kilograms:,}" for kilograms in taken)
    stack.require_alive()
    assert not undocumented(entries)
    assert {entry.outcome.status for entry in entries} <= {201, 503, 504, None}, statuses(entries)
    assert len(numbers) == len(entries), (
        f"sent again: {Counter(answer.status for answer in answers)}"
    )
    assert len(set(numbers)) == len(numbers), "two orders have one number"
    assert taken == [len(numbers)] * len(BEANS), f"{len(numbers):,} orders took {taken}"


def kill(stack: Stack, service: str) -> None:
    """Kill a service.

    Of the embedded backends first PostgreSQL, while they are there to notice: as long as nobody
    does, its process counts as alive to the next one.
    """
    for running in stack.record.running:
        if running.name == service == EMBEDDED:
            programs = psutil.Process(running.process.pid).children(recursive=True)
            for program in programs:
                # A connection's process ends by itself when its service was killed.
                with contextlib.suppress(psutil.NoSuchProcess):
                    program.kill()
            psutil.wait_procs(programs)
    stack.kill_service(service)


def repeated(send: Send, key: str) -> Outcome:
    """Send an order with its key until it is accepted, or the time is over."""
    deadline = time.monotonic() + AGAIN_S
    while (outcome := send(key)).id is None and time.monotonic() < deadline:
        time.sleep(0.5)
    return outcome


@pytest.mark.variant("market-services")
@pytest.mark.start(settings=SETTINGS, on_disk=True)
@pytest.mark.promise(
    "lists-go-on",
    "While the inventory is away no list of the market fails, and details are refused in time.",
)
def test_lists_go_on(
    stack: Stack,
    market: Market,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Lists of countries, pages and details of beans arrive at constant rates: with the inventory
    suspended, and after it was killed. Details must be refused with 503."""
    seconds = sized(30, 3)
    page = "/api/beans?countryName=Mexico&pageNumber=0&pageSize=10"

    def part(title: str) -> tuple[Sequence[Entry], Sequence[Entry]]:
        progress(title)
        with (
            Load(getting(market, "/api/beans/countries"), evenly(10, 10 * seconds)) as countries,
            Load(getting(market, page), evenly(10, 10 * seconds)) as pages,
            Load(getting(market, "/api/beans/1"), evenly(5, 5 * seconds)) as details,
        ):
            pass
        return (*countries.entries, *pages.entries), details.entries

    part("with the inventory, to warm up")
    with stack.suspended(INVENTORY):
        parts = {"suspended": part("the inventory is suspended")}
    stack.await_converged(lambda _: None, RECOVERY_S)
    stack.kill_service(INVENTORY)
    parts["killed"] = part("the inventory is dead")
    stack.start_service(INVENTORY)
    for name, (lists, details) in parts.items():
        failed = [entry for entry in lists if not entry.outcome.served]
        figures[f"lists failed, {name}"] = of(failed, lists)
        figures[f"details, {name}"] = statuses(details)
        figures[f"slowest of these, {name}"] = f"{quantile(details, 1):.1f} s"
    for lists, details in parts.values():
        assert not undocumented([*lists, *details])
        assert all(entry.outcome.served for entry in lists), f"lists: {statuses(lists)}"
        assert {entry.outcome.final for entry in details} == {503}, f"details: {statuses(details)}"
        assert quantile(details, 1) < REFUSED_S


def getting(market: Market, path: str) -> Send:
    def send(_: str) -> Outcome:
        answer = market.ask("GET", path)
        if isinstance(answer, Outcome):
            return answer
        return Outcome(answer.status_code, None, answer.status_code)

    return send

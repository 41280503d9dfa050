"""Whoever builds a ticket, its client gets the same, and no ticket is unaccounted for."""

from __future__ import annotations

import os
import random
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pika
import pytest
import yaml

from testbed.deploy import deadletters
from testbed.deploy.stack import Stack
from testbed.model import systems
from testbed.model.project import Project

from . import rest_client
from .conftest import BASE_URL, PATIENCE_S, START_LIMIT_S, started
from .openapi import Document, document_text
from .product import problem, reservation
from .served import CLIENTS, HOSTILE, address_of, assert_flat, checked_client, pause, peak_mb
from .test_request_files import ask, moved, variables

PORT_OFFSET = 3000
BESIDE = 9000
"""For a system that is started while another one is still up."""
SYSTEMS = ("ticket-composite", "ticket-direct", "ticket-queue")
MODULE = "tickets"
BUILDERS = {"ticket-composite": "cinema-cineworld-service"}

MAKE = "/cinema/cineworld/reservation/make"
PLACES = 5
# Slow tickets, so that a burst finds the queue full.
SETTINGS = {
    "TICKET_QUEUE_LENGTH": str(PLACES),
    "TICKET_CONSUMERS": "1",
    "TICKET_PREFETCH": "1",
    "TICKET_PAGES": "50",
    "TICKET_STORE_BYTES": "4MB",
}
BURST = 60
KILLS = 3
QUEUE = "ticketQueue"
LATE = "urn:testbed:problem:unavailable"

pytestmark = pytest.mark.timeout(2 * START_LIMIT_S)


@dataclass(frozen=True)
class Tickets:
    """A running system."""

    name: str
    stack: Stack
    http: httpx.Client

    def make(self, key: str | None = None, **changed: Any) -> httpx.Response:
        """Return the answer to a reservation."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.http.post(MAKE, json=reservation(**changed), headers=headers)

    def made(self) -> str:
        """Make a reservation, as soon as there is room for its ticket; return its id."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            answer = self.make()
            if answer.status_code == httpx.codes.CREATED:
                return str(answer.json()["id"])
            assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
            time.sleep(0.1)
        raise AssertionError(f"refused for {PATIENCE_S} s")

    def fetch(self, ticket: str, wait_s: int = 30) -> httpx.Response:
        """Return the answer to a fetch."""
        return self.http.get(f"/tickets/{ticket}", headers={"Prefer": f"wait={wait_s}"})

    def fetched(self, ticket: str) -> httpx.Response:
        """Return the answer to fetches until the ticket is not pending any more."""
        end = time.monotonic() + PATIENCE_S
        while (answer := self.fetch(ticket)).status_code == httpx.codes.ACCEPTED:
            assert time.monotonic() < end, f"pending for {PATIENCE_S} s"
        return answer

    def stored(self) -> set[str]:
        """Return the ids of all stored reservations."""
        page = httpx.get(
            f"{str(self.http.base_url).rstrip('/')}/cinema/cineworld/reservation/list",
            params={"size": 200},
            timeout=PATIENCE_S,
            trust_env=False,
        )
        ids = {str(ticket["id"]) for ticket in page.raise_for_status().json()}
        assert len(ids) == int(page.headers["Total-Count"])
        return ids

    def accounts(self) -> dict[str, Any]:
        """Return what the service that builds tickets says of them, at its management port."""
        port = self.stack.endpoints()[BUILDERS.get(self.name, "ticket-service")]
        answer = httpx.get(
            f"http://127.0.0.1:{port}/actuator/tickets", timeout=PATIENCE_S, trust_env=False
        )
        counts: dict[str, Any] = answer.raise_for_status().json()
        return counts

    def begun(self) -> list[str]:
        """Return the ids of what is built, as soon as there is any."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            built: list[str] = self.accounts()["built"]
            if built:
                return built
            time.sleep(0.1)
        raise AssertionError("nothing is built")

    def drained(self) -> dict[str, Any]:
        """Return the accounts once nothing waits or is built any more."""
        end = time.monotonic() + PATIENCE_S
        before = self.accounts()
        while time.monotonic() < end:
            pause(1)
            counts = self.accounts()
            if counts["waiting"] == 0 and counts == before:
                return counts
            before = counts
        raise AssertionError(f"still waiting: {before['waiting']}")


def opened(name: str, stack: Stack) -> Tickets:
    http = checked_client(address_of(stack), Document(MODULE), "/")
    return Tickets(name, stack, http)


@pytest.fixture(params=SYSTEMS, scope="module")
def tickets(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tickets]:
    if BASE_URL:
        pytest.skip("TESTBED_BASE_URL: another system runs")
    folder = tmp_path_factory.mktemp(request.param)
    with started(request.param, SETTINGS, folder, PORT_OFFSET) as stack:
        running = opened(request.param, stack)
        with running.http:
            yield running


def test_a_reservation_links_to_its_ticket(tickets: Tickets) -> None:
    answer = tickets.make(key="one")
    made = answer.json()["id"]

    assert answer.headers["Link"].startswith(f"</tickets/{made}>")
    ticket = tickets.fetched(made)
    assert ticket.status_code == httpx.codes.OK
    assert ticket.headers["Content-Type"] == "application/pdf"
    assert ticket.content.startswith(b"%PDF-")
    assert f"Ticket {made}".encode() in ticket.content
    assert tickets.make(key="one").json()["id"] == made
    assert tickets.fetch(made).content == ticket.content


def test_a_ticket_of_nobody_is_unknown(tickets: Tickets) -> None:
    unknown = "reservation" if tickets.name == "ticket-queue" else "ticket"
    problem(tickets.fetch("00000000-0000-0000-0000-000000000000"), 404, f"{unknown}-unknown")
    problem(tickets.fetch("1"), 400, "invalid-request")


def test_a_burst_is_accounted_for_by_id(tickets: Tickets) -> None:
    before = tickets.drained()
    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(lambda _: tickets.make(), range(BURST)))

    accepted = {answer.json()["id"] for answer in answers if answer.is_success}
    refusals = [answer for answer in answers if answer.is_error]
    # A busy machine may not build a ticket within the time limit of its order (docs/tickets.md). It
    # may be built all the same.
    late = [answer for answer in refusals if answer.json()["type"] == LATE]
    for refusal in refusals:
        problem(refusal, 503, "unavailable" if refusal in late else "tickets-refused")
    assert accepted
    assert len(late) < len(refusals)
    # A ticket that is being built does not wait any more, nor is it built: its fetch waits for it.
    for ticket in accepted:
        assert tickets.fetched(ticket).status_code in (httpx.codes.OK, httpx.codes.GONE)
    after = tickets.drained()
    built = set(after["built"]) - set(before["built"])
    assert accepted <= built
    assert len(built - accepted) <= len(late)
    assert after["dropped"] == after["failed"] == []
    assert not accepted & set(after["refused"])
    stored = tickets.stored()
    # Only reservations whose tickets were accepted are kept.
    assert accepted <= stored
    assert stored <= set(after["built"])


def test_hostile_reservations_get_no_500_and_take_no_memory(tickets: Tickets) -> None:
    chance = random.Random(7)

    def hostile(number: int) -> str | dict[str, Any]:
        """Return the path to fetch, or what a reservation changes."""
        if number % 4 == 0:
            return chance.choice([f"/tickets/{chance.random()}", "/tickets/%00", "/tickets//"])
        text = "".join(
            chr(chance.choice([chance.randrange(0x20, 0xD800), chance.randrange(0xE000, 0x2FFFF)]))
            for _ in range(chance.randrange(300))
        )
        changes: list[dict[str, Any]] = [
            {"clientName": text},
            {"ticketType": text[:50]},
            {"tickets": chance.randrange(-5, 50)},
            {"amount": chance.choice([-1, 1e30, "x"])},
            {"id": "1"},
            {"clientName": "x" * 70_000},
        ]
        return chance.choice(changes)

    def sent(request: str | dict[str, Any]) -> int:
        answer = tickets.http.get(request) if isinstance(request, str) else tickets.make(**request)
        return answer.status_code

    # Drawn by one thread, so that each run sends the same.
    requests = [hostile(number) for number in range(HOSTILE)]
    with ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(sent, requests[:100]))
        before = peak_mb(tickets.stack)
        statuses = set(threads.map(sent, requests))
    after = peak_mb(tickets.stack)

    assert statuses <= {201, 400, 404, 413, 503}, statuses
    assert_flat(before, after)
    assert tickets.fetched(tickets.made()).status_code == httpx.codes.OK


def test_the_document_is_served(tickets: Tickets) -> None:
    with httpx.Client(base_url=tickets.http.base_url, timeout=PATIENCE_S, trust_env=False) as http:
        served = http.get("/openapi.yaml").text
    assert yaml.safe_load(served) == yaml.safe_load(document_text(MODULE))


def test_requests_are_answered_as_titled(tickets: Tickets) -> None:
    folder = Project.find().root / "docs" / "requests" / "tickets"
    file = folder / "tickets.http"
    values = variables(file) | {"base": str(tickets.http.base_url).rstrip("/")}
    tickets.drained()
    with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
        asked = ask(file, http, values)
    assert asked == len(list(rest_client.requests(file.read_text(encoding="utf-8"))))
    if tickets.name in BUILDERS:
        return
    file = folder / "health.http"
    by = tickets.stack.deployment.front_port - systems.declaration(tickets.name).front.port
    with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
        assert ask(file, http, moved(file, by)) == 7


@pytest.mark.parametrize("name", ["ticket-composite", "ticket-queue"])
def test_the_oldest_are_lost_for_the_youngest_and_nobody_is_told(name: str, tmp_path: Path) -> None:
    if BASE_URL:
        pytest.skip("TESTBED_BASE_URL: another system runs")
    with started(name, {**SETTINGS, "TICKET_OVERFLOW": "drop-head"}, tmp_path, BESIDE) as stack:
        tickets = opened(name, stack)
        with tickets.http:
            accepted = [tickets.make().json()["id"] for _ in range(BURST)]
            # The last to be built, by the only consumer.
            assert tickets.fetched(accepted[-1]).status_code == httpx.codes.OK
            counts = tickets.drained()

            built, lost = set(counts["built"]), set(accepted) - set(counts["built"])
            assert counts["failed"] == counts["refused"] == []
            # The embedded server counts those that are being built, too.
            assert set(accepted[2 - PLACES :]) <= built
            assert lost
            if name == "ticket-composite":
                assert set(counts["dropped"]) == lost
                problem(tickets.fetch(lost.pop()), 410, "ticket-gone")
            else:
                # The server tells nobody, so nobody can tell the client.
                assert counts["dropped"] == []
                assert tickets.fetch(lost.pop(), wait_s=0).status_code == httpx.codes.ACCEPTED


def test_a_builder_that_is_killed_loses_no_order(tmp_path: Path) -> None:
    """Each start builds one order at once, and holds others until it is killed."""
    if BASE_URL:
        pytest.skip("TESTBED_BASE_URL: another system runs")
    settings = {
        "TICKET_QUEUE_LENGTH": "0",
        "TICKET_CONSUMERS": "1",
        "TICKET_PREFETCH": "10",
        "TICKET_RATE": "0.01",
    }
    # The system of the other tests may be running, and a variant.
    with started("ticket-queue", settings, tmp_path, PORT_OFFSET + 2000) as stack:
        tickets = opened("ticket-queue", stack)
        with tickets.http:
            unreadable = str(uuid.uuid4())
            with deadletters.connected(stack.record, os.environ) as channel:
                described = pika.BasicProperties(correlation_id=unreadable)
                channel.basic_publish("", QUEUE, b"{", described)
            accepted = {tickets.make().json()["id"] for _ in range(BURST)}
            built = set(tickets.begun())
            assert tickets.accounts()["failed"] == [unreadable]
            for _ in range(KILLS):
                stack.kill_service("ticket-service")
                stack.start_service("ticket-service")
                built |= set(tickets.begun())
            stack.kill_service("ticket-service")
            waiting = queued(stack)
            stack.start_service("ticket-service")

            assert len(built) == 1 + KILLS
            assert built | waiting == accepted
            assert not built & waiting


def queued(stack: Stack) -> set[str]:
    """Take every order out of the queue; return their ids."""
    with deadletters.connected(stack.record, os.environ) as channel:
        ids = set()
        while True:
            method, properties, _ = channel.basic_get(QUEUE, auto_ack=True)
            if method is None:
                return ids
            ids.add(str(properties.correlation_id))

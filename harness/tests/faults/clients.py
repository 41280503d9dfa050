"""Customers of a running system: each request is an operation of an account."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx
from prometheus_client.parser import text_string_to_metric_families

from contract.accounts import account_for, authorization
from contract.product import Product, reservation
from testbed.deploy.building import jdk
from testbed.deploy.services import client
from testbed.deploy.stack import Stack
from testbed.measure import metrics
from testbed.model import systems

from .accounting import Account, Entry, Outcome

SHOWN = {
    "cineworld": {"movieId": "CNW001", "showTime": "18:00"},
    "dundrum": {"movieId": "MAD001", "showTime": "10:30"},
    "ucd": {"movieId": "UCD001", "showTime": "10:15"},
}
"""A showing of each cinema."""

HOST = "customers.example.org"

KEY = "Idempotency-Key"

FULL = 0.9
"""The share of the heap in use after a collection above which a service is about to fail."""

CONNECTIONS, BATCH = 16, 100
"""Of clients that send requests ahead of the answers."""

STATUS = re.compile(rb"HTTP/1\.1 (\d{3})\b")

Send = Callable[[str], Outcome]


def service_of(cinema: str) -> str:
    """Return the service of a cinema."""
    return f"cinema-{cinema}-service"


def front_of(variant: str) -> str:
    """Return the service that clients ask."""
    return systems.declaration(variant).front.service


def wanted(cinema: str, key: str, **changes: Any) -> dict[str, Any]:
    """Return a valid reservation that carries a key."""
    return reservation(**SHOWN[cinema], clientEmail=f"{key}@{HOST}", **changes)


def reserving(product: Product, cinema: str) -> Send:
    """Return the operation that reserves at a cinema and fetches the result."""
    return lambda key: carried_out(product, lambda: _post(product, cinema, key))


def requesting(product: Product, cinema: str) -> Send:
    """Return the operation that asks for a reservation and does not fetch the result."""
    return lambda key: carried_out(product, lambda: _post(product, cinema, key), fetch=False)


def listing(product: Product) -> Send:
    """Return the operation that asks for all movies; its `why` names the missing cinemas."""
    return lambda _: carried_out(product, lambda: product.http.get("/api/movie/list"))


def asking(product: Product, path: str) -> Send:
    """Return the operation that asks for something and does not fetch the result."""
    return lambda _: carried_out(product, lambda: product.http.get(path), fetch=False)


def head(product: Product, request: str, *lines: str) -> bytes:
    """Return the first lines of a request."""
    host = f"Host: {urlsplit(product.base_url).netloc}"
    return "\r\n".join((f"{request} HTTP/1.1", host, *lines, "", "")).encode()


def getting(product: Product, path: str) -> bytes:
    """Return a GET request of a client that may make it."""
    account = authorization(account_for(path.partition("?")[0]))
    return head(product, f"GET {path}", f"Authorization: {account}")


def acknowledged(
    product: Product, path: str, count: int, notice: Callable[[str], None]
) -> Counter[int]:
    """Ask for something until so many requests are acknowledged; return how often each status came.

    Requests are sent without waiting for the answers to those before, as nothing is fetched: many
    more in a second than `Load` sends. Raises `TimeoutError` if no answer comes.
    """
    batch = getting(product, path) * BATCH
    counts: Counter[int] = Counter()
    counting = threading.Lock()

    def ask() -> None:
        while counts[httpx.codes.ACCEPTED] < count:
            text, statuses = b"", list[bytes]()
            with (
                socket.create_connection(product.address, timeout=30) as opened,
                # After a refusal the front door ends the connection, whatever it has not read.
                contextlib.suppress(ConnectionError),
            ):
                opened.sendall(batch)
                while len(statuses) < BATCH and (part := opened.recv(1 << 16)):
                    text += part
                    statuses = STATUS.findall(text)
            with counting:
                counts.update(map(int, statuses))
                notice(f"{counts[httpx.codes.ACCEPTED]:,} of {count:,} requests acknowledged")

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for future in [pool.submit(ask) for _ in range(CONNECTIONS)]:
            future.result()
    return counts


def carried_out(
    product: Product, request: Callable[[], httpx.Response], *, fetch: bool = True
) -> Outcome:
    """Send a request, fetch its result, and return what the client was told."""
    first: httpx.Response | None = None
    id_: str | None = None
    try:
        first = request()
        if first.is_error:
            return Outcome(first.status_code, None, first.status_code, reason(first))
        id_ = first.text if first.status_code == httpx.codes.ACCEPTED else _id(first)
        if not fetch:
            return Outcome(first.status_code, id_)
        final = product.finish(first)
        made = _id(final) if final.is_success and final.content else None
        return Outcome(first.status_code, made or id_, final.status_code, reason(final))
    except (httpx.HTTPError, AssertionError) as problem:
        # The contract's client refuses what is not documented.
        return Outcome(None if first is None else first.status_code, id_, None, shortly(problem))


def shortly(problem: Exception) -> str:
    """Return what a client met in place of an answer, in one line."""
    return f"{type(problem).__name__}: {problem}".partition("\n")[0]


def reason(answer: httpx.Response) -> str | None:
    """Return the problem of an answer, or the cinemas that it misses."""
    if answer.is_error:
        return str(answer.json()["type"]).rpartition(":")[2]
    return answer.headers.get("Cinemas-Missing")


def undocumented(entries: Sequence[Entry]) -> list[str]:
    """Return what was answered that the OpenAPI document does not have."""
    return [
        why for entry in entries if (why := entry.outcome.why or "").startswith("AssertionError")
    ]


def stored(product: Product, cinema: str) -> Counter[str]:
    """Return how often each key is stored, by a cinema's list of reservations."""
    emails = (booked["clientEmail"] for booked in product.reservations(cinema))
    return Counter(email.partition("@")[0] for email in emails)


def settled(
    product: Product, entries: Sequence[Entry], cinema: str, limit_s: float = 120
) -> Account:
    """Return the account when what is stored is what was told, or the time is over.

    What was refused may be stored for a while: until it is withdrawn.
    """
    deadline = time.monotonic() + limit_s
    while True:
        try:
            account = Account(tuple(entries), stored(product, cinema))
        except AssertionError:
            # The list is refused as well while the cinema's queue is full.
            if time.monotonic() >= deadline:
                raise
        else:
            if not (account.lost or account.unwanted) or time.monotonic() >= deadline:
                return account
        time.sleep(1)


def reading(stack: Stack, service: str, metric: str, **labels: str) -> float:
    """Return the sum of a metric over the instances of a service, and over its other labels."""
    endpoints = stack.endpoints().items()
    ports = {name: port for name, port in endpoints if systems.service_of(name) == service}
    with client(60) as http:
        texts = metrics.ask(http, ports)
    return sum(
        sample.value
        for text in texts.values()
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == metric and labels.items() <= sample.labels.items()
    )


def heap(stack: Stack, service: str) -> float:
    """Return how full the old generation of a service's heap was after its last collection.

    Processes collect now. In containers it is the last collection by the JVM's own choice, which a
    heap that fills up cannot do without. (`jvm_memory_usage_after_gc` is also set by collections of
    the young generation, and then counts garbage.)
    """
    for running in stack.record.running:
        if systems.service_of(running.name) == service:
            jdk.for_services().command(running.process.pid, "GC.run")
    live = reading(stack, service, "jvm_gc_live_data_size_bytes")
    return live / reading(stack, service, "jvm_gc_max_data_size_bytes")


def _post(product: Product, cinema: str, key: str) -> httpx.Response:
    # Every other operation of a load as a client asks that may ask again.
    headers = {KEY: key} if key.partition(".")[0][-1] in "13579" else {}
    return product.http.post(product.make_path(cinema), json=wanted(cinema, key), headers=headers)


def _id(answer: httpx.Response) -> str | None:
    content = answer.json()
    return str(content["id"]) if isinstance(content, dict) else None

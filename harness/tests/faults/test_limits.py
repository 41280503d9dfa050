"""A client that sends or reads in a way that costs the front door more than others."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPResponse

import httpx
import pytest

from contract.accounts import USER, Credentials, authorization
from contract.product import Product, problem, reservation
from testbed.deploy.containers import compose
from testbed.deploy.stack import Stack
from testbed.model import systems

from .accounting import Load, Outcome, evenly, of, quantile, statuses
from .clients import carried_out, front_of, getting, head, reserving, undocumented, wanted
from .recording import Progress, Sized

CINEMA = "cineworld"
JSON = {"Content-Type": "application/json"}

UPLOADS = 150
"""More than a breaker's window holds."""

PIECEMEAL = 100
TINY = b"1\r\n \r\n" * 2_100
"""More chunks than a body may come in, and few bytes."""

READERS = 10
WIDE = "dundrum"
WIDE_ONES = 400
WIDE_NAME = 200 * "\N{EURO SIGN}"
"""As long as a name may be, of characters of three bytes: a page of such reservations is large."""
PATIENCE_S = 60
CUT_OFF_S = 25
"""Longer than a client may take over a part of its answer."""


def large(product: Product) -> Iterator[tuple[httpx.Response, int, str]]:
    """Send what is too large; yield each answer with the expected status and problem."""
    address = f"{product.base_url}{product.make_path(CINEMA)}"
    body = json.dumps(reservation(clientName="x" * 1_000_000)).encode()
    chunks = (body[start : start + 8192] for start in range(0, len(body), 8192))
    with httpx.Client(trust_env=False, timeout=PATIENCE_S, auth=Credentials()) as http:
        yield http.post(address, content=body, headers=JSON), 413, "too-large"
        yield http.post(address, content=chunks, headers=JSON), 413, "too-large"
        yield (
            http.post(address, content=b'{"clientName":' * 4_000, headers=JSON),
            400,
            "invalid-request",
        )
        yield (
            http.get(f"{product.base_url}/api/movie/list", headers={"Nonsense": "x" * 20_000}),
            431,
            "too-large",
        )


def itself(stack: Stack, product: Product, variant: str) -> tuple[str, int]:
    """Return host and port of the front door without the proxy that Docker puts before it.

    The proxy reads whatever comes for a client that reads nothing, up to tens of megabytes.
    """
    if stack.record.compose is None:
        return product.address
    front = systems.declaration(variant).front
    container = compose.find(stack.record.compose, front.service).id
    form = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}"
    command = ("docker", "inspect", "--format", form, container)
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    return output.split()[0], front.port


def connected(address: tuple[str, int], **options: int) -> socket.socket:
    """Open a connection; `options` are those of a socket."""
    made = socket.socket()
    made.settimeout(PATIENCE_S)
    for name, value in options.items():
        made.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
    made.connect(address)
    return made


@dataclass(frozen=True)
class Unread:
    """What a client asks for on one connection: more than the buffers on its way hold."""

    path: str
    count: int


def unread_of(product: Product, variant: str) -> Unread:
    """Return what a slow reader asks for; in `sync`, store what makes its answer large.

    Where a result is fetched, the answer to its request is short. The gateway ends a connection
    with more than a hundred requests ahead, whether their answers are read or not.
    """
    if variant == "async":
        return Unread("/openapi.yaml", 2_500)
    with Load(lambda key: _wide(product, key), evenly(50, WIDE_ONES)) as load:
        pass
    assert all(entry.outcome.served for entry in load.entries), statuses(load.entries)
    return Unread(f"{product.list_path(WIDE)}?size=200", 90)


def _wide(product: Product, key: str) -> Outcome:
    body = wanted(WIDE, key, clientName=WIDE_NAME)
    return carried_out(product, lambda: product.http.post(product.make_path(WIDE), json=body))


def status_of(connection: socket.socket) -> int:
    """Return the status of the next answer on a connection."""
    answer = HTTPResponse(connection)
    answer.begin()
    return answer.status


def read(connection: socket.socket, at_most: int) -> int:
    """Read until a connection ends, says no more, or has said enough; return how many bytes."""
    count = 0
    with contextlib.suppress(ConnectionError, TimeoutError):
        while count < at_most and (part := connection.recv(1 << 20)):
            count += len(part)
    return count


@pytest.mark.promise(
    "limits-hold",
    "Oversized and half-sent requests and unread answers are cut off at a limit, "
    "and no other client fails.",
)
def test_limits_hold(
    stack: Stack,
    product: Product,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Clients send bodies, nesting and headers that are too large, send a body in chunks of one
    byte, stop in its middle, open connections and say nothing, or ask for many answers and read
    none. Each must be refused or cut off. Meanwhile reservations arrive at a constant rate, and
    none of them may fail. They may wait: the broker has 500 connections at most, and closes an idle
    one after 5 s."""
    front, door = front_of(variant), product.address
    rounds, idle = sized(50, 5), sized(500, 100)
    half, chunked = (
        head(
            product,
            f"POST {product.make_path(CINEMA)}",
            f"Authorization: {authorization(USER)}",
            "Content-Type: application/json",
            length,
        )
        for length in ("Content-Length: 300", "Transfer-Encoding: chunked")
    )
    asked, read_from = unread_of(product, variant), itself(stack, product, variant)
    one_answer = product.http.get(asked.path)
    before = stack.meter().read()[front].rss_mb
    with Load(reserving(product, CINEMA), evenly(20, 20 * 600)) as load:
        with contextlib.ExitStack() as connections:
            progress("idle connections")
            for _ in range(idle):
                connections.enter_context(connected(door)).sendall(b"GET /api/")
            progress("slow readers")
            readers = [
                connections.enter_context(connected(read_from, SO_RCVBUF=4096))
                for _ in range(READERS)
            ]
            requests = getting(product, asked.path) * asked.count
            for reader in readers:
                reader.sendall(requests)
            progress("too large requests")
            large_ones = 0
            for _ in range(rounds):
                for answer, status, name in large(product):
                    problem(answer, status, name)
                    large_ones += 1
            progress("slow senders")
            uploads = [connections.enter_context(connected(door)) for _ in range(UPLOADS)]
            for upload in uploads:
                upload.sendall(half + b'{"clientName":')
            refused = [status_of(upload) for upload in uploads]
            progress("bodies in tiny pieces")
            piecemeal = [connections.enter_context(connected(door)) for _ in range(PIECEMEAL)]
            for upload in piecemeal:
                upload.sendall(chunked + TINY)
            in_pieces = [status_of(upload) for upload in piecemeal]
            progress("what slow readers get")
            whole = asked.count * len(one_answer.content)
            # Who asks last and reads has everything: by then the buffers of the others are full.
            patient = connections.enter_context(connected(read_from))
            patient.sendall(requests)
            assert read(patient, whole) >= whole
            time.sleep(CUT_OFF_S)
            cut_off = [reader for reader in readers if read(reader, whole) < whole]
        load.end()
    after = stack.meter().read()[front].rss_mb
    failed = [entry for entry in load.entries if not entry.outcome.served]
    figures["too large requests refused"] = of(large_ones, rounds * 4)
    figures["half-sent bodies refused"] = of(refused.count(408), refused)
    figures["bodies in tiny pieces refused"] = of(in_pieces.count(413), in_pieces)
    figures["readers cut off"] = of(cut_off, readers)
    figures["idle connections"] = f"{idle:,}"
    figures["failed beside them"] = of(failed, load.entries)
    figures["p99 of these"] = f"{quantile(load.entries, 0.99):.2f} s"
    figures["memory of the front door"] = f"{before:,.0f} MB, then {after:,.0f} MB"
    assert set(refused) == {408}, refused
    assert set(in_pieces) == {413}, in_pieces
    assert len(cut_off) == len(readers), "a client that does not read is waited for"
    assert not undocumented(load.entries)
    assert not failed, statuses(load.entries)

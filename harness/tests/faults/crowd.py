"""Many clients of one cinema, in a process of their own: it delays no client that is timed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesHeaderParser

from contract.accounts import USER, authorization
from contract.product import Product

from .clients import head, wanted

APART_S = 0.01
"""Between two clients that begin."""

ACCEPTED, REFUSED = 202, 503

PAUSE_S = 1.0
"""Before a refused client asks again that is not told when."""


@contextlib.contextmanager
def crowd(product: Product, cinema: str, count: int) -> Iterator[None]:
    """Let `count` clients reserve at a cinema, again and again, while the body runs.

    Each waits for its answer as long as it is held, and comes again when it is told to.
    """
    account = f"Authorization: {authorization(USER)}"
    body = json.dumps(wanted(cinema, "crowd")).encode()
    lines = (account, "Prefer: wait=10", "Content-Type: application/json")
    make = product.make_path(cinema)
    post = head(product, f"POST {make}", *lines, f"Content-Length: {len(body)}") + body
    fetch = head(product, "GET @", *lines[:2])
    clients = multiprocessing.get_context("spawn").Process(
        target=_run, args=(*product.address, post, fetch, count), daemon=True
    )
    clients.start()
    try:
        yield
        assert clients.is_alive(), "the crowd has ended"
    finally:
        clients.terminate()
        clients.join()


def _run(host: str, port: int, post: bytes, fetch: bytes, count: int) -> None:
    async def everybody() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(_client(host, port, post, fetch, number * APART_S))

    asyncio.run(everybody())


async def _client(host: str, port: int, post: bytes, fetch: bytes, begin_s: float) -> None:
    await asyncio.sleep(begin_s)
    request = post
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(host, port)
            with contextlib.closing(writer):
                keep = True
                while keep:
                    writer.write(request)
                    status, headers = await _answer(reader)
                    if status != ACCEPTED:
                        request = post
                    elif "Location" in headers:
                        request = fetch.replace(b"@", headers["Location"].encode())
                    keep = headers.get("Connection") != "close"
                    usual = PAUSE_S if status == REFUSED else 0
                    await asyncio.sleep(float(headers.get("Retry-After", usual)))


async def _answer(reader: asyncio.StreamReader) -> tuple[int, Message]:
    """Read an answer to its end; return its status and headers."""
    first, _, lines = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
    headers = BytesHeaderParser().parsebytes(lines)
    if "Transfer-Encoding" in headers:
        await reader.readuntil(b"\r\n0\r\n\r\n")
    else:
        await reader.readexactly(int(headers.get("Content-Length", 0)))
    return int(first.split()[1]), headers

"""A front door without services behind it: answers what the plans expect, as fast as it can.

It shows the highest rate that the load generator reaches. It runs as a separate process, prints its
port, and ends when its standard input closes.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import uuid
from typing import Any

PREFIXES = {"cineworld": "CNW", "dundrum": "MAD", "ucd": "UCD"}
SHOW_TIMES = ("10:00", "14:00", "18:00")
CORRELATION = str(uuid.UUID(int=0x0A4EDD535CD84B04826565114F56DE85))


def catalogue() -> list[dict[str, Any]]:
    """Return all cinemas with their movies, as the product answers."""
    return [
        {
            "id": str(uuid.uuid3(uuid.NAMESPACE_DNS, name)),
            "cinemaName": name,
            "movies": [
                {
                    "id": f"{prefix}00{number}",
                    "name": f"Movie {number}",
                    "showTimes": list(SHOW_TIMES),
                }
                for number in (1, 2, 3)
            ],
        }
        for name, prefix in PREFIXES.items()
    ]


def answer(status: str, body: bytes, content_type: str = "application/json") -> bytes:
    """Return the bytes of an HTTP response."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
    return head.encode("ascii") + b"\r\n" + body


LIST = answer("200 OK", json.dumps(catalogue(), separators=(",", ":")).encode())
ACCEPTED = answer("202 Accepted", CORRELATION.encode(), "text/plain")


class Connection(asyncio.Protocol):
    """One user's connection; a user waits for each answer before the next request."""

    def __init__(self) -> None:
        self._received = b""
        self._reserved = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to which answers are written."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer a request once it is complete."""
        request = self._received + data if self._received else data
        head, found, body = request.partition(b"\r\n\r\n")
        if not found or (head.startswith(b"POST") and len(body) < _length(head)):
            self._received = request
            return
        self._received = b""
        self._transport.write(self._answer(head, body))

    def _answer(self, head: bytes, body: bytes) -> bytes:
        path = head[: head.index(b"\r\n")].split(b" ")[1]
        if path.startswith(b"/api/movie/list/"):
            return LIST
        if path == b"/api/movie/list":
            return ACCEPTED if self.asynchronous else LIST
        if head.startswith(b"POST"):
            reserved = b'{"id":"1",' + body[1:]
            if path.startswith(b"/api/"):
                self._reserved = answer("200 OK", reserved)
                return ACCEPTED
            return answer("201 Created", reserved)
        return self._reserved or answer("404 Not Found", b"")

    asynchronous = False
    """Whether a list request is acknowledged first and its result fetched later."""


class AcknowledgingConnection(Connection):
    """A connection that acknowledges requests; clients fetch the results."""

    asynchronous = True


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            return int(line[15:])
    return 0


async def serve(protocol: str) -> None:
    """Answer on a free loopback port, as a system with this protocol does, until stdin closes."""
    loop = asyncio.get_running_loop()
    connection = AcknowledgingConnection if protocol == "acknowledged" else Connection
    server = await loop.create_server(connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    # No reference cycles arise here; garbage collection would only add pauses.
    gc.disable()
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))

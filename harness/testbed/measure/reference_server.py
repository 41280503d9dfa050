"""A front door without services behind it: gives the answers that a system declares, fast.

It shows the highest rate that the load generator reaches. It runs as a separate process, gets the
answers in JSON, prints its port, and ends when its standard input closes.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from testbed.model.declared import Declared
from testbed.model.project import Project
from testbed.model.systems import Protocol, ReferenceAnswer

Answer = Callable[[bytes], bytes]
"""The bytes of a response, from a body."""

ID = str(uuid.UUID(int=0x0A4EDD535CD84B04826565114F56DE85)).encode()
JSON = {"Content-Type": "application/json"}


def responder(status: HTTPStatus, headers: Mapping[str, str] = JSON) -> Answer:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    start = f"HTTP/1.1 {status} {status.phrase}\r\n{lines}Content-Length: ".encode("ascii")
    return lambda body: b"%b%d\r\n\r\n%b" % (start, len(body), body)


def answer(declared: ReferenceAnswer, root: Path) -> Answer:
    """Return an answer whose file, if it has one, is in the project `root`."""
    respond = responder(declared.status, {**JSON, **declared.headers})
    if declared.echo:
        start = json.dumps(declared.echo, separators=(",", ":")).encode()[:-1] + b","
        return lambda body: respond(start + body[1:])
    whole = respond((root / declared.file).read_bytes().strip() if declared.file else b"")
    return lambda _: whole


ACCEPTED = responder(HTTPStatus.ACCEPTED, {"Content-Type": "text/plain"})(ID)
NOT_FOUND = responder(HTTPStatus.NOT_FOUND)(b"")


class Connection(asyncio.Protocol):
    """One user's connection; a user waits for each answer before the next request.

    `answers` pairs the start of a request line with its answer. If `acknowledges`, a request is
    answered with `ID`; the next request, whose path ends in `ID`, gets the result.
    """

    def __init__(self, answers: Sequence[tuple[bytes, Answer]], acknowledges: bool) -> None:
        self._answers = answers
        self._acknowledges = acknowledges
        self._received = b""
        self._result = NOT_FOUND

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer a request once it is complete."""
        request = self._received + data if self._received else data
        head, separator, body = request.partition(b"\r\n\r\n")
        if not separator or (not head.startswith(b"GET") and len(body) < _length(head)):
            self._received = request
            return
        self._received = b""
        self._transport.write(self._answer(head.partition(b"\r\n")[0], body))

    def _answer(self, line: bytes, body: bytes) -> bytes:
        if self._acknowledges and ID in line:
            return self._result
        self._result = NOT_FOUND
        for start, answered in self._answers:
            if line.startswith(start):
                self._result = answered(body)
                break
        return ACCEPTED if self._acknowledges else self._result


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            return int(line[15:])
    return 0


class Served(Declared):
    """What of a system's declaration is served."""

    protocol: Protocol
    reference: tuple[ReferenceAnswer, ...]


async def serve(served: Served) -> None:
    """Answer on a free loopback port, as a system does, until stdin closes."""
    root = Project.find().root
    answers = [(rule.request.encode(), answer(rule, root)) for rule in served.reference]
    acknowledges = served.protocol == "acknowledged"
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(answers, acknowledges), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    # No reference cycles arise here; garbage collection would only add pauses.
    gc.disable()
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(Served.model_validate_json(sys.argv[1])))

"""A stand-in for the product's front door: answers by the contract, or wrongly in a named way.

It exists to test the plans, not the services: an assertion of a plan that lets a wrong answer pass
is seen only where answers are wrong on purpose.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

CINEMAS: list[dict[str, Any]] = [
    {
        "id": str(uuid.uuid3(uuid.NAMESPACE_DNS, name)),
        "cinemaName": name,
        "movies": [
            {"id": f"{prefix}00{n}", "name": f"Movie {n}", "showTimes": ["10:00", "14:00", "18:00"]}
            for n in (1, 2, 3)
        ],
    }
    for name, prefix in (("cineworld", "CNW"), ("dundrum", "MAD"), ("ucd", "UCD"))
]

PENDING = 202


@dataclass(frozen=True)
class Request:
    """One HTTP request as it arrived: header names in lower case, `at` in seconds of a clock."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float = 0.0


@dataclass(frozen=True)
class Answer:
    """What is sent back; status 0 closes the connection without a word, -1 never answers."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


Change = Callable[[Answer], Answer]


def as_json(value: object) -> bytes:
    """Return compact JSON, as the product writes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def status(code: int) -> Change:
    """Return a change that keeps the body and sets another status."""
    return lambda right: Answer(code, right.body, right.headers, right.content_type)


def problem(code: int, name: str) -> Change:
    """Return a change to a problem of the contract."""
    body = as_json({"type": f"urn:testbed:problem:{name}", "title": name, "status": code})
    return lambda _: Answer(code, body, {}, "application/problem+json")


def body(edit: Callable[[Any], Any]) -> Change:
    """Return a change of the JSON body, under the same status."""
    return lambda right: Answer(
        right.status, as_json(edit(json.loads(right.body))), right.headers, right.content_type
    )


def text(content: bytes) -> Change:
    """Return a change to another body, under the same status."""
    return lambda right: Answer(right.status, content, right.headers, "text/plain")


def header(name: str, value: str) -> Change:
    """Return a change that adds a header."""
    return lambda right: Answer(
        right.status, right.body, {**right.headers, name: value}, right.content_type
    )


def right(answer: Answer) -> Answer:
    """Leave the answer as it is."""
    return answer


@dataclass(frozen=True)
class Script:
    """How one operation is answered.

    Parameters
    ----------
    request
        Changes the answer to the first exchange (in the synchronous variant the only one).
    fetch
        Changes the result that is fetched.
    pending
        How many fetches are answered 202 first; None is for ever.
    """

    request: Change = right
    fetch: Change = right
    pending: int | None = 0


RIGHT = Script()

COUNTRIES = ("Mexico", "Côte d'Ivoire", 'Quo"te %_ & more', "Alto\\Bajo", "São (x), ${c}")
"""Names of countries, with what URLs, JSON and JMeter treat specially."""

BEANS = 23
"""Of one type in the larger half of the regions; the others have none."""

SINCE = "2026-11-24T12:00:00.123456Z"
"""When the stand-in's rate was so."""


class FakeProduct:
    """Serves list and reserve, posters, tickets, rates or beans, on a free loopback port.

    Parameters
    ----------
    variant
        ``sync``, ``async``, ``cinema``, ``poster``, ``ticket``, ``feed`` or ``market``.
    scripts
        One for each operation in the order of arrival; right answers when they run out.
    pause
        Seconds from the first request to a pause, and how long it holds its breath then.
    """

    def __init__(
        self,
        variant: str,
        scripts: Sequence[Script] = (),
        pause: tuple[float, float] | None = None,
    ) -> None:
        self._pause = pause
        self.variant = variant
        self.requests: list[Request] = []
        self.connections = 0
        self.port = 0
        self._scripts = iter(scripts)
        self._results: dict[str, tuple[Script, Answer, int | None]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._started = threading.Event()

    def __enter__(self) -> FakeProduct:
        self._thread.start()
        if not self._started.wait(60):
            raise RuntimeError("the stand-in did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            self._loop.create_server(lambda: _Connection(self), "127.0.0.1", 0)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            self._loop.close()

    def answer(self, request: Request) -> Answer:
        """Return the answer to a request, as the next script has it."""
        if self._pause is not None and not self.requests:
            after, lasting = self._pause
            # Blocks everything, as a process does that is stopped.
            self._loop.call_later(after, time.sleep, lasting)
        self.requests.append(request)
        if self.variant in ("sync", "cinema"):
            return self._sync(request)
        if self.variant == "poster":
            return self._poster(request)
        if self.variant == "feed":
            return self._rate(request)
        if self.variant == "market":
            return self._market(request)
        if self.variant == "ticket" and request.method == "POST":
            return self._order(request)
        if request.method == "GET" and (id_match := re.search(r"/([0-9a-f-]{36})$", request.path)):
            return self._fetch(id_match[1])
        return self._accept(request)

    def _sync(self, request: Request) -> Answer:
        script = next(self._scripts, RIGHT)
        if (request.method, request.path) == ("GET", "/api/movie/list"):
            return script.request(Answer(200, as_json(CINEMAS)))
        if (request.method, request.path) == ("POST", "/cinema/cineworld/reservation/make"):
            return script.request(Answer(201, _reservation(request)))
        return Answer(404)

    def _poster(self, request: Request) -> Answer:
        script = next(self._scripts, RIGHT)
        if (request.method, request.path) != ("POST", "/api/posters"):
            return Answer(404)
        headers = {"Poster-Steps": "adjust, convert, label", "Poster-Digest": "0f" * 32}
        return script.request(Answer(200, b"\xff\xd8\xff\xd9", headers, "image/jpeg"))

    def _rate(self, request: Request) -> Answer:
        script = next(self._scripts, RIGHT)
        if (request.method, request.path) != ("GET", "/api/rates/eur_usd"):
            return Answer(404)
        rate = {"base": "EUR", "quote": "USD", "rate": 1.0834, "asOf": SINCE}
        return script.request(Answer(200, as_json(rate)))

    def _market(self, request: Request) -> Answer:
        """Answer an exchange of a session; each takes a script."""
        script, parts = next(self._scripts, RIGHT), urlsplit(request.path)
        asked = dict(parse_qsl(parts.query))
        match parts.path.removeprefix("/api").split("/"):
            case ["", "beans", "countries"]:
                answer = Answer(200, _named(COUNTRIES))
            case ["", "beans", "regions"]:
                country = asked["countryName"]
                names = [f"{country} {n}" for n in range(4)] if country in COUNTRIES else []
                answer = Answer(200, _named(names))
            case ["", "beans"]:
                beans = BEANS if asked["regionName"][-1] in "23" else 0
                first = int(asked["pageNumber"]) * int(asked["pageSize"])
                ids = range(1, beans + 1)[first : first + int(asked["pageSize"])]
                page = [{"id": bean, "varietyType": asked["varietyType"]} for bean in ids]
                answer = Answer(200, as_json(page))
            case ["", "beans", bean]:
                details = {"id": int(bean), "availableQuantity": 5, "price": 29.8}
                answer = Answer(200, as_json(details))
            case ["", "inventory", "orders"]:
                order = {"orderNumber": 1, "status": "IN_PROGRESS", "totalCost": 29.8}
                answer = Answer(201, as_json({**order, "items": json.loads(request.body)}))
            case _:
                return Answer(404)
        return script.request(answer)

    def _order(self, request: Request) -> Answer:
        script = next(self._scripts, RIGHT)
        if request.path != "/cinema/cineworld/reservation/make":
            return Answer(404)
        made = _reservation(request)
        order = json.loads(made)["id"]
        pdf = f"%PDF-1.4\n<< /Title (Ticket {order}) >>\nstartxref\n9\n%%EOF\n".encode()
        result = Answer(200, pdf, content_type="application/pdf")
        self._results[order] = (script, result, script.pending)
        return script.request(Answer(201, made))

    def _accept(self, request: Request) -> Answer:
        script = next(self._scripts, RIGHT)
        if (request.method, request.path) == ("GET", "/api/movie/list"):
            result = Answer(200, as_json(CINEMAS))
        elif (request.method, request.path) == ("POST", "/api/cinema/cineworld/reservation/make"):
            result = Answer(200, _reservation(request))
        else:
            return Answer(404)
        correlation = str(uuid.uuid4())
        self._results[correlation] = (script, result, script.pending)
        location = {"Location": f"{request.path}/{correlation}"}
        if "wait=" in request.headers.get("prefer", "") and script.pending == 0:
            return script.fetch(replace(result, headers=location))
        return script.request(Answer(PENDING, correlation.encode(), location, "text/plain"))

    def _fetch(self, correlation: str) -> Answer:
        if correlation not in self._results:
            return problem(404, "correlation-unknown")(Answer(200))
        script, result, pending = self._results[correlation]
        if pending is None or pending > 0:
            self._results[correlation] = (script, result, None if pending is None else pending - 1)
            return Answer(PENDING, b"", {"Retry-After": "1"})
        return script.fetch(result)


def _named(names: Sequence[str]) -> bytes:
    return as_json([{"id": number, "name": name} for number, name in enumerate(names, 1)])


def _reservation(request: Request) -> bytes:
    if request.headers.get("content-type") != "application/json":
        return b"{}"
    return as_json({"id": str(uuid.uuid4()), **json.loads(request.body)})


class _Connection(asyncio.Protocol):
    def __init__(self, product: FakeProduct) -> None:
        self.product = product
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.product.connections += 1

    def data_received(self, data: bytes) -> None:
        self.received += data
        while (request := self._next()) is not None:
            answer = self.product.answer(request)
            if answer.status == 0:
                self.transport.close()
            elif answer.status > 0:
                self.transport.write(_encoded(answer))

    def _next(self) -> Request | None:
        head, separator, rest = self.received.partition(b"\r\n\r\n")
        if not separator:
            return None
        start, *lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return None
        self.received = rest[length:]
        method, path, _ = start.split(" ")
        now = self.product._loop.time()
        return Request(method, path, headers, rest[:length], now)


def _encoded(answer: Answer) -> bytes:
    lines = [
        f"HTTP/1.1 {answer.status} Any",
        f"Content-Type: {answer.content_type}",
        f"Content-Length: {len(answer.body)}",
        *(f"{name}: {value}" for name, value in answer.headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + answer.body

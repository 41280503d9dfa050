"""What a client asks for is one trace, through every service; and nothing else is traced."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from testbed.deploy.stack import Stack

from .conftest import BASE_URL, PATIENCE_S, started
from .product import PRODUCTS, Asynchronous, Product, problem, reservation
from .traces import Receiver, Span, receiving, tree

PORT_OFFSET = 5000
"""Not that of the stacks of other tests."""

IDLE_S = 10

CHATTY = {
    f"LOGGING_LEVEL_ORG_{name}": "debug"
    for name in ("SPRINGFRAMEWORK_WEB", "SPRINGFRAMEWORK_SECURITY", "MONGODB_DRIVER_PROTOCOL")
}
"""So that every service logs something about each request."""

FORMATS = {"sync": {}, "async": {"LOGGING_STRUCTURED_FORMAT_CONSOLE": "ecs"}}
FRONT = {"sync": "api-gateway-service", "async": "broker-service"}
CINEMAS = ("cineworld", "dundrum", "ucd")
CINEMA_SERVICES = {f"cinema-{name}-service" for name in CINEMAS}

SPANS_ONLY = ("spring_rabbit_template", "spring_rabbit_listener", "gateway_forwarded")
"""Beginnings of what would be the meters of observations that are there for their spans."""


@dataclass(frozen=True)
class Client:
    """A client with a trace of its own."""

    trace: str
    span: str


@dataclass(frozen=True)
class Traced:
    """A running variant that sends its spans to a receiver."""

    stack: Stack
    logs: Path
    product: Product
    receiver: Receiver

    @contextmanager
    def client(self) -> Iterator[Client]:
        """Ask within a client's trace meanwhile."""
        client = Client(secrets.token_hex(16), secrets.token_hex(8))
        headers = self.product.http.headers
        headers["traceparent"] = f"00-{client.trace}-{client.span}-01"
        try:
            yield client
        finally:
            del headers["traceparent"]


@pytest.fixture(scope="module", params=PRODUCTS)
def traced(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Traced]:
    if BASE_URL:
        pytest.skip("TESTBED_BASE_URL: where a running system sends its spans is its own matter")
    variant = request.param
    folder = tmp_path_factory.mktemp(f"traced-{variant}")
    with receiving() as receiver:
        settings = {"TESTBED_TRACING": receiver.url, **CHATTY, **FORMATS[variant]}
        with started(variant, settings, folder, PORT_OFFSET) as stack:
            product = PRODUCTS[variant](f"http://127.0.0.1:{stack.deployment.front_port}")
            with closing(product):
                yield Traced(stack, folder / "logs", product, receiver)


def test_a_list_is_one_trace(traced: Traced) -> None:
    with traced.client() as client:
        assert len(traced.product.list_movies().json()) == len(CINEMAS)

    spans = connected(traced, client)
    between = {"aggregator-service"} if traced.product.variant == "sync" else set()
    assert {span.service for span in spans} == {
        FRONT[traced.product.variant],
        *between,
        *CINEMA_SERVICES,
    }
    for cinema in CINEMA_SERVICES:
        operation = only(spans, cinema, "CLIENT", "find cinema-")
        assert [span.name for span in spans if span.parent == operation.id] == ["find"]


def test_a_synchronous_reservation_is_one_trace(traced: Traced) -> None:
    if traced.product.variant != "sync":
        pytest.skip("see below")
    with traced.client() as client:
        made = traced.product.reserve("cineworld", json=reservation())
    assert made.status_code == traced.product.made

    spans = connected(traced, client)
    cinema = "cinema-cineworld-service"
    assert {span.service for span in spans} == {"api-gateway-service", cinema}
    asked = only(spans, "api-gateway-service", "SERVER")
    forwarded = only(spans, "api-gateway-service", "CLIENT")
    received = only(spans, cinema, "SERVER")
    insert = only(spans, cinema, "CLIENT", "insert cinema-")
    assert [asked.parent, forwarded.parent, received.parent] == [
        client.span,
        asked.id,
        forwarded.id,
    ]
    assert received.id in ancestors(spans, insert)


def test_an_asynchronous_reservation_is_one_trace_through_queues(traced: Traced) -> None:
    if traced.product.variant != "async":
        pytest.skip("see above")
    with traced.client() as client:
        made = traced.product.reserve("cineworld", json=reservation())
    assert made.status_code == traced.product.made

    spans = connected(traced, client)
    print(tree(spans))
    cinema = "cinema-cineworld-service"
    asked = only(spans, "broker-service", "SERVER", "http post")
    published = only(spans, "broker-service", "PRODUCER")
    received = only(spans, cinema, "CONSUMER")
    insert = only(spans, cinema, "CLIENT", "insert cinema-")
    answered = only(spans, cinema, "PRODUCER")
    collected = only(spans, "broker-service", "CONSUMER")
    fetched = only(spans, "broker-service", "SERVER", "http get")
    chain = [asked, published, received, answered, collected]
    assert [span.parent for span in chain] == [client.span, *(span.id for span in chain[:-1])]
    assert received.id in ancestors(spans, insert)
    assert fetched.parent == client.span
    assert fetched.links == ((client.trace, asked.id),)


def test_a_fetch_of_another_trace_leads_to_the_request(traced: Traced) -> None:
    product = traced.product
    if not isinstance(product, Asynchronous):
        pytest.skip("nothing is fetched")
    with traced.client() as client:
        acknowledged = product.http.get("/api/movie/list")
    with traced.client() as fetching:
        assert product.fetch(acknowledged, "wait=30").status_code == httpx.codes.OK

    asked = only(connected(traced, client), "broker-service", "SERVER")
    (fetched,) = connected(traced, fetching)
    assert fetched.links == ((client.trace, asked.id),)


def test_a_client_without_a_trace_begins_one(traced: Traced) -> None:
    before = {span.trace for span in traced.receiver.settled()}

    assert traced.product.reserve("ucd", json=reservation(movieId="unknown")).is_error

    new = [span for span in traced.receiver.settled() if span.trace not in before]
    fronts = [span for span in new if not span.parent]
    # The request; and the fetch.
    assert len(fronts) == (1 if traced.product.variant == "sync" else 2)
    assert {span.service for span in fronts} == {FRONT[traced.product.variant]}


def test_nothing_is_traced_while_nobody_asks(traced: Traced) -> None:
    before = traced.receiver.settled()
    probes = ("/actuator/health", "/actuator/health/liveness", "/actuator/prometheus")

    deadline = time.monotonic() + IDLE_S
    while time.monotonic() < deadline:
        for service in traced.stack.deployment.services:
            if service.health is not None:
                for path in (service.health, *probes):
                    url = f"http://127.0.0.1:{service.ports[0]}{path}"
                    answer = httpx.get(url, timeout=PATIENCE_S, trust_env=False)
                    assert answer.status_code == httpx.codes.OK, f"{service.name} {answer.url}"
        time.sleep(1)

    new = traced.receiver.settled()[len(before) :]
    assert new == [], tree(new)


def test_spans_bring_no_metrics(traced: Traced) -> None:
    for service in traced.stack.deployment.services:
        if service.health is not None:
            url = f"http://127.0.0.1:{service.ports[0]}/actuator/prometheus"
            text = httpx.get(url, timeout=PATIENCE_S, trust_env=False).text
            names = {line.partition("{")[0] for line in text.splitlines()}
            assert "application_ready" in names
            assert [name for name in names if name.startswith(SPANS_ONLY)] == []
            assert not any(
                name.startswith("mongodb_") and not name.startswith("mongodb_driver_")
                for name in names
            )


def test_a_problem_names_its_trace(traced: Traced) -> None:
    product = traced.product
    refusals = (
        (400, "invalid-request", lambda: product.reserve("ucd", json={})),
        (422, "movie-unknown", lambda: product.reserve("ucd", json=reservation(movieId="no"))),
        (404, "not-found", lambda: product.http.get("/nothing")),
        (405, "method-not-allowed", lambda: product.http.put("/api/movie/list")),
        (413, "too-large", lambda: product.reserve("ucd", content=b" " * 100_000)),
    )
    for status, name, refused in refusals:
        with traced.client() as client:
            content = problem(refused(), status, name)
        assert content["traceId"] == client.trace, content


def test_log_lines_name_their_trace(traced: Traced) -> None:
    with traced.client() as client:
        traced.product.list_movies()
    services = {span.service for span in connected(traced, client)}
    assert len(services) > len(CINEMAS)

    for service in services:
        log = (traced.logs / f"{service}.log").read_text(encoding="utf-8").splitlines()
        if traced.product.variant == "async":
            lines = [json.loads(line) for line in log if line.startswith("{")]
            named = [line for line in lines if line.get("traceId") == client.trace]
            assert all(line["spanId"] for line in named)
        else:
            named = [line for line in log if f"trace={client.trace}" in line]
        assert named, f"{service} has no line of {client.trace}"


def connected(traced: Traced, client: Client) -> list[Span]:
    """Return a client's trace, each of whose spans is below the client's own."""
    spans = traced.receiver.settled(client.trace)
    ids = {client.span, *(span.id for span in spans)}
    assert all(span.parent in ids for span in spans), tree(spans)
    assert {span.variant for span in spans} == {traced.product.variant}
    return spans


def only(spans: list[Span], service: str, kind: str, name: str = "") -> Span:
    """Return the one span of a service of this kind, and this beginning of its name."""
    chosen = [
        span
        for span in spans
        if (span.service, span.kind) == (service, kind) and span.name.startswith(name)
    ]
    assert len(chosen) == 1, f"{service} {kind} {name}:\n{tree(spans)}"
    return chosen[0]


def ancestors(spans: list[Span], span: Span) -> list[str]:
    """Return the ids of the spans above one."""
    parents = {other.id: other.parent for other in spans}
    above = [span.parent]
    while above[-1] in parents:
        above.append(parents[above[-1]])
    return above

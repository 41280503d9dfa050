"""Receives the spans that services send, and shows a trace as text."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

from .served import pause

PATH = "/v1/traces"

SENT_WITHIN_S = 4.0
"""Services send what they have every second."""


@dataclass(frozen=True)
class Span:
    """One step of a trace; times are in ns since the epoch."""

    trace: str
    id: str
    parent: str
    service: str
    variant: str
    kind: str
    name: str
    start: int
    end: int
    links: tuple[tuple[str, str], ...]
    """The trace and the span of each."""


@dataclass
class Receiver:
    """An OTLP receiver over HTTP that keeps everything it is sent."""

    url: str
    _spans: list[Span] = field(default_factory=list)
    _received: threading.Condition = field(default_factory=threading.Condition)

    def spans(self, trace: str | None = None) -> list[Span]:
        """Return the spans so far, of one trace or of all, by their start."""
        with self._received:
            chosen = [span for span in self._spans if trace in (None, span.trace)]
        return sorted(chosen, key=lambda span: span.start)

    def settled(self, trace: str | None = None, limit_s: float = 120) -> list[Span]:
        """Return the spans once no more of them come."""
        deadline = time.monotonic() + limit_s
        while True:
            before = self.spans(trace)
            pause(SENT_WITHIN_S)
            now = self.spans(trace)
            if len(now) == len(before) and (now or trace is None):
                return now
            assert time.monotonic() < deadline, f"trace {trace} is not settled in {limit_s} s"

    def _receive(self, body: bytes) -> None:
        sent = ExportTraceServiceRequest.FromString(body)
        with self._received:
            for resource in sent.resource_spans:
                of = _texts(resource.resource.attributes)
                for scope in resource.scope_spans:
                    self._spans += [_span(span, of) for span in scope.spans]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == PATH:
                receiver._receive(body)
            self.send_response(200 if self.path == PATH else 404)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver = Receiver(f"http://127.0.0.1:{server.server_port}{PATH}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


def tree(spans: Iterable[Span]) -> str:
    """Return spans as a tree: offset and duration in ms, the service, what it did."""
    ordered = sorted(spans, key=lambda span: span.start)
    ids = {span.id for span in ordered}
    lines: list[str] = []

    def show(span: Span, depth: int) -> None:
        offset, lasted = span.start - ordered[0].start, span.end - span.start
        shown = f"{'  ' * depth}{span.service}: {span.name}"
        linked = "".join(f"  -> {_name(ordered, link)}" for _, link in span.links)
        lines.append(f"{offset / 1e6:8.1f} {lasted / 1e6:8.1f}  {shown}{linked}")
        for child in ordered:
            if child.parent == span.id:
                show(child, depth + 1)

    for root in ordered:
        if root.parent not in ids:
            show(root, 0)
    return "\n".join(["      at    takes", *lines])


def _name(spans: Iterable[Span], span: str) -> str:
    return next((other.name for other in spans if other.id == span), f"span {span}")


def _span(span: trace_pb2.Span, resource: dict[str, str]) -> Span:
    return Span(
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        service=resource["service.name"],
        variant=resource.get("variant", ""),
        kind=trace_pb2.Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        name=span.name,
        start=span.start_time_unix_nano,
        end=span.end_time_unix_nano,
        links=tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
    )


def _texts(attributes: Iterable[KeyValue]) -> dict[str, str]:
    return {attribute.key: attribute.value.string_value for attribute in attributes}

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from testbed.deploy import leftovers, ports, record
from testbed.deploy.building import jdk
from testbed.deploy.services import Deployment, Service
from testbed.deploy.stack import Stack
from testbed.model import systems
from testbed.model.project import FILE, Project

HERE = Path(__file__).parent

_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = iter(range(28_500 + 1_000 * _WORKER, 29_500 + 1_000 * _WORKER))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    (tmp_path / "pom.xml").write_text("<project/>")
    made = Project(tmp_path, tmp_path / ".testbed")
    yield made
    # A failed test must not leave servers behind.
    if (left := record.load(made)) is not None:
        leftovers.end(made, left)


@pytest.fixture
def undeclared() -> Iterator[None]:
    """Forget what a test declares."""
    yield
    forget_declarations()


def forget_declarations() -> None:
    systems._declared.clear()
    systems._own.cache_clear()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undeclared: None) -> Project:
    """Return the project of a user's folder, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).write_text("systems: {}\n")
    monkeypatch.setenv("TESTBED_STATE", str(tmp_path / "state"))
    systems._own.cache_clear()
    return Project.find()


def shop(protocol: str = "direct", workloads: str = "buy: /buy") -> str:
    """Return the declaration of a made-up system, as YAML."""
    return f"""
compose: compose.yml
front: {{service: shop, port: 80}}
protocol: {protocol}
workloads: {{{workloads}}}
complete: [{{get: /}}]
reset: {{service: store, port: 1, databases: shop, collections: [orders]}}
reference: [{{request: GET /}}]
"""


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder, by their paths."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def unused_port() -> int:
    """Return a port nobody listens on, which no other test gets.

    Ports lie below those of outgoing connections; each worker of pytest has a thousand of its own.
    """
    return next(port for port in _PORTS if ports.is_free(port))


@contextlib.contextmanager
def serving(
    answer: Callable[[BaseHTTPRequestHandler, bytes], tuple[int, bytes]], port: int = 0
) -> Iterator[int]:
    """Run an HTTP server while the body runs; yield its port, by default a free one.

    `answer` returns the status and body of an answer, from a request and its body.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answer(self, self.rfile.read(int(self.headers["Content-Length"] or 0)))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def docker(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a docker on PATH that does what a script says."""
    (folder / "bin").mkdir(exist_ok=True)
    command = folder / "bin" / "docker"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


def fake_service(name: str, *arguments: str, port: int | None = None) -> Service:
    """Return a service whose process is the small server beside this file."""
    port = port or unused_port()
    command = (sys.executable, str(HERE / "fake_service.py"), "--port", str(port), *arguments)
    return Service(name, command, (port,))


def deployed(
    *phases: tuple[Service, ...], missing: Callable[[], str | None] = lambda: None
) -> Deployment:
    def converged(_: httpx.Client) -> str | None:
        return missing()

    return Deployment(
        variant="sync",
        preset="tuned",
        backends="embedded",
        phases=phases,
        converged=converged,
        front_ports=phases[-1][-1].ports[:1],
        mongodb_uri="mongodb://127.0.0.1:1",
    )


@pytest.fixture
def start_backends(
    make_stack: Callable[..., Stack],
) -> Iterator[Callable[[int, Mapping[str, str]], Stack]]:
    """Start the embedded backends, where they are built, with one server: its port and settings."""
    jar = Project.find().jar("embedded-backends")
    if not jar.is_file():
        pytest.skip("embedded-backends is not built")
    with contextlib.ExitStack() as running:

        def start(port: int, settings: Mapping[str, str]) -> Stack:
            off = {"EMBEDDED_MONGODB_PORT": "off", "EMBEDDED_AMQP_PORT": "off"}
            command = (str(jdk.for_services().java), "-jar", str(jar))
            backends = Service(
                "embedded-backends", command, (port,), {**off, **settings}, health=None
            )
            stack = make_stack(deployed((backends,)), ready_s=60)
            stack.start()
            running.callback(stack.stop)
            return stack

        yield start


@pytest.fixture
def make_stack(project: Project) -> Callable[..., Stack]:
    def make(deployment: Deployment, ready_s: float = 60.0, converged_s: float = 60.0) -> Stack:
        return Stack(project, deployment, os.environ, ready_s, converged_s)

    return make

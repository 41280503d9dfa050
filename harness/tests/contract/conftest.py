"""Starts each variant once, on embedded backends; or asks one that runs already.

``TESTBED_BASE_URL`` and ``TESTBED_VARIANT`` name a system that runs: then nothing is started, and
the tests that stop and start services are skipped.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
from xdist.scheduler import LoadScopeScheduling

from testbed.deploy.building import aot_cache, build, jdk
from testbed.deploy.containers.deployer import in_containers
from testbed.deploy.deployments import Choice, jars
from testbed.deploy.ports import LOOPBACK
from testbed.deploy.processes.deployment import in_processes
from testbed.deploy.stack import Stack
from testbed.model import systems
from testbed.model.project import Project

from .product import PRODUCTS, Product

HERE = Path(__file__).parent

PORT_OFFSET = 4000
"""So that a stack on the usual ports is neither in the way nor asked by mistake."""

WORKER_PORTS = 10_000
"""The distance between the ports of workers that test beside each other."""

START_LIMIT_S = 600
"""Of a start and a test, on a slow machine."""

READY_LIMIT_S = 300.0
CONVERGED_LIMIT_S = 120.0

PATIENCE_S = 120.0
"""The longest wait for anything that is going to happen, answers included."""

SETTINGS = {"CINEMA_DRILLS": "true"}
"""Cinemas answer late when asked to."""

PATIENT = HERE / "patient.jvm"
"""The limits of services under test; `check-variant.sh` reads them too."""

DEADLINE_S = 5 if os.environ.get("TESTBED_BASE_URL") else 20
"""The time for an answer, in `PATIENT`; a running system is taken to have the presets'."""

OF_VARIANT = re.compile(rf"\[({'|'.join(PRODUCTS)})[]-]")
"""How the parameters of a test of one variant begin."""

QUICK = "-XX:TieredStopAtLevel=1"
"""Without the compiler for long runs a start takes two thirds of the time."""

STARTED = contextlib.ExitStack()
"""Stops the stack of the running variant."""

BASE_URL = os.environ.get("TESTBED_BASE_URL")
RUNNING_VARIANT = os.environ.get("TESTBED_VARIANT")

if BASE_URL and RUNNING_VARIANT not in systems.names():
    raise pytest.UsageError(
        f"TESTBED_BASE_URL is set, TESTBED_VARIANT is {RUNNING_VARIANT!r}: "
        f"choose from {', '.join(systems.names())}"
    )


def tested(variants: Iterable[str]) -> tuple[str, ...]:
    """Return those of some variants that can be asked."""
    return tuple(name for name in variants if not BASE_URL or name == RUNNING_VARIANT)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "variant(*names): asks these variants only")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "variant" in metafunc.fixturenames:
        only = metafunc.definition.get_closest_marker("variant")
        wanted = tested(PRODUCTS if only is None else only.args)
        metafunc.parametrize("variant", wanted, scope="session")


class ByStack(LoadScopeScheduling):
    """Gives a worker all tests of a variant, or of a file: they share what they start."""

    def _split_scope(self, nodeid: str) -> str:
        match = OF_VARIANT.search(nodeid)
        return nodeid.partition("::")[0] if match is None else match[1]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByStack:
    return ByStack(config, log)


def _variant(item: pytest.Item) -> str | None:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    variant = params.get("variant")
    return variant if variant in systems.names() else None


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    # pytest would keep it until the session ends. Idle, its services use a sixth of a processor.
    if nextitem is not None and _variant(item) != _variant(nextitem):
        STARTED.close()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # By variant, so that each is started once. A front door remembers every cinema it has seen and
    # misses it later: the tests with a further cinema come last, those with as many as it can know
    # last of all. Callers take a moment to forget an instance: those with a further one come right
    # before.
    def turn(item: pytest.Item) -> tuple[int, bool, bool, bool]:
        assert isinstance(item, pytest.Function)
        variant = _variant(item)
        # The longest first.
        order = len(systems.names()) if variant is None else systems.names().index(variant)
        further = ("many_cinemas", "fourth_cinema", "instances")
        many, fourth, twice = (name in item.fixturenames for name in further)
        return order, many, fourth, twice

    places = [place for place, item in enumerate(items) if HERE in item.path.parents]
    ordered = sorted((items[place] for place in places), key=turn)
    for place, item in zip(places, ordered, strict=True):
        items[place] = item
        # The first of a variant waits for its start as well.
        item.add_marker(pytest.mark.timeout(START_LIMIT_S))


def worker_ports() -> int:
    """Return what this worker adds to its ports."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    return WORKER_PORTS * int(worker.removeprefix("gw"))


@contextlib.contextmanager
def started(
    variant: str,
    settings: Mapping[str, str],
    folder: Path,
    port_offset: int = PORT_OFFSET,
    *,
    environ: Mapping[str, str] = os.environ,
    patient: bool = True,
    **further: Any,
) -> Iterator[Stack]:
    """Start a variant; stop it at the end, at which it must not have ended by itself.

    Without `patient` its services have the limits of the preset. `further` is for `Choice`.
    """
    project = Project(Project.find().root, folder)
    offset = port_offset + worker_ports()
    choice = Choice(variant, settings=settings, port_offset=offset, **further)
    environ = {**environ, "COMPOSE_PROFILES": ""}
    if choice.backends == "docker":
        environ["JAVA_OPTS"] = f"{environ.get('JAVA_OPTS', '')} {QUICK}"
        described = in_containers(choice, project, environ)
    else:
        build.require_jars(project, jars(choice, project))
        java = jdk.for_services()
        plain = in_processes(choice, project, java, environ)
        options = (QUICK, f"@{PATIENT}") if patient else (QUICK,)
        # A build may write the jars anew meanwhile.
        described = aot_cache.at_hand(plain, project, java, *options)
    stack = Stack(project, described, environ, READY_LIMIT_S, CONVERGED_LIMIT_S)
    stack.start()
    try:
        yield stack
        # One that ended by itself has failed, whatever it answered before.
        stack.require_alive()
    finally:
        killed = stack.stop()
    assert killed == [], "did not end when asked to"


@pytest.fixture(scope="session")
def running(variant: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack | None]:
    """The started variant; None if it was running before."""
    if BASE_URL:
        yield None
        return
    folder = tmp_path_factory.mktemp(f"stack-{variant}")
    with STARTED:
        yield STARTED.enter_context(started(variant, SETTINGS, folder))


@pytest.fixture(scope="session")
def published() -> None:
    """For tests that ask what is behind the front door, at its ports on this machine."""
    if BASE_URL and urlsplit(BASE_URL).hostname not in ("localhost", LOOPBACK):
        pytest.skip("TESTBED_BASE_URL: elsewhere only the front door is asked")


@pytest.fixture
def stack(running: Stack | None) -> Stack:
    """The started variant, for tests that stop and start its services."""
    if running is None:
        pytest.skip("TESTBED_BASE_URL: services of a running system are not stopped")
    return running


@pytest.fixture(scope="session")
def product(variant: str, running: Stack | None) -> Iterator[Product]:
    """The variant, to be asked."""
    port = None if running is None else running.deployment.front_port
    asked = PRODUCTS[variant](BASE_URL or f"http://127.0.0.1:{port}")
    yield asked
    asked.close()


class Eventually(Protocol):
    """Waits until something holds, for some seconds at most."""

    def __call__(self, holds: Callable[[], bool], limit_s: float = PATIENCE_S) -> None: ...


@pytest.fixture(scope="session")
def eventually() -> Eventually:
    """Return a function that waits."""

    def wait(holds: Callable[[], bool], limit_s: float = PATIENCE_S) -> None:
        deadline = time.monotonic() + limit_s
        while not holds():
            assert time.monotonic() < deadline, f"not within {limit_s} s"
            time.sleep(0.1)

    return wait

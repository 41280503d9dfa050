"""Starts the systems into which faults are injected: ``./testbed faults``.

A system serves one promise after the other. After a broken promise it is started again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from contract.conftest import Eventually, eventually, pytest_generate_tests, started
from contract.product import PRODUCTS, Product
from testbed.deploy.services import EMBEDDED
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError
from testbed.model.systems import declaration

from .market import Market
from .recording import (
    CHECKED,
    Progress,
    figures,
    progress,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_report_teststatus,
    sized,
)

__all__ = [
    "Eventually",
    "eventually",
    "figures",
    "progress",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_generate_tests",
    "pytest_report_teststatus",
    "sized",
]

TWICE = "cinema-ucd-service"
"""The service that runs in two instances."""

SETTINGS = {"BROKER_STORE_EXPIRY": "20s", "TESTBED_MESSAGING_QUEUE_LENGTH": "3000"}
"""Answers expire and queues fill up while a check can wait for it."""

RECOVERY_S = 120

SLOWEST_ANSWER_S = 30.0


@dataclass(frozen=True)
class Start:
    """What a check needs from the start of its system: the marker ``start``."""

    settings: Mapping[str, str] = field(default_factory=dict)
    on_disk: bool = False
    """Whether the data of the embedded databases survives their process."""


class Systems:
    """The running system; one at a time."""

    def __init__(
        self, folder: Path, port_offset: int, settings: Mapping[str, str], **chosen: Any
    ) -> None:
        """Start systems with `settings`; `chosen` is for `Choice`."""
        self._folder = folder
        self._port_offset = port_offset
        self._settings = settings
        self._chosen = chosen
        self._starts = 0
        self._started: tuple[str, Start] | None = None
        self._running: contextlib.AbstractContextManager[Stack] | None = None
        self._stack: Stack | None = None

    def running(self, variant: str, start: Start) -> Stack:
        """Return the stack of a variant; start it if it does not run, or otherwise."""
        if self._stack is None or self._started != (variant, start):
            self.end()
            self._starts += 1
            folder = self._folder / f"{self._starts}-{variant}"
            on_disk = {
                "EMBEDDED_MONGODB_FILE": str(folder / "mongodb"),
                "EMBEDDED_POSTGRESQL_DATA": str(folder / "data"),
            }
            twice = {TWICE} & set(declaration(variant).scalable)
            self._running = started(
                variant,
                {**SETTINGS, **start.settings, **self._settings},
                folder,
                self._port_offset,
                environ={**os.environ, **(on_disk if start.on_disk else {})},
                patient=False,
                replicas=dict.fromkeys(twice, 2),
                **self._chosen,
            )
            self._stack = self._running.__enter__()
            self._started = (variant, start)
        return self._stack

    def end(self) -> None:
        """Stop what runs, in whatever state it is."""
        if self._running is not None:
            running, self._running, self._stack = self._running, None, None
            with contextlib.suppress(UserError, AssertionError):
                running.__exit__(None, None, None)


@pytest.fixture(scope="session")
def systems(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Systems]:
    option = pytestconfig.getoption
    made = Systems(
        option("--results") or tmp_path_factory.mktemp("faults"),
        option("--port-offset"),
        dict(setting.split("=", 1) for setting in option("--set")),
        backends=option("--backends"),
        preset=option("--preset"),
    )
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def stack(
    systems: Systems, variant: str, request: pytest.FixtureRequest, progress: Progress
) -> Iterator[Stack]:
    """The running system, complete before and after the check."""
    progress("starting the system")
    marker = request.node.get_closest_marker("start")
    running = systems.running(variant, Start() if marker is None else Start(**marker.kwargs))
    yield running
    checked = request.node.stash.get(CHECKED, None)
    if checked is None or checked.result == "broken":
        systems.end()
        return
    progress("waiting for a complete system")
    try:
        running.await_converged(lambda _: None, RECOVERY_S)
    except UserError:
        systems.end()
        raise


@pytest.fixture
def product(stack: Stack, variant: str) -> Iterator[Product]:
    """The running system, to be asked."""
    asked = PRODUCTS[variant](
        f"http://127.0.0.1:{stack.deployment.front_port}", slowest_answer_s=SLOWEST_ANSWER_S
    )
    yield asked
    asked.close()


@pytest.fixture
def market(stack: Stack) -> Iterator[Market]:
    """The running market, to be asked."""
    asked = Market(f"http://127.0.0.1:{stack.deployment.front_port}")
    yield asked
    asked.close()


def backend(stack: Stack, service: str) -> str:
    """Return what serves as a service of the compose file: itself, or the embedded backends."""
    own = {deployed.name for deployed in stack.deployment.services}
    return service if stack.record.compose is not None or service in own else EMBEDDED

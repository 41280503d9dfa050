"""Writes down what the check of each promise has found, and shows how far it is."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from testbed.measure.environment import git
from testbed.model import promises, systems
from testbed.model.project import Project
from testbed.model.promises import Checked, Result
from testbed.model.words import duration

T = TypeVar("T")

Progress = Callable[[str], None]


LIMIT_S = 3600
"""For one check, with the start of its system."""

MARKS = {"kept": "[green]✓[/]", "broken": "[red]✗[/]", "unchecked": "[yellow]-[/]"}

FIGURES = pytest.StashKey[dict[str, str]]()
CHECKED = pytest.StashKey[Checked]()
"""What has been found of a test's promise so far."""


class Sized(Protocol):
    """Chooses between the full size and the short one."""

    def __call__(self, full: T, short: T) -> T: ...


class Recorder:
    """Records every promise when its check has ended, and shows the running one on a terminal."""

    def __init__(self, config: pytest.Config) -> None:
        results: Path | None = config.getoption("--results")
        self._file = None if results is None else results / promises.FILE
        self._short: bool = config.getoption("--short")
        self._backends: str = config.getoption("--backends")
        state = git(Project.find().root)
        self._commit = None if state is None else f"{state['commit'][:7]}{'+' * state['dirty']}"
        self._all: list[Checked] = []
        # Not what pytest captures.
        self._console = Console(file=sys.__stdout__, highlight=False)
        self._title = ""
        self._live: Live | None = None

    def progress(self, text: str) -> None:
        """Show how far the running check is."""
        if self._live is not None:
            self._live.update(Text(f"{self._title} · {text}", overflow="ellipsis", no_wrap=True))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._title = f"{_promise(item)}, {_system(item)}"
        began = time.monotonic()
        if self._console.is_terminal:
            self._live = Live(
                console=self._console,
                transient=True,
                refresh_per_second=4,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        try:
            return (yield)
        finally:
            if self._live is not None:
                self._live.stop()
            if (checked := item.stash.get(CHECKED, None)) is not None:
                self._record(checked, time.monotonic() - began)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        report: pytest.TestReport = yield
        if report.when == "call" or not report.passed:
            item.stash[CHECKED] = self._checked(item, report)
        return report

    def _checked(self, item: pytest.Item, report: pytest.TestReport) -> Checked:
        promise, says = item.get_closest_marker("promise").args
        # A system that does not recover has broken its promise, one that did not start has not.
        failed: Result = "unchecked" if report.when == "setup" else "broken"
        return Checked(
            promise=promise,
            says=says,
            tested=" ".join(inspect.cleandoc(item.function.__doc__ or "").split()),
            system=_system(item),
            backends=self._backends,
            short=self._short,
            result="kept" if report.passed else "unchecked" if report.skipped else failed,
            recorded=datetime.now(UTC).replace(microsecond=0),
            commit=self._commit,
            figures=item.stash.get(FIGURES, {}),
            why=None if report.passed else _why(report),
        )

    def _record(self, checked: Checked, elapsed_s: float) -> None:
        self._all.append(checked)
        if self._file is not None:
            promises.write(self._file, self._all)
        detail = "; ".join(filter(None, (checked.figure, checked.why)))
        self._console.print(
            f"{MARKS[checked.result]} {self._title} [dim]{duration(elapsed_s)}[/dim]: "
            f"{escape(detail)}",
            soft_wrap=True,
        )


def _promise(item: pytest.Item) -> str:
    return str(item.get_closest_marker("promise").args[0])


def _system(item: pytest.Item) -> str:
    assert isinstance(item, pytest.Function)
    return str(item.callspec.params["variant"])


def _why(report: pytest.TestReport) -> str:
    failure: Any = report.longrepr
    if isinstance(failure, tuple):
        return str(failure[2]).removeprefix("Skipped: ")
    crash = getattr(failure, "reprcrash", None)
    first = str(failure if crash is None else crash.message).partition("\n")[0]
    return first.removeprefix("AssertionError: ")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults")
    group.addoption("--promise", action="append", default=[], help="check only this promise")
    group.addoption("--system", action="append", default=[], help="check only this system")
    group.addoption("--short", action="store_true", help="fewer operations and faults")
    group.addoption("--backends", default="embedded", choices=("embedded", "docker"))
    group.addoption("--preset", default="tuned", choices=systems.PRESETS)
    group.addoption("--set", action="append", default=[], metavar="KEY=VALUE")
    group.addoption("--port-offset", type=int, default=5000)
    group.addoption("--results", type=Path, help="folder for figures and logs")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "promise(name, sentence): what the test checks")
    config.addinivalue_line("markers", "variant(*names): asks these variants only")
    config.addinivalue_line("markers", "short(*names): with --short asks these variants only")
    config.addinivalue_line("markers", "start(**needs): how its system is started")
    config.pluginmanager.register(Recorder(config), "recorder")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    declared = dict.fromkeys(map(_promise, items))
    wanted: list[str] = config.getoption("--promise")
    if unknown := set(wanted) - set(declared):
        raise pytest.UsageError(
            f"unknown promise {', '.join(sorted(unknown))}; choose from: {', '.join(declared)}"
        )
    of_systems: list[str] = config.getoption("--system") or list(systems.names())
    chosen = [
        item
        for item in items
        if _promise(item) in (wanted or declared)
        and _system(item) in of_systems
        and not (config.getoption("--short") and _is_left_out(item))
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    # Each system is started once, if no promise is broken and no check needs a start of its own.
    items[:] = sorted(
        chosen,
        key=lambda item: (
            systems.names().index(_system(item)),
            item.get_closest_marker("start") is not None,
        ),
    )
    for item in items:
        item.add_marker(pytest.mark.timeout(LIMIT_S))


def _is_left_out(item: pytest.Item) -> bool:
    """Return whether a short check does not ask the item's system."""
    marker = item.get_closest_marker("short")
    return marker is not None and _system(item) not in marker.args


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str]:
    """Show nothing: the recorder tells how each check ended."""
    if report.when == "call":
        return report.outcome, "", ""
    return ("" if report.passed else "skipped" if report.skipped else "error"), "", ""


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> dict[str, str]:
    """The figures of the promise, by name, to be filled in."""
    return request.node.stash.setdefault(FIGURES, {})


@pytest.fixture
def progress(request: pytest.FixtureRequest) -> Progress:
    """A function that shows how far the check is."""
    recorder: Recorder = request.config.pluginmanager.get_plugin("recorder")
    return recorder.progress


@pytest.fixture
def sized(request: pytest.FixtureRequest) -> Sized:
    """Choose between the full size and the short one."""
    short: bool = request.config.getoption("--short")
    return lambda full, brief: brief if short else full

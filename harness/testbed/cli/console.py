"""Console output of commands, and their exit codes."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from testbed.model.words import duration

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

HEARTBEAT_S = 30.0
"""The longest time without a line in a log, while a step runs."""

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

Detail = Callable[[str], None]
Line = Callable[[], str]
"""Returns what to show of a running step now, as Rich's markup; may be empty."""


class Board:
    """Shows the steps that run: on a terminal as live lines, else with a line now and then.

    Steps may run within each other, or in several threads.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines: list[Line] = []
        self._shown: Live | _Heartbeat | None = None
        self._changes = threading.Lock()

    @property
    def is_empty(self) -> bool:
        return not self._lines

    @contextmanager
    def showing(self, line: Line) -> Iterator[None]:
        """Show a line while the body runs."""
        self._change(lambda: self._lines.append(line))
        try:
            yield
        finally:
            self._change(lambda: self._lines.remove(line))

    def _change(self, change: Callable[[], None]) -> None:
        with self._changes:
            change()
            if self._lines and self._shown is None:
                self._shown = (
                    Live(
                        console=self._console,
                        transient=True,
                        refresh_per_second=4,
                        get_renderable=self._rendered,
                    )
                    if self._console.is_terminal
                    else _Heartbeat(self._print)
                )
                self._shown.start()
            elif not self._lines and self._shown is not None:
                self._shown.stop()
                self._shown = None

    def _rendered(self) -> Group:
        return Group(*(Text.from_markup(text, overflow="ellipsis") for text in self._texts()))

    def _print(self) -> None:
        for text in self._texts():
            self._console.print(text, soft_wrap=True)

    def _texts(self) -> list[str]:
        return [text for line in self._lines[:] if (text := line())]


class _Heartbeat:
    """Calls a function every `HEARTBEAT_S` seconds, in a thread."""

    def __init__(self, beat: Callable[[], None]) -> None:
        self._beat = beat
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(HEARTBEAT_S):
            self._beat()


_boards: WeakKeyDictionary[Console, Board] = WeakKeyDictionary()


def board(console: Console) -> Board:
    """Return the board of a console, which its steps share."""
    return _boards.setdefault(console, Board(console))


@contextmanager
def step(console: Console, title: str) -> Iterator[Detail]:
    """Show a step while it runs, then its elapsed time.

    Yields a function that takes what the step waits for. Within another step it shows nothing else
    while it runs.
    """
    began, title, waited = time.monotonic(), escape(title), ""
    steps = board(console)
    within = not steps.is_empty

    def line() -> str:
        if within and not waited:
            return ""
        return f"{title} … [dim]{waited}{' ' if waited else ''}{seconds(began)}[/dim]"

    def detail(text: str) -> None:
        nonlocal waited
        waited = escape(text)

    if not within and not console.is_terminal:
        console.print(f"{title} …", soft_wrap=True)
    with steps.showing(line):
        try:
            yield detail
        except BaseException:
            console.print(f"[red]✗[/red] {title} [dim]{seconds(began)}[/dim]")
            raise
    console.print(f"[green]✓[/green] {title} [dim]{seconds(began)}[/dim]")


def seconds(began: float) -> str:
    return duration(time.monotonic() - began)


@contextmanager
def output_as(*, json_only: bool) -> Iterator[None]:
    """Print to standard error while the body runs, if standard output is for JSON only."""
    console.stderr = json_only
    try:
        yield
    finally:
        console.stderr = False


def print_json(data: Mapping[str, Any]) -> None:
    """Print a JSON document to standard output."""
    sys.stdout.write(json.dumps(data, indent=2, allow_nan=False) + "\n")

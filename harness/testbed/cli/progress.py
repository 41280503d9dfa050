"""Shows an experiment while it runs: run, rate, failures and remaining time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from testbed.experiment.planning import Expected
from testbed.experiment.schedule import Run, Start
from testbed.measure.load import Seen
from testbed.model.words import duration


@dataclass
class Estimate:
    """Estimates the remaining time from what starts and runs have taken so far, in seconds."""

    expected: Expected
    runs_s: list[float] = field(default_factory=list)
    starts_s: list[float] = field(default_factory=list)

    def remaining_s(self) -> float:
        runs = max(0, self.expected.runs - len(self.runs_s))
        starts = max(0, self.expected.starts - len(self.starts_s))
        return runs * _mean(self.runs_s, self.expected.run_s) + starts * _mean(
            self.starts_s, self.expected.start_s
        )


class Progress:
    """Shows an experiment's progress: one line per ended run, and a live line on a terminal."""

    def __init__(self, console: Console, expected: Expected) -> None:
        self._console = console
        self._estimate = Estimate(expected)
        # Where results decide the number of runs, it is a bound.
        self._of = f"{'≤' if expected.at_most else '≥' if expected.at_least else ''}{expected.runs}"
        self._live = Live(console=console, transient=True, refresh_per_second=4)
        self._subject = ""
        self._began = time.monotonic()
        self._width = len(str(expected.runs))

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def starting(self, start: Start) -> None:
        self._began = time.monotonic()
        self._subject = f"start {start.repetition}, {start.name}"

    def waiting(self, what: str) -> None:
        self._update(f"waiting for {escape(what)}")

    def started(self, start: Start) -> None:
        self._print(
            f"[green]✓[/green] start {start.repetition}: {start.name} up "
            f"[dim]{duration(time.monotonic() - self._began)}[/]"
        )

    def loading(self, name: str, seen: Seen) -> None:
        self._subject = name
        failed = f"[red]{seen.failed} failed[/red]" if seen.failed else "0 failed"
        self._update(
            f"{seen.rate:,.0f} operations/s, {failed}{_open_loop(seen)}, {duration(seen.elapsed_s)}"
        )

    def warmed(self, start: Start, told: str) -> None:
        self._estimate.starts_s.append(time.monotonic() - self._began)
        self._print(f"  warm-up: {told}")

    def measured(self, run: Run, seen: Sequence[Seen], seconds: float) -> None:
        self._estimate.runs_s.append(seconds)
        failed = any(one.failed for one in seen)
        mark = "[red]![/red]" if failed else "[green]✓[/green]"
        number = len(self._estimate.runs_s)
        self._print(f"{mark} [{number:{self._width}}/{self._of}] {run.id} {_outcome(seen)}")

    def judged(self, run: Run, verdict: str) -> None:
        self._print(f"  [yellow]{escape(verdict)}[/yellow]")

    def known(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._print(f"  [cyan]{escape(line)}[/cyan]")

    def decided(self, text: str) -> None:
        self._print(text)

    def _update(self, text: str) -> None:
        number = len(self._estimate.runs_s) + 1
        left = duration(self._estimate.remaining_s())
        self._live.update(
            Text.from_markup(
                f"run {number}/{self._of} · about {left} left · {self._subject} · {text}",
                overflow="ellipsis",
            )
        )

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)
        self._subject = ""


def _outcome(seen: Sequence[Seen]) -> str:
    operations, failed = sum(one.operations for one in seen), sum(one.failed for one in seen)
    span_s = sum(one.span_s for one in seen)
    rate = operations / span_s if span_s else 0.0
    return f"{operations:,} operations, {rate:,.0f}/s, {failed} failed{_open_loop(seen[-1])}"


def _open_loop(seen: Seen) -> str:
    """Return an open loop's offered, not ended and late operations; else nothing."""
    if seen.offered is None:
        return ""
    waiting = max(0, seen.offered - seen.operations)
    return f" ({seen.offered:,} offered, {waiting:,} not ended, {seen.late:,} late)"


def _mean(values: Sequence[float], guess: float) -> float:
    return sum(values) / len(values) if values else guess

"""Shows an experiment while it runs: run, rate, failures and remaining time."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from testbed.load import Seen
from testbed.planning import Expected
from testbed.schedule import Run, Start
from testbed.steps import duration


class Estimate:
    """Estimates the remaining time from what starts and runs have taken so far.

    Parameters
    ----------
    expected
        What is to be measured.
    """

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._runs: list[float] = []
        self._starts: list[float] = []
        self.runs = expected.runs
        self.measured_runs = 0
        self._left_starts = expected.starts
        self._left_warmups = expected.warmups

    @property
    def left_runs(self) -> int:
        """How many runs are expected still."""
        return max(0, self.runs - self.measured_runs)

    def started(self, seconds: float) -> None:
        """Note a start."""
        self._starts.append(seconds)
        self._left_starts = max(0, self._left_starts - 1)

    def warmed(self) -> None:
        """Note a warm-up."""
        self._left_warmups = max(0, self._left_warmups - 1)

    def measured(self, seconds: float) -> None:
        """Note a run."""
        self._runs.append(seconds)
        self.measured_runs += 1

    def remaining_s(self) -> float:
        """Return the seconds that what is left is likely to take."""
        return (
            self.left_runs * _mean(self._runs, self._expected.run_s)
            + self._left_starts * _mean(self._starts, self._expected.start_s)
            + self._left_warmups * self._expected.warmup_s
        )


class Progress:
    """Shows how an experiment goes on: one line per ended run, and a live line on a terminal.

    Parameters
    ----------
    console
        Where to.
    expected
        What is to be measured.
    """

    def __init__(self, console: Console, expected: Expected) -> None:
        self._console = console
        self._estimate = Estimate(expected)
        # A number of runs that results decide is a bound, so it is not shown as if it were certain.
        self._of = f"{'≤' if expected.at_most else '≥' if expected.at_least else ''}{expected.runs}"
        self._live = Live(console=console, transient=True, refresh_per_second=4)
        self._began = time.monotonic()
        self._subject = ""
        self._width = len(str(self._estimate.runs))

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def starting(self, start: Start) -> None:
        """Show that a variant is about to be started."""
        self._begin(f"start {start.system}, round {start.repetition}")

    def waiting(self, what: str) -> None:
        """Show what is being waited for."""
        self._update(f"waiting for {what}")

    def started(self, start: Start, seconds: float) -> None:
        """Show how long a start took."""
        self._estimate.started(seconds)
        self._print(
            f"[green]✓[/green] {start.system} started, round {start.repetition} "
            f"[dim]{duration(seconds)}[/]"
        )

    def loading(self, name: str, seen: Seen) -> None:
        """Show the load that is on."""
        if self._subject != name:
            self._begin(name)
        failed = f"[red]{seen.failed} failed[/red]" if seen.failed else "0 failed"
        self._update(
            f"{seen.rate:,.0f} operations/s, {failed}{_open_loop(seen)}, {duration(seen.elapsed_s)}"
        )

    def warmed(self, name: str, seen: Seen) -> None:
        """Show that a warm-up ended."""
        self._estimate.warmed()
        self._print(f"  warm-up {name} [dim]{_outcome(seen)}[/dim]")

    def measured(self, run: Run, seen: Seen) -> None:
        """Show that a run ended."""
        self._estimate.measured(time.monotonic() - self._began)
        mark = "[red]![/red]" if seen.failed else "[green]✓[/green]"
        number = self._estimate.measured_runs
        self._print(f"{mark} [{number:{self._width}}/{self._of}] {run.id} {_outcome(seen)}")

    def judged(self, run: Run, verdict: str) -> None:
        """Show what keeps a run from being valid."""
        self._print(f"  [yellow]{escape(verdict)}[/yellow]")

    def decided(self, text: str) -> None:
        """Show whether, and why, the experiment goes on."""
        self._print(text)

    def _begin(self, subject: str) -> None:
        self._subject = subject
        self._began = time.monotonic()

    def _update(self, text: str) -> None:
        number = self._estimate.measured_runs + 1
        left = duration(self._estimate.remaining_s())
        self._live.update(
            Text.from_markup(
                f"run {number}/{self._of} · about {left} left · {self._subject} · {text}",
                overflow="ellipsis",
            )
        )

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False)
        # What comes next, emptying collections among it, belongs to the next run.
        self._begin("")


def _outcome(seen: Seen) -> str:
    rate = seen.operations / seen.span_s if seen.span_s else 0.0
    return f"{seen.operations:,} operations, {rate:,.0f}/s, {seen.failed} failed{_open_loop(seen)}"


def _open_loop(seen: Seen) -> str:
    """Say how an open loop keeps up: what was to begin by now, and what began late."""
    if seen.offered is None:
        return ""
    waiting = max(0, seen.offered - seen.operations)
    return f" ({seen.offered:,} offered, {waiting:,} not ended, {seen.late:,} late)"


def _mean(values: Sequence[float], guess: float) -> float:
    return sum(values) / len(values) if values else guess

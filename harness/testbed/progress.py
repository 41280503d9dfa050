"""Shows an experiment while it runs: run, rate, failures and remaining time."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from testbed.experiment import Experiment
from testbed.load import Seen
from testbed.schedule import Run, Start
from testbed.steps import duration

START_GUESS_S = 30.0
OVERHEAD_GUESS_S = 4.0
LOOPS_GUESS_S = 20.0


class Estimate:
    """Estimates the remaining time from what starts and runs have taken so far.

    Parameters
    ----------
    plan
        Says how long a run is meant to last, if it does.
    starts
        What is to be measured.
    """

    def __init__(self, plan: Experiment, starts: Sequence[Start]) -> None:
        self._run_guess = (plan.duration or LOOPS_GUESS_S) + OVERHEAD_GUESS_S
        self._start_guess = START_GUESS_S
        self._warmup_guess = plan.warmup.duration + OVERHEAD_GUESS_S
        self._runs: list[float] = []
        self._starts: list[float] = []
        self.runs = sum(len(start.runs) for start in starts)
        self.left_runs = self.runs
        self._left_starts = len(starts)
        self._left_warmups = sum(len(start.workloads) for start in starts)

    def started(self, seconds: float) -> None:
        """Note a start."""
        self._starts.append(seconds)
        self._left_starts -= 1

    def warmed(self) -> None:
        """Note a warm-up."""
        self._left_warmups -= 1

    def measured(self, seconds: float) -> None:
        """Note a run."""
        self._runs.append(seconds)
        self.left_runs -= 1

    def remaining_s(self) -> float:
        """Return the seconds that what is left is likely to take."""
        return (
            self.left_runs * _mean(self._runs, self._run_guess)
            + self._left_starts * _mean(self._starts, self._start_guess)
            + self._left_warmups * self._warmup_guess
        )


class Progress:
    """Shows how an experiment goes on: one line per ended run, and a live line on a terminal.

    Parameters
    ----------
    console
        Where to.
    plan
        The experiment.
    starts
        What is to be measured.
    """

    def __init__(self, console: Console, plan: Experiment, starts: Sequence[Start]) -> None:
        self._console = console
        self._estimate = Estimate(plan, starts)
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
        self._begin(f"start {start.variant} {start.preset}, round {start.repetition}")

    def waiting(self, what: str) -> None:
        """Show what is being waited for."""
        self._update(f"waiting for {what}")

    def started(self, start: Start, seconds: float) -> None:
        """Show how long a start took."""
        self._estimate.started(seconds)
        self._print(
            f"[green]✓[/green] {start.variant} ({start.preset}) started [dim]{duration(seconds)}[/]"
        )

    def loading(self, name: str, seen: Seen) -> None:
        """Show the load that is on."""
        if self._subject != name:
            self._begin(name)
        failed = f"[red]{seen.failed} failed[/red]" if seen.failed else "0 failed"
        self._update(f"{seen.rate:,.0f} operations/s, {failed}, {duration(seen.elapsed_s)}")

    def warmed(self, name: str, seen: Seen) -> None:
        """Show that a warm-up ended."""
        self._estimate.warmed()
        self._print(f"  warm-up {name} [dim]{_outcome(seen)}[/dim]")

    def measured(self, run: Run, seen: Seen) -> None:
        """Show that a run ended."""
        self._estimate.measured(time.monotonic() - self._began)
        mark = "[red]![/red]" if seen.failed else "[green]✓[/green]"
        number = self._estimate.runs - self._estimate.left_runs
        self._print(
            f"{mark} [{number:{self._width}}/{self._estimate.runs}] {run.id} {_outcome(seen)}"
        )

    def _begin(self, subject: str) -> None:
        self._subject = subject
        self._began = time.monotonic()

    def _update(self, text: str) -> None:
        done = self._estimate.runs - self._estimate.left_runs
        left = duration(self._estimate.remaining_s())
        self._live.update(
            Text.from_markup(
                f"run {min(done + 1, self._estimate.runs)}/{self._estimate.runs} · "
                f"about {left} left · {self._subject} · {text}",
                overflow="ellipsis",
            )
        )

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False)
        # What comes next, emptying collections among it, belongs to the next run.
        self._begin("")


def _outcome(seen: Seen) -> str:
    rate = seen.operations / seen.span_s if seen.span_s else 0.0
    return f"{seen.operations:,} operations, {rate:,.0f}/s, {seen.failed} failed"


def _mean(values: Sequence[float], guess: float) -> float:
    return sum(values) / len(values) if values else guess

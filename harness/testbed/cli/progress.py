"""Shows an experiment while it runs: its steps, and rate and failures of each run."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from testbed.cli.steps import MEASURE, SEARCH, START, WARM_UP, Steps
from testbed.experiment.planning import Expected
from testbed.experiment.runs import Run, Start
from testbed.measure.samplefile import Seen


class Progress:
    """Shows an experiment's progress: a line for each step and each run that ended."""

    def __init__(self, console: Console, steps: Steps, expected: Expected) -> None:
        self._console = console
        self._steps = steps
        self._measuring = SEARCH if expected.at_most else MEASURE
        self._warms_up = any(start.warm_up_s for start in expected.starts)
        # Where results decide the number of runs, it is a bound.
        self._of = f"{'≤' if expected.at_most else '≥' if expected.at_least else ''}{expected.runs}"
        self._width = len(str(expected.runs))
        self._ended = 0
        self._subject = ""

    def starting(self, start: Start) -> None:
        self._subject = ""
        self._steps.begin(START)

    def waiting(self, what: str) -> None:
        self._detail(f"waiting for {escape(what)}")

    def started(self, start: Start) -> None:
        self._steps.begin(WARM_UP if self._warms_up else self._measuring)

    def loading(self, name: str, seen: Seen) -> None:
        self._subject = name
        failed = f"[red]{seen.failed} failed[/red]" if seen.failed else "0 failed"
        self._detail(f"{seen.rate:,.0f} operations/s, {failed}{_open_loop(seen)}")

    def warmed(self, start: Start, words: str) -> None:
        self._print(f"  warm-up: {words}")
        self._steps.begin(self._measuring)

    def measured(self, run: Run, seen: Sequence[Seen], seconds: float) -> None:
        self._ended += 1
        failed = any(block.failed for block in seen)
        mark = "[red]![/red]" if failed else "[green]✓[/green]"
        self._print(f"{mark} [{self._ended:{self._width}}/{self._of}] {run.id} {_outcome(seen)}")

    def judged(self, run: Run, verdict: str) -> None:
        self._print(f"  [yellow]{escape(verdict)}[/yellow]")

    def narrowed(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._print(f"  [cyan]{escape(line)}[/cyan]")

    def noticed(self, text: str) -> None:
        self._print(f"  [yellow]{escape(text)}[/yellow]")

    def decided(self, text: str) -> None:
        self._print(text)

    def _detail(self, text: str) -> None:
        self._steps.detail(" · ".join(filter(None, (escape(self._subject), text))))

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)
        self._subject = ""


def _outcome(seen: Sequence[Seen]) -> str:
    operations, failed = (
        sum(block.operations for block in seen),
        sum(block.failed for block in seen),
    )
    span_s = sum(block.span_s for block in seen)
    rate = operations / span_s if span_s else 0.0
    return f"{operations:,} operations, {rate:,.0f}/s, {failed} failed{_open_loop(seen[-1])}"


def _open_loop(seen: Seen) -> str:
    """Return an open loop's offered, not ended and late operations; else nothing."""
    if seen.offered is None:
        return ""
    waiting = max(0, seen.offered - seen.operations)
    return f" ({seen.offered:,} offered, {waiting:,} not ended, {seen.late:,} late)"

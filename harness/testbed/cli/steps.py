"""The steps of a command: which one runs, and about how long all that are left take."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean
from types import TracebackType

from rich.console import Console
from rich.markup import escape

from testbed.cli.console import board
from testbed.experiment.planning import Expected
from testbed.model import files
from testbed.model.words import about, duration

PREPARE, START, WARM_UP, MEASURE, REPORT = ("prepare", "start", "warm-up", "measure", "report")
"""Kinds of steps that are planned."""

SEARCH = "search"
"""In place of `MEASURE` where it lasts until something is found."""

TRAIN, CEILING, BARE = ("train", "ceiling", "bare")
"""Kinds of steps that turn out to be needed."""

PROCESSOR = "processor"
"""Of no step, but of `machine.probe_s`."""

BY_PROCESSOR = {PROCESSOR: 1.0, START: 1.0, WARM_UP: 0.4, TRAIN: 1.0, REPORT: 1.0}
"""Kinds whose time follows from the speed of the processor, not from a clock or a network, and the
power of it by which it does. Of a warm-up most are windows of a fixed length: where a group had a
third of the cores, a start took 3.1 times as long, and a warm-up 1.45 times.
"""

# Seconds on the machine of `testbed.experiment.planning`: 2 cores of an Intel Xeon in a cloud, in
# one run of `compare --quick` on a fresh clone, November 2026.

MODULE_S = 9.0
"""Building a module of the services, of seven together."""

JMETER_S = 50.0
"""Fetching and laying out JMeter."""

TRAIN_S = 85.0
"""Training the AOT caches of a variant."""

CEILING_S = 7.0
"""Measuring what the generator reaches with one plan."""

BARE_S = 120.0
"""Measuring what three servers without work reach with one plan."""

REPORT_S = 6.0
"""Writing the report of `compare --quick`."""

PROBE_S = 0.3
"""What `machine.probe_s` returns: 0.19 where a start took 0.63 of its seconds."""

LEAST_S = 0.2
"""Steps that are expected to be shorter teach nothing about the machine."""

KEPT = "pace.json"
"""The file of the state folder with the pace of earlier commands."""


@dataclass(frozen=True)
class Step:
    """A part of a command; `seconds` is its time on the machine of the estimate's constants."""

    kind: str
    title: str
    seconds: float


@dataclass
class Pace:
    """What steps have taken on this machine, divided by the expected time, by kind and title.

    Titles name systems, as a monolith starts sooner than its services. It is kept in `file` from
    command to command.
    """

    file: Path | None = None
    ratios: dict[str, dict[str, float]] = field(default_factory=dict)
    _learnt: set[str] = field(default_factory=set)
    """The titles of this command's steps."""

    @classmethod
    def read(cls, file: Path) -> Pace:
        """Return what a file keeps; nothing if it is missing or damaged."""
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
            return cls(
                file,
                {
                    kind: {title: float(ratio) for title, ratio in titles.items() if ratio > 0}
                    for kind, titles in kept.items()
                },
            )
        except (OSError, ValueError, TypeError, AttributeError):
            return cls(file)

    def seconds(self, step: Step) -> float:
        """Return the expected seconds of a step on this machine.

        The last step of its title decides. Without one, those of its kind do, and without these,
        other kinds tell the speed of the processor.
        """
        alike = self.ratios.get(step.kind, {})
        seen = [alike[step.title]] if step.title in alike else list(alike.values())
        if not seen and step.kind in BY_PROCESSOR:
            seen = [
                ratio ** (BY_PROCESSOR[step.kind] / BY_PROCESSOR[kind])
                for kind, ratios in self.ratios.items()
                if kind in BY_PROCESSOR
                for ratio in ratios.values()
            ]
        return step.seconds * (geometric_mean(seen) if seen else 1.0)

    def learn(self, step: Step, took_s: float) -> None:
        """Keep what a step has taken.

        If the processor was quicker in the commands before, by this step, it was by the others.
        """
        if step.seconds < LEAST_S or took_s <= 0:
            return
        ratio, alike = took_s / step.seconds, self.ratios.setdefault(step.kind, {})
        before = alike.get(step.title)
        tells = BY_PROCESSOR.get(step.kind) == 1
        if tells and before is not None and step.title not in self._learnt:
            for kind in self.ratios.keys() & BY_PROCESSOR.keys():
                for title in self.ratios[kind].keys() - self._learnt:
                    self.ratios[kind][title] *= (ratio / before) ** BY_PROCESSOR[kind]
        alike[step.title] = ratio
        self._learnt.add(step.title)
        if self.file is not None:
            kept = {
                kind: {title: round(ratio, 3) for title, ratio in ratios.items()}
                for kind, ratios in self.ratios.items()
            }
            files.write_json(self.file, kept)


class Steps:
    """Shows the steps of a command: a line when one begins, and what it waits for meanwhile.

    `bound` is "at least " or "at most " where results decide how many there are.
    """

    def __init__(
        self, console: Console, planned: Sequence[Step], pace: Pace, bound: str = ""
    ) -> None:
        self._console = console
        self._planned = list(planned)
        self._pace = pace
        self._bound = bound
        self._number = 0
        """Of the step that runs; 0 before the first."""
        self._step: Step | None = None
        self._entered = self._began = 0.0
        self._detail = ""
        self._shown = ExitStack()

    def __enter__(self) -> Steps:
        self._entered = time.monotonic()
        self._console.print(f"{self._of(len(self._planned))} steps, {self._left} in all")
        self._shown.enter_context(board(self._console).showing(self._line))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            self.end()
        self._shown.close()
        self._console.print(f"[dim]{duration(time.monotonic() - self._entered)} in all[/dim]")

    def begin(self, kind: str) -> None:
        """End the step that runs, and begin the next one of a kind.

        Planned steps before it are skipped. If none of the kind is left, the last one is repeated:
        the results ask for more than was planned.
        """
        self.end()
        kinds = [step.kind for step in self._planned]
        if kind in kinds[self._number :]:
            place = kinds.index(kind, self._number)
            del self._planned[self._number : place]
        else:
            place = len(kinds) - 1 - kinds[::-1].index(kind)
            self._planned.insert(self._number, self._planned[place])
        self._begin()

    def insert(self, step: Step) -> None:
        """End the step that runs, and begin one that was not planned."""
        self.end()
        self._planned.insert(self._number, step)
        self._begin()

    def end(self) -> None:
        """End the step that runs, if one does."""
        if self._step is not None:
            self._pace.learn(self._step, time.monotonic() - self._began)
            self._step = None

    def detail(self, text: str) -> None:
        """Show what the step that runs waits for; `text` is Rich's markup."""
        self._detail = text

    def remaining_s(self) -> float:
        """Return about how long this step and the planned ones after it still take, in seconds."""
        left = sum(map(self._pace.seconds, self._planned[self._number :]))
        # It may end meanwhile: lines are shown by another thread.
        step = self._step
        if step is None:
            return left
        return left + max(0.0, self._pace.seconds(step) - (time.monotonic() - self._began))

    def _begin(self) -> None:
        self._step = self._planned[self._number]
        self._number += 1
        self._began, self._detail = time.monotonic(), ""
        title = escape(self._step.title)
        line = f"[bold]{self._place}[/bold]: {title}, {self._left} left"
        self._console.print(line, soft_wrap=True)

    def _line(self) -> str:
        """Return what the step waits for; its title is in the line with which it began."""
        if self._step is None:
            return ""
        elapsed = duration(time.monotonic() - self._began)
        progress = f"{self._place}, {self._left} left, {elapsed} so far"
        return " · ".join(filter(None, (progress, self._detail)))

    @property
    def _place(self) -> str:
        return f"step {self._number} of {self._of(len(self._planned))}"

    @property
    def _left(self) -> str:
        return about(self.remaining_s(), self._bound)

    def _of(self, count: int) -> str:
        return f"at least {count}" if self._bound == "at least " else f"{count}"


def preparation(modules: int, *, jmeter: bool) -> Step:
    """Return the step before the first start: modules to build, and whether to lay out JMeter."""
    work = [
        *([f"building {modules} module{'' if modules == 1 else 's'}"] if modules else []),
        *(["laying out JMeter"] if jmeter else []),
    ]
    title = " and ".join(work) or "checking what is needed"
    return Step(PREPARE, title, modules * MODULE_S + (JMETER_S if jmeter else 0.0))


def of_experiment(expected: Expected) -> list[Step]:
    """Return the steps of what is left of an experiment: of each start, and what follows it."""
    steps = []
    for start in expected.starts:
        steps.append(Step(START, f"starting {start.name}", start.start_s))
        if start.warm_up_s:
            steps.append(Step(WARM_UP, f"warming up {start.name}", start.warm_up_s))
        kind = SEARCH if expected.at_most else MEASURE
        steps.append(Step(kind, f"measuring {start.name}", start.measure_s))
    return steps

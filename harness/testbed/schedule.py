"""The order of an experiment's runs, interleaved and shuffled from its seed; what is left of it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from testbed import search
from testbed.arrivals import mean_rate
from testbed.experiment import Experiment

CLOSED = "closed"
OPEN = "open"

Records = Mapping[str, Mapping[str, Any]]
"""The records of finished runs, by name."""


@dataclass(frozen=True)
class Level:
    """A load.

    Parameters
    ----------
    mode
        ``closed`` or ``open``.
    value
        Threads (closed) or mean arrivals per second (open).
    threads
        Users, or the most operations in flight.
    changing
        Whether the rate changes within the run, as the experiment's schedule says.
    """

    mode: str
    value: float
    threads: int
    changing: bool = False


@dataclass(frozen=True)
class Run:
    """One system, workload, level and repetition, measured once.

    Parameters
    ----------
    system, variant, preset, workload
        What is measured.
    level
        The load.
    repetition
        From 1.
    """

    system: str
    variant: str
    preset: str
    workload: str
    level: Level
    repetition: int

    @property
    def id(self) -> str:
        """Its name, unique in the experiment."""
        return f"{self.system}-{self.workload}-{_shown(self.level)}-{self.repetition}"


@dataclass(frozen=True)
class Start:
    """One start of a system, and what is run before it is ended.

    Parameters
    ----------
    system, variant, preset
        What is started.
    repetition
        The round, from 1.
    workloads
        What is warmed up, in order.
    runs
        In the order they are measured; empty where a search decides it.
    """

    system: str
    variant: str
    preset: str
    repetition: int
    workloads: tuple[str, ...]
    runs: tuple[Run, ...] = ()

    def run(self, workload: str, level: Level) -> Run:
        """Return a run of this start."""
        return Run(self.system, self.variant, self.preset, workload, level, self.repetition)

    def warmup_id(self, workload: str) -> str:
        """Return the name of the warm-up of a workload, unique in the experiment."""
        return f"{self.system}-{workload}-{self.repetition}"


def levels(experiment: Experiment) -> tuple[Level, ...]:
    """Return the levels of an experiment, those of the closed loop first; none for a search."""
    found = [Level(CLOSED, threads, threads) for threads in experiment.threads]
    found += [open_level(experiment, rate) for rate in experiment.rates]
    if experiment.schedule is not None:
        rate = mean_rate(experiment.schedule)
        found.append(Level(OPEN, rate, experiment.max_in_flight, changing=True))
    return tuple(found)


def open_level(experiment: Experiment, rate: float) -> Level:
    """Return the level of an open loop with one rate, arrivals per second."""
    return Level(OPEN, rate, experiment.max_in_flight)


def round_of(experiment: Experiment, repetition: int) -> tuple[Start, ...]:
    """Return one round in the order it is measured.

    A round starts every system once, in shuffled order, and measures its workloads and levels in
    shuffled order; so the systems alternate and no level always follows another. They share one
    port, so that a switch costs a start, which also makes starts, not only runs, independent. The
    seed and the number of the round alone decide the order: a stopped experiment goes on in it.
    """
    order = random.Random(f"{experiment.seed}/{repetition}")
    systems = list(experiment.compared)
    order.shuffle(systems)
    starts = []
    for system in systems:
        start = Start(system.name, system.variant, system.preset, repetition, ())
        runs = [
            start.run(workload, level)
            for workload in experiment.workloads
            for level in levels(experiment)
        ]
        order.shuffle(runs)
        workloads = list(dict.fromkeys(run.workload for run in runs))
        if not runs:
            workloads = list(experiment.workloads)
            order.shuffle(workloads)
        starts.append(
            Start(
                system.name,
                system.variant,
                system.preset,
                repetition,
                tuple(workloads),
                tuple(runs),
            )
        )
    return tuple(starts)


def rounds(experiment: Experiment) -> int:
    """Return how many rounds there are at least."""
    if experiment.search is not None:
        return experiment.search.repetitions
    if experiment.precision is not None:
        return experiment.precision.min_repetitions
    return experiment.repetitions


def schedule(experiment: Experiment) -> tuple[Start, ...]:
    """Return every round that is certain to be measured, in order."""
    return tuple(
        start
        for repetition in range(1, rounds(experiment) + 1)
        for start in round_of(experiment, repetition)
    )


def next_run(plan: Experiment, start: Start, done: Records, last: Run | None = None) -> Run | None:
    """Return what is measured next after a start; None when all is.

    Parameters
    ----------
    start
        The start.
    done
        The records of finished runs, by name: the only thing that a search depends on.
    last
        What was measured last, so that the workloads of a search alternate.
    """
    if plan.search is None:
        return next((run for run in start.runs if run.id not in done), None)
    names = start.workloads
    if last is not None:
        turn = names.index(last.workload) + 1
        names = (*names[turn:], *names[:turn])
    for workload in names:
        rate = search.next_rate(plan.search, tried(start, workload, done))
        if rate is not None:
            return start.run(workload, open_level(plan, rate))
    return None


def unfinished(plan: Experiment, done: Records) -> tuple[Start, ...]:
    """Return the starts that are certain to be needed still, in order, each as it was scheduled.

    Parameters
    ----------
    done
        The records of finished runs, by name.
    """
    return tuple(start for start in schedule(plan) if next_run(plan, start, done) is not None)


def unfinished_workloads(plan: Experiment, start: Start, done: Records) -> tuple[str, ...]:
    """Return the workloads of a start that something is left to measure of, in order."""

    def only(workload: str) -> Start:
        runs = tuple(run for run in start.runs if run.workload == workload)
        return replace(start, workloads=(workload,), runs=runs)

    return tuple(
        workload for workload in start.workloads if next_run(plan, only(workload), done) is not None
    )


def tried(start: Start, workload: str, done: Records) -> dict[float, bool]:
    """Return whether the objective was met, by the rates that a search has tried."""
    return {
        record["level"]: bool(record["slo"]["met"])
        for record in done.values()
        if (record["system"], record["workload"], record["repetition"])
        == (start.system, workload, start.repetition)
    }


def _shown(level: Level) -> str:
    """Return a level for a name that sorts by it."""
    if level.changing:
        return "schedule"
    if level.mode == CLOSED:
        return f"{level.threads:03d}-threads"
    whole, _, part = f"{level.value:.6f}".rstrip("0").partition(".")
    return f"{int(whole):04d}{'.' + part if part else ''}-per-s"

"""Describes what an experiment will measure, and estimates how long it takes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial

from testbed.experiment import arrivals, search
from testbed.experiment.declaration import (
    Demanded,
    Experiment,
    InBlocks,
    InBurst,
    Searched,
    Stepped,
    System,
)
from testbed.experiment.demand import Records
from testbed.experiment.parts import STRETCHES
from testbed.experiment.schedule import (
    CLOSED,
    Cell,
    Level,
    Start,
    left,
    open_level,
    tried,
    unfinished,
)
from testbed.model.errors import UserError
from testbed.model.loads import load_words

START_S = 38.0
"""One system's start to its first full answer: 2 cores of an Intel Xeon in a cloud, embedded
backends.
"""

WARM_S = 120.0
"""A warm-up that ends by its rule: the same machine, both workloads."""

WARMING_PER_S = 1000.0
"""Operations per second on average over a warm-up, from the start on: the same machine."""

OVERHEAD_S = 0.4
"""Time per block on top of its own seconds: reading the plan and starting threads."""

CELL_S = 1.5
"""Time per cell and system on top of its blocks: reset the state, read metrics before and after."""

OPERATION_S = 0.001
"""Mean time per operation in experiments/thesis.yaml, used if only loops limit a run."""

LEAD_S = 2.0
"""How long an open loop lets its users start before the first arrival."""


GENERATOR_CPUS = 1
"""The cores that a load generator needs beside what is measured."""


@dataclass(frozen=True)
class ExpectedStart:
    """What is left of one start of systems that are up together; times are in seconds."""

    name: str
    """The names of its systems, joined by "and"."""
    runs: int
    start_s: float
    warm_up_s: float
    measure_s: float

    @property
    def seconds(self) -> float:
        return self.start_s + self.warm_up_s + self.measure_s


@dataclass(frozen=True)
class Expected:
    """The remaining runs and starts of an experiment."""

    starts: tuple[ExpectedStart, ...]
    at_most: bool = False
    """Whether there are fewer runs if the results decide so."""
    at_least: bool = False
    """Whether there are more."""

    @property
    def runs(self) -> int:
        return sum(start.runs for start in self.starts)

    @property
    def seconds(self) -> float:
        return sum(start.seconds for start in self.starts)

    @property
    def bound(self) -> str:
        return "at most " if self.at_most else "at least " if self.at_least else ""

    @property
    def told(self) -> str:
        return f"{self.bound}{self.runs} runs after {len(self.starts)} starts"


def require_cores(experiment: Experiment, cores: float) -> None:
    """Check that the CPU limits of each system leave its load generators their cores.

    `cores` is what the machine has. Systems that are up together have load in turns, so each is
    checked by itself; a cluster checks what it has. Raises `UserError` with the first that needs
    more.
    """
    unchecked = experiment.overcommit or experiment.backends == "kubernetes"
    for system in () if unchecked else experiment.compared:
        most = _most_cpus(experiment, system)
        needed = GENERATOR_CPUS * system.generators
        if most and round(most + needed, 6) > cores:
            raise UserError(
                f"limits: the instances of {system.name} may use {most:g} cores, generating its "
                f"load needs {needed}, and this machine has {cores:g}",
                "Lower cpus, replicas or generators, or write `overcommit: true` into the "
                "experiment.",
            )


def needed_cores(experiment: Experiment) -> float:
    """Return the cores that the limits of a system and its load generators need together."""
    if experiment.overcommit:
        return GENERATOR_CPUS
    return max(
        _most_cpus(experiment, system) + GENERATOR_CPUS * system.generators
        for system in experiment.compared
    )


def _most_cpus(experiment: Experiment, system: System) -> float:
    """Return the most cores that a system may use; 0 without a limit."""
    if not isinstance(experiment, Demanded):
        return system.cpus
    target = experiment.demand.target
    own = target.cpus if system.name == target.goodput_of else None
    return max(experiment.demand.cpus.last, own or 0)


def run_s(experiment: Experiment, level: Level) -> float:
    """Return the expected seconds of a run, including overhead."""
    if isinstance(experiment, InBlocks):
        blocks = experiment.blocks
        return blocks.each * (blocks.seconds + OVERHEAD_S) + CELL_S
    drain_s = experiment.drain or 0
    if level.mode != CLOSED:
        return arrivals.length_s(experiment) + drain_s + LEAD_S + OVERHEAD_S + CELL_S
    by_loops = None
    if experiment.loops is not None:
        by_loops = level.threads * experiment.loops * OPERATION_S
    limits = [limit for limit in (by_loops, experiment.duration) if limit is not None]
    return min(limits) + drain_s + OVERHEAD_S + CELL_S


def expect(experiment: Experiment, done: Records) -> Expected:
    """Return what is left of an experiment."""
    return Expected(
        starts=tuple(
            ExpectedStart(
                name=start.name,
                runs=len(runs_s := _left_s(experiment, start, done)),
                start_s=len(start.systems) * START_S,
                warm_up_s=len(start.systems) * _warm_up_s(experiment),
                measure_s=sum(runs_s),
            )
            for start in unfinished(experiment, done)
        ),
        at_most=isinstance(experiment, Searched | Demanded),
        at_least=experiment.precision is not None,
    )


def lines(experiment: Experiment, done: Records) -> list[str]:
    """Return what is left in its order, one line per start and cell."""
    told = []
    for start in unfinished(experiment, done):
        told.append(f"start {start.repetition}: {start.name}")
        told += [f"  {_described(experiment, start, cell)}" for cell in left(start, done)]
        if isinstance(experiment, Searched):
            told.append(
                f"  search between {experiment.search.first:g} and {experiment.search.last:g} "
                f"arrivals/s: {', '.join(start.workloads)}"
            )
        if isinstance(experiment, Demanded):
            grid, threads = experiment.demand.cpus, ", ".join(map(str, experiment.threads))
            told += [
                f"  {workload}, 1 thread; search between {grid.first:g} and {grid.last:g} cores at "
                f"{threads} threads"
                for workload in start.workloads
            ]
    if experiment.precision is not None:
        told.append(
            f"then further rounds until a difference of {experiment.precision.could_tell:.0%} "
            f"would be detected everywhere, or {experiment.precision.budget_min:g} min are spent"
        )
    return told


def _warm_up_s(experiment: Experiment) -> float:
    rule, count = experiment.warmup, len(experiment.workloads)
    windows_s = STRETCHES * rule.window * count
    return min(rule.at_most, max(WARM_S, windows_s, rule.operations * count / WARMING_PER_S))


def _described(experiment: Experiment, start: Start, cell: Cell) -> str:
    level = cell.level
    if isinstance(experiment, InBlocks):
        order = itertools.chain.from_iterable(start.turns(cell, experiment.blocks.each))
        turns = " ".join(system.name for system in order)
        return f"{cell.workload}, {load_words(CLOSED, level.threads)}: {turns}"
    if level.mode == CLOSED:
        return f"{cell.workload}, {load_words(CLOSED, level.threads)}"
    if isinstance(experiment, Stepped):
        kind = experiment.schedule.kind
        return f"{cell.workload}, {kind}, {level.value:g} arrivals/s on average"
    if isinstance(experiment, InBurst):
        burst = experiment.burst
        return f"{cell.workload}, {burst.arrivals:,} arrivals over {burst.over:g} s"
    return f"{cell.workload}, {level.value:g} arrivals/s, {experiment.arrivals}"


def _left_s(experiment: Experiment, start: Start, done: Records) -> list[float]:
    """Return the expected seconds of each remaining run of a start."""
    if isinstance(experiment, Demanded):
        tries = search.most_tries(partial(search.next_amount, experiment.demand.cpus))
        cells = len(start.workloads) * (1 + len(experiment.threads) * tries)
        made = sum(
            (record["demand"]["system"], record["repetition"])
            == (start.systems[0].name, start.repetition)
            for record in done.values()
        )
        return [run_s(experiment, Level(CLOSED, 1, 1))] * max(0, cells - made)
    if not isinstance(experiment, Searched):
        return [
            run_s(experiment, cell.level) for cell in left(start, done) for _ in start.runs(cell)
        ]
    each = run_s(experiment, open_level(experiment, experiment.search.last))
    most = search.most_tries(partial(search.next_rate, experiment.search))
    tries = sum(max(0, most - len(tried(start, workload, done))) for workload in start.workloads)
    return [each] * tries

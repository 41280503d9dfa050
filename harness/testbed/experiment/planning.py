"""Describes what an experiment will measure, and estimates how long it takes."""

from __future__ import annotations

from dataclasses import dataclass

from testbed.experiment.declaration import Experiment
from testbed.experiment.parts import STRETCHES
from testbed.experiment.runs import OPEN, Level, Records
from testbed.experiment.schedule import unfinished
from testbed.model.errors import UserError
from testbed.model.systems import OWN_PLACES

START_S = 38.0
"""One system's start to its first full answer: 2 cores of an Intel Xeon in a cloud, embedded
backends.
"""

WARM_S = 120.0
"""A warm-up that ends by its rule: the same machine, both workloads. What users' own systems need
beside their operations, and to start, is not known.
"""

WARMING_PER_S = 1000.0
"""Operations per second on average over a warm-up, from the start on: the same machine."""

OVERHEAD_S = 0.4
"""Time per block on top of its own seconds: reading the plan and starting threads."""

CELL_S = 1.5
"""Time per cell and system on top of its blocks: reset the state, read metrics before and after."""

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
    def words(self) -> str:
        runs = f"{self.bound}{self.runs} run{'' if self.runs == 1 else 's'}"
        return f"{runs} after {len(self.starts)} start{'' if len(self.starts) == 1 else 's'}"


def require_cores(experiment: Experiment, cores: float) -> None:
    """Check that the CPU limits of each system leave its load generators their cores.

    `cores` is what the machine has. Systems that are up together have load in turns, so each is
    checked by itself. Raises `UserError` with the first that needs more.
    """
    if experiment.cores_apart and experiment.cores_apart >= cores:
        raise UserError(
            f"cores_apart: {experiment.cores_apart} for the load generators leaves none of "
            f"{cores:g} for the systems"
        )
    for system in () if experiment.overcommit else experiment.compared:
        most = experiment.most_cpus(system)
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
        experiment.most_cpus(system) + GENERATOR_CPUS * system.generators
        for system in experiment.compared
    )


def run_s(experiment: Experiment, level: Level) -> float:
    """Return the expected seconds of a run, including overhead."""
    lead_s = LEAD_S if level.mode == OPEN else 0
    load_s = experiment.length_s(level) + lead_s + OVERHEAD_S
    return experiment.each * load_s + (experiment.drain or 0) + CELL_S


def expect(experiment: Experiment, done: Records) -> Expected:
    """Return what is left of an experiment."""
    start_s = 0.0 if experiment.backends in OWN_PLACES else START_S
    return Expected(
        starts=tuple(
            ExpectedStart(
                name=start.name,
                runs=len(levels := experiment.remaining(start, done)),
                start_s=len(start.systems) * start_s,
                warm_up_s=len(start.systems) * _warm_up_s(experiment),
                measure_s=sum(run_s(experiment, level) for level in levels),
            )
            for start in unfinished(experiment, done)
        ),
        at_most=experiment.searches,
        at_least=experiment.precision is not None,
    )


def lines(experiment: Experiment, done: Records) -> list[str]:
    """Return what is left in its order, one line per start and cell."""
    described = []
    for start in unfinished(experiment, done):
        described.append(f"start {start.repetition}: {start.name}")
        described += [f"  {line}" for line in experiment.lines(start, done)]
    if experiment.precision is not None:
        described.append(
            "then further rounds until every cell is decided or known within "
            f"{experiment.precision.within:.0%}, or {experiment.precision.budget_min:g} min are "
            "spent"
        )
    return described


def _warm_up_s(experiment: Experiment) -> float:
    rule, count = experiment.warmup, len(experiment.workloads)
    windows_s = STRETCHES * rule.window * count
    least_s = 0.0 if experiment.backends in OWN_PLACES else WARM_S
    return min(rule.at_most, max(least_s, windows_s, rule.operations * count / WARMING_PER_S))

"""Says what an experiment will measure, and how long that is likely to take."""

from __future__ import annotations

from dataclasses import dataclass

from testbed.experiment import arrivals, search
from testbed.experiment.declaration import Experiment
from testbed.experiment.parts import WINDOWS, Steps
from testbed.experiment.schedule import CLOSED, Cell, Level, Records, Start, left, tried, unfinished
from testbed.model.words import duration

START_S = 18.0
"""A start of one system to its first full answer, and its end: on two cores, embedded backends."""

WARM_S = 110.0
"""A warm-up until the rule is met, where its longest time allows: on two cores, both workloads."""

OVERHEAD_S = 0.4
"""What a block takes beside its own seconds: the plan is read, threads start."""

CELL_S = 1.5
"""What a cell takes beside its blocks, for each system: a fresh state, metrics before and after."""

OPERATION_S = 0.001
"""Of an operation where loops alone say how many there are: the mean of experiments/thesis.yaml."""

LEAD_S = 2.0
"""How long an open loop lets its users start before the first arrival."""


@dataclass(frozen=True)
class Expected:
    """What is left of an experiment.

    Parameters
    ----------
    runs, starts
        How many.
    run_s, start_s
        Seconds that each is likely to take: the mean of a run, a start with its warm-up.
    at_most, at_least
        Whether the number of runs is a bound, as it is where results decide.
    """

    runs: int
    starts: int
    run_s: float
    start_s: float
    at_most: bool = False
    at_least: bool = False

    @property
    def seconds(self) -> float:
        """The seconds that all of it is likely to take."""
        return self.runs * self.run_s + self.starts * self.start_s

    @property
    def told(self) -> str:
        """Say it."""
        bound = "at most " if self.at_most else "at least " if self.at_least else ""
        return f"{bound}{self.runs} runs after {self.starts} starts, about {duration(self.seconds)}"


def run_s(experiment: Experiment, level: Level) -> float:
    """Return the seconds that a run is likely to take, its overhead included."""
    if experiment.blocks is not None:
        blocks = experiment.blocks
        return blocks.each * (blocks.seconds + OVERHEAD_S) + CELL_S
    if level.mode != CLOSED:
        return arrivals.length_s(experiment) + LEAD_S + OVERHEAD_S + CELL_S
    by_loops = None
    if experiment.loops is not None:
        by_loops = level.threads * experiment.loops * OPERATION_S
    limits = [limit for limit in (by_loops, experiment.duration) if limit is not None]
    return min(limits) + OVERHEAD_S + CELL_S


def expect(experiment: Experiment, done: Records) -> Expected:
    """Return what is left of an experiment.

    Parameters
    ----------
    done
        The records of finished runs, by name.
    """
    starts = unfinished(experiment, done)
    seconds = [one for start in starts for one in _left_s(experiment, start, done)]
    each = sum(len(start.systems) for start in starts) / len(starts) if starts else 0
    return Expected(
        runs=len(seconds),
        starts=len(starts),
        run_s=sum(seconds) / len(seconds) if seconds else 0.0,
        start_s=each * (START_S + _warm_up_s(experiment)),
        at_most=experiment.search is not None,
        at_least=experiment.precision is not None,
    )


def lines(experiment: Experiment, done: Records) -> list[str]:
    """Return the order of what is left, a line per start and cell."""
    told = []
    for start in unfinished(experiment, done):
        told.append(f"start {start.repetition}: {start.name}")
        told += [f"  {_described(experiment, start, cell)}" for cell in left(start, done)]
        if experiment.search is not None:
            told.append(
                f"  search between {experiment.search.first:g} and {experiment.search.last:g} "
                f"arrivals/s: {', '.join(start.workloads)}"
            )
    if experiment.precision is not None:
        told.append(
            f"then further rounds until a difference of {experiment.precision.could_tell:.0%} "
            f"would be told everywhere, or {experiment.precision.budget_min:g} min are spent"
        )
    return told


def _warm_up_s(experiment: Experiment) -> float:
    rule = experiment.warmup
    fewest = WINDOWS * rule.window * len(experiment.workloads)
    return min(rule.at_most, max(WARM_S, fewest))


def _described(experiment: Experiment, start: Start, cell: Cell) -> str:
    level = cell.level
    if experiment.blocks is not None:
        turns = " ".join(one.name for one in start.turns(cell, experiment.blocks.each))
        return f"{cell.workload}, {level.threads} threads: {turns}"
    if level.mode == CLOSED:
        return f"{cell.workload}, {level.threads} threads"
    if level.changing and experiment.schedule is not None:
        kind = "steps" if isinstance(experiment.schedule, Steps) else "ramp"
        return f"{cell.workload}, {kind}, {level.value:g} arrivals/s on average"
    return f"{cell.workload}, {level.value:g} arrivals/s, {experiment.arrivals}"


def _left_s(experiment: Experiment, start: Start, done: Records) -> list[float]:
    """Return the seconds of each run that is left of a start."""
    if experiment.search is None:
        return [
            run_s(experiment, cell.level) for cell in left(start, done) for _ in start.runs(cell)
        ]
    each = arrivals.length_s(experiment) + LEAD_S + OVERHEAD_S + CELL_S
    most = search.most_tries(experiment.search)
    tries = sum(max(0, most - len(tried(start, workload, done))) for workload in start.workloads)
    return [each] * tries

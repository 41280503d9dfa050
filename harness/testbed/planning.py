"""Says what an experiment will measure, and how long that is likely to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from testbed import arrivals, search
from testbed.experiment import Experiment
from testbed.experiment_parts import Steps
from testbed.schedule import CLOSED, Level, Records, Run, Start, tried, unfinished
from testbed.steps import duration

START_S = 25.0
"""A start to the first full answer, and the end of the stack: on two cores, embedded backends."""

OVERHEAD_S = 4.5
"""What a load takes beside its own duration: JMeter's start and end, metrics, a fresh state."""

OPERATION_S = 0.001
"""Of an operation where loops alone say how many there are: the mean of experiments/thesis.yaml."""

LEAD_S = 2.0
"""How long an open loop lets its users start before the first arrival."""


@dataclass(frozen=True)
class Expected:
    """What is left of an experiment.

    Parameters
    ----------
    runs, starts, warmups
        How many.
    run_s, start_s, warmup_s
        Seconds that each is likely to take; of runs the mean.
    at_most, at_least
        Whether the number of runs is a bound, as it is where results decide.
    """

    runs: int
    starts: int
    warmups: int
    run_s: float
    start_s: float
    warmup_s: float
    at_most: bool = False
    at_least: bool = False

    @property
    def seconds(self) -> float:
        """The seconds that all of it is likely to take."""
        return self.runs * self.run_s + self.starts * self.start_s + self.warmups * self.warmup_s

    @property
    def told(self) -> str:
        """Say it."""
        bound = "at most " if self.at_most else "at least " if self.at_least else ""
        return f"{bound}{self.runs} runs after {self.starts} starts, about {duration(self.seconds)}"


def run_s(experiment: Experiment, level: Level) -> float:
    """Return the seconds that a run is likely to take, its overhead included."""
    if level.mode != CLOSED:
        return arrivals.length_s(experiment) + LEAD_S + OVERHEAD_S
    by_loops = None
    if experiment.loops is not None:
        by_loops = level.threads * experiment.loops * OPERATION_S
    limits = [limit for limit in (by_loops, experiment.duration) if limit is not None]
    return min(limits) + OVERHEAD_S


def expect(experiment: Experiment, done: Records) -> Expected:
    """Return what is left of an experiment.

    Parameters
    ----------
    done
        The records of finished runs, by name.
    """
    starts = unfinished(experiment, done)
    seconds: list[float] = []
    warmups = 0
    for start in starts:
        for workload in start.workloads:
            left = _left(experiment, start, workload, done)
            seconds += left
            warmups += bool(left)
    return Expected(
        runs=len(seconds),
        starts=len(starts),
        warmups=warmups,
        run_s=sum(seconds) / len(seconds) if seconds else 0.0,
        start_s=START_S,
        warmup_s=experiment.warmup.duration + OVERHEAD_S,
        at_most=experiment.search is not None,
        at_least=experiment.precision is not None,
    )


def lines(experiment: Experiment, done: Records) -> list[str]:
    """Return the order of what is left, a line per start and run."""
    told = []
    for start in unfinished(experiment, done):
        told.append(f"round {start.repetition}: start {start.system}")
        told += [f"  {_described(experiment, run)}" for run in start.runs if run.id not in done]
        if experiment.search is not None:
            told.append(
                f"  search between {experiment.search.first:g} and {experiment.search.last:g} "
                f"arrivals/s: {', '.join(start.workloads)}"
            )
    if experiment.precision is not None:
        told.append(
            f"then further rounds until {experiment.precision.figure} is known to "
            f"±{experiment.precision.half_width:.1%} or "
            f"{experiment.precision.budget_min:g} min are spent"
        )
    return told


def _described(experiment: Experiment, run: Run) -> str:
    if run.level.mode == CLOSED:
        return run.id
    if run.level.changing and experiment.schedule is not None:
        kind = "steps" if isinstance(experiment.schedule, Steps) else "ramp"
        return f"{run.id} ({kind}, {run.level.value:g} arrivals/s in the mean)"
    return f"{run.id} ({experiment.arrivals} arrivals)"


def _left(experiment: Experiment, start: Start, workload: str, done: Records) -> Sequence[float]:
    if experiment.search is None:
        return [
            run_s(experiment, run.level)
            for run in start.runs
            if run.workload == workload and run.id not in done
        ]
    each = arrivals.length_s(experiment) + LEAD_S + OVERHEAD_S
    tries = search.most_tries(experiment.search) - len(tried(start, workload, done))
    return [each] * max(0, tries)

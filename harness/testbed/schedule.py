"""The order of an experiment's runs: interleaved, and shuffled from its seed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from testbed.experiment import Experiment


@dataclass(frozen=True)
class Run:
    """One variant, preset, workload, level and repetition, measured once.

    Parameters
    ----------
    variant, workload, preset
        What is measured.
    threads
        The level.
    repetition
        From 1.
    """

    variant: str
    workload: str
    preset: str
    threads: int
    repetition: int

    @property
    def id(self) -> str:
        """Its name, unique in the experiment."""
        return f"{self.variant}-{self.workload}-{self.preset}-{self.threads:03d}-{self.repetition}"


@dataclass(frozen=True)
class Start:
    """One start of a variant, and what is run before it is ended.

    Parameters
    ----------
    variant, preset
        What is started.
    repetition
        The round, from 1.
    runs
        In the order they are measured.
    """

    variant: str
    preset: str
    repetition: int
    runs: tuple[Run, ...]

    @property
    def workloads(self) -> tuple[str, ...]:
        """The workloads that are warmed up, in the order they first occur."""
        return tuple(dict.fromkeys(run.workload for run in self.runs))

    def warmup_id(self, workload: str) -> str:
        """Return the name of the warm-up of a workload, unique in the experiment."""
        return f"{self.variant}-{workload}-{self.preset}-{self.repetition}"


def schedule(experiment: Experiment) -> tuple[Start, ...]:
    """Return every run of an experiment in the order it is measured.

    Each repetition is one round. A round starts every variant (under every preset) once, in
    shuffled order, and measures its workloads and levels in shuffled order; so the variants
    alternate and no level always follows another. The variants share one port, so that a switch
    costs a start, which also makes starts, not only runs, independent. The seed alone decides the
    order: a stopped experiment goes on in the same one.
    """
    order = random.Random(experiment.seed)
    starts = []
    for repetition in range(1, experiment.repetitions + 1):
        systems = list(itertools.product(experiment.variants, experiment.presets))
        order.shuffle(systems)
        for variant, preset in systems:
            runs = [
                Run(variant, workload, preset, threads, repetition)
                for workload in experiment.workloads
                for threads in experiment.threads
            ]
            order.shuffle(runs)
            starts.append(Start(variant, preset, repetition, tuple(runs)))
    return tuple(starts)


def remaining(starts: Sequence[Start], done: Collection[str]) -> tuple[Start, ...]:
    """Return the starts that still have runs to measure, without those that are done.

    Parameters
    ----------
    done
        Names of the measured runs.
    """
    rest = (
        Start(
            one.variant,
            one.preset,
            one.repetition,
            tuple(run for run in one.runs if run.id not in done),
        )
        for one in starts
    )
    return tuple(one for one in rest if one.runs)

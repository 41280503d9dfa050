"""The run order of an experiment, balanced over its rounds, and what is left of it."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from testbed.experiment import demand, search
from testbed.experiment.arrivals import mean_rate, shape
from testbed.experiment.declaration import AtRates, Demanded, Experiment, InBlocks, Searched, System
from testbed.experiment.demand import Records

CLOSED = "closed"
OPEN = "open"

SYSTEM_MB = 2600
"""Memory of one system under load, in MB (10^6 bytes): that of the largest one that ships."""

INSTANCE_MB = 350
"""Memory of each further instance of a service, in MB: its share of `SYSTEM_MB`."""

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Level:
    mode: str
    """``closed`` or ``open``."""
    value: float
    """Threads (closed) or mean arrivals per second (open)."""
    threads: int
    """Users (closed) or the most operations in flight (open)."""
    changing: bool = False
    """Whether the rate follows the experiment's schedule, or is that of a burst."""
    cpus: float | None = None
    """The CPU of all services of the system together, in cores; None for no such limit."""


@dataclass(frozen=True)
class Cell:
    """One workload at one level."""

    workload: str
    level: Level


@dataclass(frozen=True)
class Run:
    """One cell of one system, measured after start number `repetition`, from 1."""

    system: str
    variant: str
    preset: str
    workload: str
    level: Level
    repetition: int

    @property
    def id(self) -> str:
        return f"{self.system}-{self.workload}-{_shown(self.level)}-{self.repetition}"


@dataclass(frozen=True)
class Start:
    """One start of the systems that are up together, and what is measured until they stop."""

    round: int
    """From 1."""
    repetition: int
    """The number of the start, from 1. Runs of one number are compared with each other."""
    systems: tuple[System, ...]
    """The reference first."""
    workloads: tuple[str, ...]
    """What is warmed up."""
    cells: tuple[Cell, ...]
    """In measuring order; empty if a search decides it."""

    @property
    def id(self) -> str:
        return "-".join([*(system.name for system in self.systems), str(self.repetition)])

    @property
    def name(self) -> str:
        return " and ".join(system.name for system in self.systems)

    def run(self, system: System, cell: Cell) -> Run:
        return Run(
            system.name, system.variant, system.preset, cell.workload, cell.level, self.repetition
        )

    def runs(self, cell: Cell) -> tuple[Run, ...]:
        return tuple(self.run(system, cell) for system in self.systems)

    def turns(self, cell: Cell, each: int) -> list[list[System]]:
        """Return the systems in the order of their blocks, by turns.

        In a turn every order is followed by its mirror image. The first system changes from turn to
        turn, from cell to cell and, in each cell, from round to round. `each` is the number of
        blocks per system, an even number.
        """
        # Not by the cell's place in this round, which changes with the round.
        fixed = sorted(self.cells, key=lambda one: (one.workload, one.level.mode, one.level.value))
        first = self.round + fixed.index(cell)
        orders = [_rotated(self.systems, first + turn) for turn in range(each // 2)]
        return [[*there, *reversed(there)] for there in orders]


def levels(experiment: Experiment) -> tuple[Level, ...]:
    """Return the levels of an experiment, closed loop first; empty for a search."""
    if isinstance(experiment, Demanded):
        return ()
    found = [Level(CLOSED, threads, threads) for threads in experiment.threads]
    if isinstance(experiment, AtRates):
        found += [open_level(experiment, rate) for rate in experiment.rates]
    if (changing := shape(experiment)) is not None:
        found.append(Level(OPEN, mean_rate(changing), experiment.max_in_flight, changing=True))
    return tuple(found)


def open_level(experiment: Experiment, rate: float) -> Level:
    """Return the level of an open loop at a constant rate, in arrivals per second."""
    return Level(OPEN, rate, experiment.max_in_flight)


def prepared(experiment: Experiment, memory_mb: float) -> Experiment:
    """Return an experiment with its seed and `together` fixed, as they are when it begins.

    `memory_mb` is the memory that is free for systems on this machine, in MB (10^6 bytes).
    """
    settled: dict[str, Any] = {}
    if experiment.seed is None:
        settled["seed"] = random.SystemRandom().randrange(2**32)
    if isinstance(experiment, InBlocks) and experiment.backends != "kubernetes":
        orders = ("all", "pairs", "none")
        for together in orders[orders.index(experiment.together) :]:
            settled["together"] = together
            if _memory_mb(experiment.model_copy(update=settled)) <= memory_mb:
                break
    return experiment.model_copy(update=settled)


def slots(experiment: Experiment) -> dict[str, int]:
    """Return a slot for each system, by name, from 0: systems that are up together differ."""
    found: dict[str, int] = {}
    groups = [[system.name for system in group] for group in _up_together(experiment)]
    for name in itertools.chain.from_iterable(groups):
        beside = {other for group in groups if name in group for other in group if other != name}
        taken = {found[other] for other in beside if other in found}
        found.setdefault(name, next(one for one in itertools.count() if one not in taken))
    return found


def round_of(experiment: Experiment, number: int) -> tuple[Start, ...]:
    """Return the starts of one round, in measuring order; rounds count from 1.

    Every system has the same order of cells in a round. Over the rounds, each cell comes equally
    often at each place and after each other cell (`williams`). The order depends only on the seed
    and the round, so a stopped experiment continues in the same order.
    """
    cells = [
        Cell(workload, level) for workload in experiment.workloads for level in levels(experiment)
    ]
    cells = _balanced(cells, f"{experiment.seed}/cells", number)
    workloads = _balanced(experiment.workloads, f"{experiment.seed}/workloads", number)
    groups = _up_together(experiment)
    # Systems that are started one after another are compared within a round.
    alone = all(len(group) == 1 for group in groups)
    numbered = [
        (number if alone else (number - 1) * len(groups) + place + 1, group)
        for place, group in enumerate(groups)
    ]
    ordered = _balanced(numbered, f"{experiment.seed}/systems", number)
    if isinstance(experiment, Demanded):
        # The others need the goodput of this one.
        reference = experiment.demand.target.goodput_of
        ordered.sort(key=lambda one: one[1][0].name != reference)
    return tuple(
        Start(number, repetition, group, tuple(workloads), tuple(cells))
        for repetition, group in ordered
    )


def williams(count: int) -> list[list[int]]:
    """Return orders of `count` items, balanced by place and by predecessor.

    Each item comes equally often at each place, and equally often right after each other item.

    Returns
    -------
    list of list of int
        `count` orders of the numbers below `count`; twice as many if `count` is odd.

    Notes
    -----
    Williams, Experimental designs balanced for the estimation of residual effects of treatments,
    Australian Journal of Scientific Research A2, 1949.
    """
    first = [(place + 1) // 2 if place % 2 else (-place // 2) % count for place in range(count)]
    rows = [[(one + shift) % count for one in first] for shift in range(count)]
    return rows if count % 2 == 0 else [*rows, *(row[::-1] for row in rows)]


def rounds(experiment: Experiment) -> int:
    """Return the least number of rounds."""
    if isinstance(experiment, Searched):
        return experiment.search.repetitions
    if isinstance(experiment, Demanded):
        return experiment.demand.repetitions
    if experiment.precision is not None:
        return experiment.precision.min_repetitions
    return experiment.repetitions


def schedule(experiment: Experiment) -> tuple[Start, ...]:
    """Return the starts of every round that is certain to be measured, in order."""
    return tuple(
        start
        for number in range(1, rounds(experiment) + 1)
        for start in round_of(experiment, number)
    )


def next_cell(
    plan: Experiment, start: Start, done: Records, last: Cell | None = None
) -> Cell | None:
    """Return the next cell to measure after a start; None if none is left.

    A search depends on `done` only. `last` is the cell measured last, so that the workloads of a
    search alternate.
    """
    if isinstance(plan, Demanded):
        return _next_demanded(plan, start, done)
    if not isinstance(plan, Searched):
        return next(iter(left(start, done)), None)
    names = start.workloads
    if last is not None:
        turn = names.index(last.workload) + 1
        names = (*names[turn:], *names[:turn])
    for workload in names:
        rate = search.next_rate(plan.search, tried(start, workload, done))
        if rate is not None:
            return Cell(workload, open_level(plan, rate))
    return None


def allocation(
    plan: Experiment, start: Start, cell: Cell, done: Records
) -> demand.Allocation | None:
    """Return the CPU of the system in a cell of a demand search; None without a limit."""
    if not isinstance(plan, Demanded) or cell.level.cpus is None:
        return None
    (system,) = start.systems
    alone = done[start.run(system, _alone(cell.workload)).id]
    one = _search(start, cell.workload, cell.level.threads)
    return demand.allocation(plan, system, one, cell.level.cpus, alone, done)


def left(start: Start, done: Records) -> tuple[Cell, ...]:
    """Return the cells with a missing run, in order."""
    return tuple(
        cell for cell in start.cells if any(run.id not in done for run in start.runs(cell))
    )


def unfinished(plan: Experiment, done: Records) -> tuple[Start, ...]:
    """Return the starts of `schedule` that are not finished, in order."""
    return tuple(start for start in schedule(plan) if next_cell(plan, start, done) is not None)


def tried(start: Start, workload: str, done: Records) -> dict[float, bool]:
    """Return whether each rate that a search has tried met the objective."""
    (system,) = start.systems
    return {
        record["level"]: bool(record["slo"]["met"])
        for record in done.values()
        if (record["system"], record["workload"], record["repetition"])
        == (system.name, workload, start.repetition)
    }


def _next_demanded(plan: Demanded, start: Start, done: Records) -> Cell | None:
    """Return the next cell: of each workload a single thread, then the levels one by one."""
    (system,) = start.systems
    for workload in start.workloads:
        if start.run(system, alone := _alone(workload)).id not in done:
            return alone
        for threads in plan.threads:
            cpus = demand.next_cpus(plan, _search(start, workload, threads), done)
            if cpus is not None:
                return Cell(workload, Level(CLOSED, threads, threads, cpus=cpus))
    return None


def _alone(workload: str) -> Cell:
    """Return the cell that shows what an operation costs each service."""
    return Cell(workload, Level(CLOSED, 1, 1))


def _search(start: Start, workload: str, threads: int) -> demand.Search:
    (system,) = start.systems
    return demand.Search(system.name, workload, threads, start.repetition)


def _groups(experiment: Experiment) -> tuple[tuple[System, ...], ...]:
    """Return the groups of compared systems, each with its reference first."""
    if not experiment.groups:
        return (experiment.compared,)
    return tuple(tuple(map(experiment.system, group)) for group in experiment.groups)


def _up_together(experiment: Experiment) -> tuple[tuple[System, ...], ...]:
    if not isinstance(experiment, InBlocks) or experiment.together == "none":
        return tuple((system,) for system in experiment.compared)
    groups = _groups(experiment)
    if experiment.together == "pairs":
        return tuple((group[0], other) for group in groups for other in group[1:])
    return groups


def _memory_mb(experiment: Experiment) -> float:
    """Return the most memory that systems need at once, in MB; infinite if there are no pairs."""
    needed = {
        one.name: SYSTEM_MB + INSTANCE_MB * (sum(one.replicas.values()) - len(one.replicas))
        for one in experiment.compared
    }
    groups = _up_together(experiment)
    return max((sum(needed[one.name] for one in group) for group in groups), default=math.inf)


def _balanced(items: Sequence[_Item], seed: str, number: int) -> list[_Item]:
    """Return items in the order of one round: a row of a Williams square, labelled by the seed."""
    labelled = list(items)
    random.Random(seed).shuffle(labelled)
    rows = williams(len(labelled)) or [[]]
    return [labelled[place] for place in rows[(number - 1) % len(rows)]]


def _rotated(items: Sequence[_Item], by: int) -> list[_Item]:
    by %= len(items)
    return [*items[by:], *items[:by]]


def _shown(level: Level) -> str:
    """Return a level as part of a name; names sort by it."""
    if level.changing:
        return "schedule"
    if level.mode == CLOSED:
        cores = "" if level.cpus is None else f"-{level.cpus:g}-cores"
        return f"{level.threads:03d}-threads{cores}"
    whole, _, part = f"{level.value:.6f}".rstrip("0").partition(".")
    return f"{int(whole):04d}{'.' + part if part else ''}-per-s"

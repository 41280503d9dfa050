"""The run order of an experiment, balanced over its rounds, and what is left of it."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any, TypeVar

from testbed.experiment.declaration import Experiment
from testbed.experiment.runs import Cell, Records, Start, System
from testbed.model.errors import UserError

SYSTEM_MB = 2600
"""Memory of one system under load, in MB (10^6 bytes): that of the largest one that ships."""

INSTANCE_MB = 350
"""Memory of each further instance of a service, in MB: its share of `SYSTEM_MB`."""

_Item = TypeVar("_Item")


def prepared(experiment: Experiment, memory_mb: float) -> Experiment:
    """Return an experiment with its seed and `together` fixed, as they are when it begins.

    `memory_mb` is the memory that is free for systems on this machine, in MB (10^6 bytes). Raises
    `UserError` if systems must be up together and do not fit.
    """
    settled: dict[str, Any] = {}
    if experiment.seed is None:
        settled["seed"] = random.SystemRandom().randrange(2**32)
    if experiment.in_turns:
        designs = experiment.designs
        for together in designs[designs.index(experiment.together) :]:
            settled["together"] = together
            if _memory_mb(experiment.model_copy(update=settled)) <= memory_mb:
                break
        else:
            if "none" not in designs:
                raise UserError(
                    "rates: shares are of what systems that are up together serve, and "
                    f"{memory_mb:,.0f} MB of free memory are too little for that",
                    "Free some, or give rates in arrivals per second.",
                )
    return experiment.model_copy(update=settled)


def lowered(declared: Experiment, measured: Experiment) -> dict[str, dict[str, str]]:
    """Return what `prepared` lowered for lack of memory: each key's declared and measured value."""
    if declared.together == measured.together:
        return {}
    return {"together": {"declared": declared.together, "measured": measured.together}}


def slots(experiment: Experiment) -> dict[str, int]:
    """Return a slot for each system, by name, from 0: systems that are up together differ."""
    slots: dict[str, int] = {}
    groups = [[system.name for system in group] for group in _up_together(experiment)]
    for name in itertools.chain.from_iterable(groups):
        beside = {other for group in groups if name in group for other in group if other != name}
        taken = {slots[other] for other in beside if other in slots}
        slots.setdefault(name, next(slot for slot in itertools.count() if slot not in taken))
    return slots


def round_of(experiment: Experiment, number: int) -> tuple[Start, ...]:
    """Return the starts of one round, in measuring order; rounds count from 1.

    Every system has the same order of cells in a round. Over the rounds, each cell comes equally
    often at each place and after each other cell (`williams`). The order depends only on the seed
    and the round, so a stopped experiment continues in the same order.
    """
    cells = [
        Cell(workload, level) for workload in experiment.workloads for level in experiment.levels
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
    if (first := experiment.measured_first) is not None:
        ordered.sort(key=lambda item: item[1][0].name != first)
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
    rows = [[(item + shift) % count for item in first] for shift in range(count)]
    return rows if count % 2 == 0 else [*rows, *(row[::-1] for row in rows)]


def schedule(experiment: Experiment) -> tuple[Start, ...]:
    """Return the starts of every round that is certain to be measured, in order."""
    return tuple(
        start
        for number in range(1, experiment.rounds + 1)
        for start in round_of(experiment, number)
    )


def unfinished(plan: Experiment, done: Records) -> tuple[Start, ...]:
    """Return the starts of `schedule` that are not finished, in order.

    Of an experiment that the results end, those of the next round if there are none.
    """
    planned = schedule(plan)
    left = tuple(start for start in planned if plan.next_cell(start, done) is not None)
    number = plan.rounds
    while not left and plan.precision is not None:
        number += 1
        further = round_of(plan, number)
        left = tuple(start for start in further if plan.next_cell(start, done) is not None)
    return left


def _up_together(experiment: Experiment) -> tuple[tuple[System, ...], ...]:
    """Return the systems that are up together, the reference of each group first."""
    if not experiment.in_turns or experiment.together == "none":
        return tuple((system,) for system in experiment.compared)
    groups = tuple(tuple(map(experiment.system, group)) for group in experiment.groups)
    groups = groups or (experiment.compared,)
    if experiment.together == "pairs":
        return tuple((group[0], other) for group in groups for other in group[1:])
    return groups


def _memory_mb(experiment: Experiment) -> float:
    """Return the most memory that systems need at once, in MB; infinite if there are no pairs."""
    needed = {
        system.name: SYSTEM_MB
        + INSTANCE_MB * (sum(system.replicas.values()) - len(system.replicas))
        for system in experiment.compared
    }
    groups = _up_together(experiment)
    return max((sum(needed[system.name] for system in group) for group in groups), default=math.inf)


def _balanced(items: Sequence[_Item], seed: str, number: int) -> list[_Item]:
    """Return items in the order of one round: a row of a Williams square, labelled by the seed."""
    labelled = list(items)
    random.Random(seed).shuffle(labelled)
    rows = williams(len(labelled)) or [[]]
    return [labelled[place] for place in rows[(number - 1) % len(rows)]]

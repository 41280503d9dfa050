"""Precision of ratios: how far intervals reach, and the spread of blocks and starts."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from testbed.analysis.decisions import (
    Decision,
    PairedCell,
    compared_by,
    decide,
    own_variance,
    paired_cells,
    references,
)
from testbed.analysis.quantities import (
    COMPARED,
    GOODPUT,
    HEADLINE,
    P95,
    QUANTITIES,
    block_figures,
)
from testbed.analysis.results import Results
from testbed.analysis.samples import load
from testbed.analysis.statistics.ratios import Design, Deviation, larger, pooled_sd
from testbed.analysis.verdicts import Judged, judge_all
from testbed.model.errors import UserError, unknown
from testbed.model.loads import Mode

PLANNED_PAIRS = (1, 3, 6)


def reach(results: Path, figure: str) -> dict[tuple[str, Mode, float], float | None]:
    """Return how far above its ratio each cell's interval reaches, by workload, mode and level.

    0.1 means up to 10 % more; 0 that the cell is decided. If several systems are compared, it is
    the furthest of theirs. None if it is not yet known for each of them, or there is one pair of
    starts alone. The results may be unfinished; the dict is empty if they cannot be read. Where
    goodput decides nothing, as at given rates, p95 takes its place. Raises `UserError` if
    ``figure`` is not one of `QUANTITIES`.
    """
    if figure not in QUANTITIES:
        raise unknown("figure", figure, QUANTITIES)
    try:
        judged = judge_all(load(results))
    except UserError:
        return {}
    reaches: dict[tuple[str, Mode, float], list[float]] = {}
    # With the families of the decisions that the report shows.
    for decision in decide(judged, () if figure in COMPARED else [figure]):
        if decision.figure != _deciding(judged.results, figure, decision.mode):
            continue
        if decision.pairs > 1 and (far := _far(decision)) is not None:
            reaches.setdefault((decision.workload, decision.mode, decision.level), []).append(far)
    cells: dict[tuple[str, Mode, float], set[str]] = {}
    for run in judged.results.runs:
        place = run.cell.workload, run.cell.mode, run.cell.level
        cells.setdefault(place, set()).add(run.cell.system)
    reached: dict[tuple[str, Mode, float], float | None] = {}
    for place, measured in sorted(cells.items()):
        of_cell = reaches.get(place, [])
        complete = len(of_cell) == _comparisons(judged.results, measured)
        reached[place] = max(of_cell) if complete else None
    return reached


def _comparisons(results: Results, measured: Collection[str]) -> int:
    """Return how many comparisons a cell is to have; at least 1.

    Where rates are shares, each group has rates of its own, and so cells of its own.
    """
    compared = references(results)
    of_groups = {reference for reference, system in compared if system in measured}
    return sum(reference in of_groups for reference, _ in compared) or 1


def _deciding(results: Results, figure: str, mode: Mode) -> str:
    """Return the figure that decides a cell: the given one, or p95 in place of goodput."""
    decides = figure != GOODPUT.name or figure in compared_by(results, mode)
    return figure if decides else P95.name


def _far(decision: Decision) -> float | None:
    if decision.ratio is None or decision.low is None or decision.high is None:
        return None
    # Even where something else forbids a verdict, as more failures, more pairs change nothing.
    decided = decision.decision == "alike" or not decision.low <= 1 <= decision.high
    return 0.0 if decided else decision.high / decision.ratio - 1


@dataclass(frozen=True)
class Spread:
    """The spread of a figure between equal measurements; None is not known."""

    figure: str
    block: float | None
    """Relative standard deviation of one system's blocks within a run."""
    ratio: float | None
    """That of the ratio of two systems' blocks that took turns, within a pair of starts."""
    pair: float | None
    """That of the ratio of two systems over pairs of starts, the spread of their blocks included.
    """
    invocation: float | None
    """That of this ratio over invocations, each of several pairs."""
    could_tell: dict[int, float | None]
    """By pairs of starts: the smallest ratio that this layout can detect. One pair takes its blocks
    as the unit, and speaks of these starts only.
    """


def spreads(invocations: Sequence[Judged]) -> list[Spread]:
    """Return the spread of each headline figure, over one invocation or several."""
    return [
        _spread(figure, [_decided_by(judged, figure) for judged in invocations])
        for figure in HEADLINE
    ]


def _decided_by(judged: Judged, figure: str) -> dict[tuple[str, str], list[PairedCell]]:
    """Return the paired cells that a figure decides, by reference and system."""
    return {
        systems: [cell for cell in part if figure in compared_by(judged.results, cell.cell.mode)]
        for systems, part in paired_cells(judged).items()
    }


def _spread(figure: str, compared: Sequence[dict[tuple[str, str], list[PairedCell]]]) -> Spread:
    cells = [cell for parts in compared for part in parts.values() for cell in part]
    runs = [measurement for cell in cells for measurement in (*cell.of_reference, *cell.of_system)]
    block = pooled_sd(
        np.log([value for value in block_figures(measurement, figure) if value])
        for measurement in runs
    )
    ratio = pooled_sd(chain.from_iterable(cell.block_differences(figure) for cell in cells))
    pair = pooled_sd(cell.differences(figure) for cell in cells)
    means: dict[object, list[float]] = {}
    for parts in compared:
        for systems, part in parts.items():
            for cell in part:
                if (differences := cell.differences(figure)).size:
                    means.setdefault((systems, cell.cell), []).append(differences.mean())
    invocation = pooled_sd(means.values())
    family = max(map(len, chain.from_iterable(parts.values() for parts in compared)), default=0)
    sharing = 1 if own_variance(figure) else family
    blocks = max((len(measurement.blocks) for measurement in runs), default=1)
    return Spread(
        figure,
        block.sd if block else None,
        ratio.sd if ratio else None,
        pair.sd if pair else None,
        invocation.sd if invocation else None,
        {
            pairs: _could_tell(pairs, ratio, pair, family, sharing, blocks)
            for pairs in PLANNED_PAIRS
        },
    )


def _could_tell(
    pairs: int,
    ratio: Deviation | None,
    pair: Deviation | None,
    family: int,
    sharing: int,
    blocks: int,
) -> float | None:
    """`ratio` is the deviation of a block's ratio, `pair` that of the ratio of a pair.

    Of the `family` of cells so many share a variance.
    """
    block_sd = ratio.sd if ratio and blocks > 1 else 0.0
    of_blocks = sharing * pairs * (blocks - 1)
    if pairs == 1:
        return Design(block_sd, blocks, of_blocks, family).could_tell if block_sd else None
    if pair is None:
        return None
    deciding = larger(
        Deviation(pair.sd, sharing * (pairs - 1)),
        Deviation(block_sd / math.sqrt(blocks), of_blocks),
    )
    return Design(deciding.sd, pairs, deciding.freedom, family).could_tell

"""How precisely ratios are known: what could be told, and how much blocks and starts differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from testbed.analysis.decisions import HEADLINE, PairedCell, decide, paired_cells, references
from testbed.analysis.quantities import FIGURES, block_figures
from testbed.analysis.samples import load
from testbed.analysis.statistics.ratios import Design, pooled_sd
from testbed.analysis.verdicts import Judged, judge_all
from testbed.model.errors import UserError, unknown
from testbed.model.loads import Mode

PLANNED_PAIRS = (1, 3, 6)


def widths(results: Path, figure: str) -> dict[tuple[str, Mode, float], float | None]:
    """Return which relative difference results would tell, per workload, mode and level.

    Parameters
    ----------
    results
        A results directory, finished or not.
    figure
        One of `FIGURES`.

    Returns
    -------
    dict
        0.1 where an increase by 10 % is told with a probability of 0.8; the largest where several
        systems are compared. None where that is not known of each of them yet, as with one pair of
        starts, whose spread says nothing of other starts.

    Raises
    ------
    UserError
        If there is no such figure.
    """
    if figure not in FIGURES:
        raise unknown("figure", figure, FIGURES)
    try:
        judged = judge_all(load(results))
    except UserError:
        return {}
    known: dict[tuple[str, Mode, float], list[float]] = {}
    for one in decide(judged, [figure]):
        if one.could_tell is not None and one.pair_spread is not None:
            known.setdefault((one.workload, one.mode, one.level), []).append(one.could_tell - 1)
    cells = {(run.cell.workload, run.cell.mode, run.cell.level) for run in judged.results.runs}
    wanted = len(references(judged.results)) or 1
    return {
        cell: max(known[cell]) if len(known.get(cell, ())) == wanted else None
        for cell in sorted(cells)
    }


@dataclass(frozen=True)
class Spread:
    """By how much a figure differs where nothing differs, as relative standard deviations.

    Parameters
    ----------
    figure
        Which.
    block
        Of one system's blocks within a run.
    pair
        Of the ratio of two systems over pairs of starts, what its blocks differ by included.
    invocation
        Of that ratio over invocations, each of several pairs.
    could_tell
        By pairs of starts: the smallest ratio that so many would tell in this layout. One pair
        takes its blocks as the unit, and tells of these starts only.

    None where it cannot be told.
    """

    figure: str
    block: float | None
    pair: float | None
    invocation: float | None
    could_tell: dict[int, float | None]


def spreads(invocations: Sequence[Judged]) -> list[Spread]:
    """Return how much the headline figures differ by level, over one invocation or several."""
    compared = [paired_cells(judged) for judged in invocations]
    cells = [cell for parts in compared for part in parts.values() for cell in part]
    return [_spread(figure, compared, cells) for figure in HEADLINE]


def _spread(
    figure: str,
    compared: Sequence[dict[tuple[str, str], list[PairedCell]]],
    cells: Sequence[PairedCell],
) -> Spread:
    runs = [one for cell in cells for one in (*cell.ones, *cell.others)]
    block = pooled_sd(
        np.log([value for value in block_figures(one, figure) if value]) for one in runs
    )
    pair = pooled_sd(cell.differences(figure) for cell in cells)
    means: dict[object, list[float]] = {}
    for parts in compared:
        for systems, part in parts.items():
            for cell in part:
                if (found := cell.differences(figure)).size:
                    means.setdefault((systems, cell.cell), []).append(found.mean())
    family = max(map(len, chain.from_iterable(parts.values() for parts in compared)), default=1)
    blocks = max((len(one.blocks) for one in runs), default=1)
    could_tell: dict[int, float | None] = {}
    for pairs in PLANNED_PAIRS:
        units = blocks if pairs == 1 else pairs
        spread = pair if pairs > 1 else None if block is None else math.sqrt(2) * block
        known = spread is not None and units > 1
        could_tell[pairs] = (
            Design(spread, units, family * (units - 1), family).could_tell
            if spread is not None and known
            else None
        )
    return Spread(figure, block, pair, pooled_sd(means.values()), could_tell)

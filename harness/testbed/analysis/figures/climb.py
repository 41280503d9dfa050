"""The figure of a ladder: each rung, and what each step is worth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import polars as pl
from matplotlib.figure import Figure

from testbed.analysis.decisions import Decision
from testbed.analysis.figures.decided import mark_ratio, ratio_axis
from testbed.analysis.figures.figure import ReportFigure, finished, subplots
from testbed.analysis.figures.style import COLOURS
from testbed.analysis.ladders import Climb, climbed
from testbed.analysis.quantities import CPU, GOODPUT, P95
from testbed.analysis.summary import memory_column
from testbed.analysis.verdicts import Judged
from testbed.model.loads import load_words

CELL = ("workload", "mode", "level")

TOP_SHIFT = 0.25
"""Distance in rows from the mark of the way up down to the mark at the top."""


def panels(summary: pl.DataFrame) -> dict[str, str]:
    """Return the columns of a summary that are drawn, with their titles."""
    return {
        **{quantity.column: quantity.title for quantity in (GOODPUT, P95, CPU)},
        memory_column(summary): "memory, MB",
    }


def ladders(
    judged: Judged, summary: pl.DataFrame, decisions: Sequence[Decision]
) -> list[ReportFigure]:
    """Draw a ladder, a figure for each workload and level; nothing of other experiments."""
    if (climb := climbed(judged.results, decisions)) is None:
        return []
    drawn = []
    for part in summary.partition_by(*CELL, maintain_order=True):
        workload, mode, level = (part[key][0] for key in CELL)
        title = f"{workload}, {load_words(mode, level)}: the ladder"
        name = f"ladder-{workload}-{level:g}{'' if mode == 'closed' else f'-{mode}'}"
        drawn.append(finished(name, title, partial(_draw, climb, part)))
    return drawn


def _draw(climb: Climb, part: pl.DataFrame) -> tuple[Figure, str]:
    rungs = [climb.first, *(step.rung for step in climb.steps)]
    measured = {row["system"]: row for row in part.iter_rows(named=True)}
    cell = tuple(part[key][0] for key in CELL)
    shown = panels(part)
    figure, grid = subplots(1, len(shown) + 1, 1.2 + 0.34 * len(rungs), sharey=True)
    for axes, (column, title) in zip(grid[0], shown.items(), strict=False):
        points = [
            (row[column], place)
            for place, rung in enumerate(rungs)
            if (row := measured.get(rung)) is not None and row[column] is not None
        ]
        axes.set_xlim(0, 1.08 * (max((value for value, _ in points), default=0) or 1))
        if points:
            axes.plot(*zip(*points, strict=True), "o-", color=COLOURS[0], ms=4, lw=1)
        axes.set_title(title)
    axes = grid[0][-1]
    values: list[float] = []
    for place, step in enumerate(climb.steps, 1):
        for shift, decisions in ((0.0, step.added), (TOP_SHIFT, step.removed)):
            for decision in decisions:
                of = decision.workload, decision.mode, decision.level
                if of != cell or decision.figure != GOODPUT.name or decision.ratio is None:
                    continue
                size, width = (3.5, 0.8) if shift else (5, 1.4)
                values += mark_ratio(axes, decision, place + shift, capsize=2, ms=size, lw=width)
    axes.set_title("worth: goodput ×")
    ratio_axis(axes, values)
    grid[0][0].set_yticks(range(len(rungs)), rungs)
    grid[0][0].set_ylim(len(rungs) - 0.4, -0.6)
    return figure, (
        "Each rung has one more factor at its best than the one above it in the picture; those "
        "named plus are added to the top, each alone. Right: goodput of a rung divided by that of "
        "the one before, with the interval by which it is decided, and smaller, below it, the top "
        "divided by the top without the factor. Filled circle: better; square: worse; diamond: "
        "alike; hollow: not known."
    )

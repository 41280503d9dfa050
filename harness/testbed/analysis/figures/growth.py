"""Figures of growth: what more load, more services or more stored data cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from testbed.analysis.figures.climb import panels
from testbed.analysis.figures.figure import ReportFigure, add_legend, finished, subplots
from testbed.analysis.figures.style import line_styles
from testbed.analysis.verdicts import Judged
from testbed.model.loads import load_unit

FEWEST = 3
"""Values of a factor that make a curve."""

LEVELS = 6
"""Levels that make a curve, if one of them is a single thread."""

Curves = dict[str, list[tuple[float, Mapping[str, Any]]]]
"""Rows of a summary with their places, by label."""


def growth(judged: Judged, summary: pl.DataFrame) -> list[ReportFigure]:
    """Draw goodput, p95, CPU and memory over a factor of numbers, or over many levels.

    A figure for each workload (and level); none if there is no such factor and there are few
    levels.
    """
    factors = judged.results.declared.get("factors") or {}
    name, values = next(iter(factors.items()), ("", ()))
    of_factor = (
        len(factors) == 1
        and len(values) >= FEWEST
        and all(str(value).isdecimal() for value in values)
    )
    runs = judged.results.runs if of_factor else ()
    sizes = {run.cell.system: float(run.settings.get(name, 0)) for run in runs}
    levels = set(summary.filter(pl.col("mode") == "closed")["level"].to_list())
    if not sizes:
        if len(levels) < LEVELS or 1 not in levels:
            return []
        summary = summary.filter(pl.col("mode") == "closed")
    drawn = []
    for part in summary.partition_by("workload", "mode", *(["level"] if sizes else [])):
        curves: Curves = {}
        for row in part.sort("level").iter_rows(named=True):
            at = sizes[row["system"]] if sizes else row["level"]
            label = row["variant"] if sizes else row["system"]
            curves.setdefault(label, []).append((at, row))
        workload, unit = part["workload"][0], load_unit(part["mode"][0])
        axis = name if sizes else unit
        title = f"{workload}: growth over {axis}"
        if sizes:
            title += f", {part['level'][0]:g} {unit}"
        open_loop = ["open"] if part["mode"][0] == "open" else []
        level = [f"{part['level'][0]:g}"] if sizes else []
        file = "-".join(("growth", workload, *open_loop, *level))
        drawn.append(finished(file, title, partial(draw, axis, curves, panels(part))))
    return drawn


def draw(axis: str, curves: Curves, shown: Mapping[str, str]) -> tuple[Figure, str]:
    """Draw the columns to be shown over an axis; return the figure with its caption."""
    figure, grid = subplots(1, len(shown), 3.2)
    style, notes = line_styles(curves), []
    measured = sorted({at for rows in curves.values() for at, _ in rows})
    for axes, (column, title) in zip(grid[0], shown.items(), strict=True):
        if measured and measured[-1] > 1000:
            # Before anything is drawn: margins are those of the scale.
            axes.set_xscale("symlog", linthresh=1000)
            axes.minorticks_off()
            axes.set_xticks(measured)
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        for label, rows in curves.items():
            points = sorted((at, value) for at, row in rows if (value := row[column]) is not None)
            if not points:
                continue
            axes.plot(*zip(*points, strict=True), **style[label].marks, ms=4, lw=1.4, label=label)
            notes.append(_ends(f"{label}, {title}", points))
        axes.set_title(title)
        axes.set_xlabel(axis)
        axes.set_ylim(bottom=0)
    add_legend(figure, grid[0][0])
    return figure, (
        f"Means over all runs of a point. From the first to the last: {'; '.join(notes)}. "
        "Slopes are of a least-squares line."
    )


def _ends(what: str, points: Sequence[tuple[float, float]]) -> str:
    (first, before), (last, after) = points[0], points[-1]
    if len(points) < FEWEST or not before:
        return f"{what} {before:.3g} to {after:.3g}"
    at, figures = np.array(points).T
    # Rounding removes floating-point noise from a slope of 0.
    slope = round(np.polyfit(at, figures, 1)[0], 9)
    return f"{what} × {after / before:.2f} from {first:g} to {last:g}, {slope:+.2g} for each more"

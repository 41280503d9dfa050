"""The figure of the decisions: ratios of two systems with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.decisions import HEADLINE, Decision, Outcome
from testbed.analysis.figures.figure import ReportFigure, finished, subplots
from testbed.analysis.figures.style import COLOURS, GREY
from testbed.analysis.quantities import MORE_IS_BETTER
from testbed.analysis.statistics.intervals import CONFIDENCE
from testbed.analysis.statistics.ratios import ALIKE
from testbed.analysis.tables import FIGURE, by_systems

DRAWN: dict[Outcome, tuple[str, str, str]] = {
    "better": ("o", COLOURS[0], COLOURS[0]),
    "worse": ("s", COLOURS[1], COLOURS[1]),
    "alike": ("D", COLOURS[2], COLOURS[2]),
    "not known": ("o", GREY, "white"),
}
"""Marker, colour and fill by decision."""

TICKS = (
    (0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10),
    (0.05, 0.1, 0.2, 0.33, 0.5, 0.8, 1, 1.25, 2, 3, 5, 10, 20),
    (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100),
    (0.001, 0.01, 0.1, 1, 10, 100, 1000),
)
"""Ratios that an axis may name, the finest first."""

NAMED = 6
"""Most ratios that an axis names, if there is a coarser choice."""


def ratios(decisions: Sequence[Decision]) -> Iterator[ReportFigure]:
    """Draw the ratios of the headline figures by cell, a figure for each compared system."""
    parts = by_systems(one for one in decisions if one.ratio is not None)
    for title, part in parts.items():
        name = "ratios" if len(parts) == 1 else f"ratios-{part[0].system}-to-{part[0].reference}"
        yield finished(name, f"{title}: ratios", partial(_draw_ratios, part))


def _draw_ratios(part: Sequence[Decision]) -> tuple[Figure, str]:
    system, reference = part[0].system, part[0].reference
    cells = list(dict.fromkeys((one.workload, one.load) for one in part))
    figure, grid = subplots(1, len(HEADLINE), 1.3 + 0.32 * len(cells), sharey=True)
    for axes, name in zip(grid[0], HEADLINE, strict=True):
        known = [one for one in part if one.figure == name]
        values: list[float] = []
        for one in known:
            values += mark_ratio(axes, one, cells.index((one.workload, one.load)), capsize=3, ms=6)
        axes.set_title(FIGURE[name])
        side = "right" if name in MORE_IS_BETTER else "left"
        axes.set_title(f"{side} is better", loc="right", fontsize=7.5, color=GREY)
        axes.set_xlabel(f"{system} ÷ {reference}")
        ratio_axis(axes, values)
        if not known:
            axes.text(0.5, 0.5, "not recorded", transform=axes.transAxes, ha="center")
    grid[0][0].set_yticks(range(len(cells)), [f"{workload}, {load}" for workload, load in cells])
    grid[0][0].set_ylim(len(cells) - 0.5, -0.5)
    return figure, (
        f"{system} divided by {reference} in each cell, with {100 * CONFIDENCE:g} % intervals; "
        f"grey: within {100 * (ALIKE - 1):.0f} %. Filled circle: {system} is better; square: "
        "worse; diamond: alike; hollow: not known."
    )


def mark_ratio(axes: Axes, one: Decision, at: float, **look: Any) -> list[float]:
    """Mark a ratio with its interval and its decision; return the ends of the interval."""
    marker, colour, fill = DRAWN[one.decision]
    ratio = one.ratio or 1.0
    low, high = one.low or ratio, one.high or ratio
    beside = [[max(ratio - low, 0)], [max(high - ratio, 0)]]
    axes.errorbar([ratio], [at], xerr=beside, fmt=marker, color=colour, mfc=fill, **look)
    return [low, high]


def ratio_axis(axes: Axes, values: Sequence[float]) -> None:
    """Give an axis of ratios its logarithmic scale, its ticks, and what is alike in grey."""
    axes.axvspan(1 / ALIKE, ALIKE, color="#dddddd", alpha=0.6, lw=0)
    axes.axvline(1, color="black", lw=1)
    low, high = min([*values, 0.8]) / 1.08, max([*values, 1.25]) * 1.08
    choices = [[tick for tick in ticks if low <= tick <= high] for ticks in TICKS]
    ticks = next((few for few in choices if len(few) <= NAMED), choices[-1])
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()

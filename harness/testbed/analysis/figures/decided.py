"""The figure of the decisions: ratios of two systems with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.decisions import Decision, Outcome
from testbed.analysis.figures.figure import ReportFigure, narrow, subplots
from testbed.analysis.figures.style import DARK_RED, GREEN, GREY, NARROW_IN
from testbed.analysis.quantities import COMPARED, QUANTITIES
from testbed.analysis.statistics.ratios import ALIKE
from testbed.analysis.tables import by_systems

DRAWN: dict[Outcome, tuple[str, str, str]] = {
    "better": ("o", GREEN, GREEN),
    "worse": ("s", DARK_RED, DARK_RED),
    "alike": ("D", "black", "black"),
    "not known": ("o", GREY, "white"),
}
"""Marker, colour and fill by decision; the colours of two compared systems are others."""

TICKS = (
    (0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10),
    (0.05, 0.1, 0.2, 0.33, 0.5, 0.8, 1, 1.25, 2, 3, 5, 10, 20),
    (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100),
    *(tuple(10.0**power for power in range(-30, 31, step)) for step in (1, 2, 3, 5, 10)),
)
"""Ratios that an axis may name, the finest first. Each choice has 1."""

NAMED = 6
"""Most ratios that an axis names."""


def ratios(decisions: Sequence[Decision]) -> Iterator[ReportFigure]:
    """Draw the ratios of the headline figures by cell, a figure for each compared system."""
    parts = by_systems(decision for decision in decisions if decision.ratio is not None)
    for title, part in parts.items():
        name = "ratios" if len(parts) == 1 else f"ratios-{part[0].system}-to-{part[0].reference}"
        yield narrow(name, f"{title}: ratios", partial(_draw_ratios, part))


def _draw_ratios(part: Sequence[Decision]) -> tuple[Figure, str]:
    system, reference = part[0].system, part[0].reference
    cells = list(dict.fromkeys((decision.workload, decision.load) for decision in part))
    drawn = [name for name in COMPARED if any(decision.figure == name for decision in part)]
    height_in = 0.5 + len(drawn) * (0.75 + 0.24 * len(cells))
    figure, grid = subplots(len(drawn), 1, height_in, width_in=NARROW_IN)
    for (axes,), name in zip(grid, drawn, strict=True):
        values: list[float] = []
        for decision in part:
            if decision.figure == name:
                at = cells.index((decision.workload, decision.load))
                values += mark_ratio(axes, decision, at, capsize=3, ms=6)
        axes.set_title(QUANTITIES[name].heading)
        side = "right" if QUANTITIES[name].more_is_better else "left"
        axes.set_title(f"{side} is better", loc="right", fontsize=8, color=GREY)
        ratio_axis(axes, values)
        axes.set_yticks(range(len(cells)), [f"{workload}, {load}" for workload, load in cells])
        axes.set_ylim(len(cells) - 0.5, -0.5)
    grid[-1][0].set_xlabel(f"{system} ÷ {reference}")
    return figure, (
        f"{system} divided by {reference} in each cell, with the interval by which it is decided; "
        f"grey: within {100 * (ALIKE - 1):.0f} % of 1. Filled circle: {system} is better; square: "
        "worse; diamond: alike; hollow: not known."
    )


def mark_ratio(axes: Axes, decision: Decision, at: float, **style: Any) -> list[float]:
    """Mark a ratio with its interval and its decision; return the ends of the interval."""
    marker, colour, fill = DRAWN[decision.decision]
    ratio = decision.ratio or 1.0
    low, high = decision.low or ratio, decision.high or ratio
    beside = [[max(ratio - low, 0)], [max(high - ratio, 0)]]
    axes.errorbar([ratio], [at], xerr=beside, fmt=marker, color=colour, mfc=fill, **style)
    return [low, high]


def ratio_axis(axes: Axes, values: Sequence[float]) -> None:
    """Give an axis of ratios its logarithmic scale, its ticks, and what is alike in grey."""
    axes.axvspan(1 / ALIKE, ALIKE, color="#dddddd", alpha=0.6, lw=0)
    axes.axvline(1, color="black", lw=1)
    low, high = min([*values, 0.8]) / 1.08, max([*values, 1.25]) * 1.08
    choices = [[tick for tick in ticks if low <= tick <= high] for ticks in TICKS]
    ticks = next(few for few in choices if len(few) <= NAMED)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()

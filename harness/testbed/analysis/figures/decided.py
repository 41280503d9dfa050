"""The figure of what is decided: the ratios of two systems with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.decisions import DECIDING_RUNS, FAILS_APART, Comparison, Ratio, by_pair
from testbed.analysis.figures.looks import COLOURS, GREY
from testbed.analysis.figures.plates import Plate, plate, span, subplots
from testbed.analysis.quantities import MORE_IS_BETTER, WORDS
from testbed.analysis.statistics.intervals import CONFIDENCE
from testbed.analysis.studies import Study, study_of

RATIOS_DRAWN = ("p50_ms", "p95_ms", "ok_per_s", "cpu_ms_per_ok")


def ratios(compared: Sequence[Comparison]) -> Iterator[Plate]:
    """Draw what is decided: the ratios of two systems by level with their intervals."""
    pairs = by_pair(compared)
    several = len({(first, second) for _, first, second in pairs}) > 1
    for (question, first, second), part in pairs.items():
        suffix = f"{second}-to-{first}" if several else ""
        yield plate("ratios", study_of(question), _draw_ratios, part, suffix)


def _draw_ratios(study: Study, compared: Sequence[Comparison]) -> tuple[Figure, str]:
    first, second = compared[0].first, compared[0].second
    levels = [one.level for one in compared]
    figure, grid = subplots(2, 2, 5.1, sharex=True)
    for axes, name in zip(chain(*grid), RATIOS_DRAWN, strict=True):
        axes.axhline(1, color="black", lw=1)
        known = [
            (place, ratio, one.winner(name))
            for place, one in enumerate(compared)
            if (ratio := one.ratios[name]).observed is not None
        ]
        for place, ratio, winner in known:
            interval, observed = ratio.interval, ratio.observed or math.nan
            reach = (
                [[max(observed - interval.low, 0)], [max(interval.high - observed, 0)]]
                if interval is not None
                else None
            )
            colour = GREY if winner is None else COLOURS[0 if winner == "first" else 1]
            axes.errorbar(
                [place],
                [observed],
                yerr=reach,
                fmt={None: "o", "first": "o", "second": "s"}[winner],
                mfc="white" if winner is None else colour,
                color=colour,
                capsize=3,
                ms=6,
            )
        axes.set_title("CPU per success" if name == "cpu_ms_per_ok" else WORDS[name])
        axes.set_ylabel(f"{second} ÷ {first}")
        axes.set_yscale("log")
        _ratio_ticks(axes, [one for _, ratio, _ in known for one in _ends(ratio)])
        axes.set_xticks(range(len(levels)), [f"{level:g}" for level in levels])
        axes.set_xlim(-0.5, len(levels) - 0.5)
        more = "more" if name in MORE_IS_BETTER else "less"
        axes.set_title(f"{more} is better for {second}", loc="right", fontsize=7.5, color=GREY)
        if not known:
            axes.text(0.5, 0.6, "not recorded", transform=axes.transAxes, ha="center")
    for axes in grid[-1]:
        axes.set_xlabel(study.axis)
    runs = [count for one in compared for count in one.runs]
    return figure, (
        f"{second} divided by {first} for {study.workload}, by {study.axis}, {study.conditions}, "
        f"{span(runs, 'usable run')} of each side. Bars: {100 * CONFIDENCE:g} % intervals over "
        f"runs, the wider of the hierarchical bootstrap's and of Welch's. Filled circle: "
        f"decided for {first}; filled square: decided for {second}; hollow: not decided, that is, "
        f"an interval that holds 1, fewer than {DECIDING_RUNS} runs of a side, percentiles "
        f"within the clock's 1 ms, or response times of a faster system whose failed share "
        f"is over {100 * FAILS_APART:g} percentage point higher."
    )


def _ends(ratio: Ratio) -> list[float]:
    interval = ratio.interval
    found = [interval.low, interval.high] if interval is not None else [ratio.observed or 1.0]
    return [value for value in found if value > 0]


def _ratio_ticks(axes: Axes, values: Sequence[float]) -> None:
    """Set ticks that read as ratios, around 1."""
    low, high = min([*values, 0.8]) / 1.08, max([*values, 1.25]) * 1.08
    steps = (0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10)
    ticks = [step for step in steps if low <= step <= high]
    if len(ticks) > 7:
        ticks = [tick for tick in ticks if tick not in (0.9, 1.1, 0.67, 1.5)]
    axes.set_ylim(low, high)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()

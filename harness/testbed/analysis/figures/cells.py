"""The figures of what was measured: operations per second and response times, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.figures.figure import ReportFigure, narrow, subplots
from testbed.analysis.figures.style import NARROW_IN, LineStyle, line_styles
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import block_figures, run_figure
from testbed.analysis.results import Cell
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval, pooled_intervals
from testbed.analysis.verdicts import DECIDING, Judged
from testbed.model import systems
from testbed.model.loads import Mode, load_words

DRAWN = ("ok_per_s", "p50_ms", "p95_ms")

MOST_ROWS = 40
"""Rows of a figure; results with more have figures over the level or the factor."""

WIDE = 15
"""Largest response time ÷ smallest from which an axis is logarithmic."""


@dataclass(frozen=True)
class Observed:
    """The figures of one cell of a system, each with a value for each run or block.

    ``decides`` is false of a cell that has no run which decides.
    """

    system: str
    workload: str
    mode: Mode
    level: float
    values: Mapping[str, tuple[float, ...]]
    decides: bool


def observed(judged: Judged) -> list[Observed]:
    """Return the figures of the runs that decide, or of their blocks if no cell has two runs.

    Of a cell without such a run they are those of the runs that are used.
    Empty for a search for the least CPU, which has a cell for each amount.
    """
    if judged.results.declared.get("demand"):
        return []
    deciding = judged.decisive.used.by_cell()
    cells = judged.used.by_cell() | deciding
    single = all(len(runs) == 1 for runs in cells.values())

    def values(cell: Cell, figure: str) -> tuple[float, ...]:
        runs = cells[cell]
        if single:
            return tuple(filter(None, block_figures(runs[0], figure)))
        return tuple(filter(None, (run_figure(run, figure) for run in runs)))

    return [
        Observed(
            *(cell.system, cell.workload, cell.mode, cell.level),
            {figure: values(cell, figure) for figure in DRAWN},
            cell in deciding,
        )
        for cell in cells
    ]


def observed_runs(runs: pl.DataFrame) -> list[Observed]:
    """Return the figures of the runs of a ``runs.csv``: of each cell those that decide.

    Of a cell without such a run they are those that are not invalid.
    """
    used = runs.filter(pl.col("verdict") != "invalid")
    deciding = pl.col("verdict").is_in(DECIDING)
    columns = ("system", "workload", "mode", "level")
    return [
        Observed(
            part["system"][0],
            part["workload"][0],
            part["mode"][0],
            part["level"][0],
            {figure: tuple(value for value in part[figure].to_list() if value) for figure in DRAWN},
            part["verdict"].is_in(DECIDING).any(),
        )
        for part in used.filter(deciding | ~deciding.any().over(columns)).partition_by(
            *columns, maintain_order=True
        )
    ]


def measured(cells: Sequence[Observed]) -> Iterator[ReportFigure]:
    """Draw goodput and response times; nothing without a success, or of very many cells."""
    drawn = [cell for cell in cells if all(cell.values[figure] for figure in DRAWN)]
    if 0 < len(drawn) <= MOST_ROWS:
        yield narrow("goodput", "Successful operations per second", partial(_draw_goodput, drawn))
        yield narrow("response-times", "Response times", partial(_draw_times, drawn))


def _draw_goodput(cells: Sequence[Observed]) -> tuple[Figure, str]:
    goodput = _intervals(cells, "ok_per_s")
    figure, panels = _panels(cells)
    for axes, rows in panels:
        for place, cell, style in rows:
            interval = goodput[_key(cell)]
            (bar,) = axes.barh(place, interval.estimate, height=0.8, color=style.colour, alpha=0.75)
            if not cell.decides:
                bar.set(fill=False, hatch="///", edgecolor=style.colour)
            _mark(axes, place, interval, fmt="none", ecolor="black", elinewidth=1.2)
            _say(axes, place, interval.high, f"{_short(interval.estimate)}")
        axes.set_xlim(0, 1.2 * max(goodput[_key(cell)].high for _, cell, _ in rows))
    panels[-1][0].set_xlabel("operations/s; more is better")
    return figure, (
        f"Goodput of each system: successful operations per second. {_interval_words(cells)}"
        f"{_undecided_words(cells, 'Hatched')}"
    )


def _draw_times(cells: Sequence[Observed]) -> tuple[Figure, str]:
    medians, p95 = _intervals(cells, "p50_ms"), _intervals(cells, "p95_ms")
    figure, panels = _panels(cells)
    for axes, rows in panels:
        for place, cell, style in rows:
            median, high = medians[_key(cell)], p95[_key(cell)]
            line = "-" if cell.decides else ":"
            axes.plot([median.estimate, high.estimate], [place] * 2, line, color=style.colour, lw=1)
            _mark(axes, place, median, fmt=style.marker, color=style.colour, mfc="white", ms=5)
            _mark(axes, place, high, fmt=style.marker, color=style.colour, ms=5)
            words = f"{_short(median.estimate)}, {_short(high.estimate)}"
            _say(axes, place, high.high, words)
        lows = [medians[_key(cell)].low for _, cell, _ in rows]
        highs = [p95[_key(cell)].high for _, cell, _ in rows]
        if max(highs) > WIDE * min(lows):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.set_xlim(0.8 * min(lows), max(highs) * (max(highs) / min(lows)) ** 0.3)
        else:
            axes.set_xlim(0, 1.3 * max(highs))
    panels[-1][0].set_xlabel("ms; less is better")
    return figure, (
        "Response times of successful operations: median (hollow) and 95th percentile (filled). "
        f"{_interval_words(cells)}{_undecided_words(cells, 'Dotted')}"
    )


def _panels(
    cells: Sequence[Observed],
) -> tuple[Figure, list[tuple[Axes, list[tuple[float, Observed, LineStyle]]]]]:
    """Return a panel for each workload, with the place and the style of each of its rows."""
    styles = line_styles(cell.system for cell in cells)
    studies = grouped(cells, lambda cell: (cell.workload, cell.mode))
    laid = [_rows(part, styles) for part in studies.values()]
    heights = [0.55 + 0.2 * (rows[-1][0] + 1) for rows in laid]
    figure, grid = subplots(
        len(studies), 1, sum(heights) + 0.75, width_in=NARROW_IN, height_ratios=heights
    )
    panels = []
    for (axes,), (workload, mode), rows in zip(grid, studies, laid, strict=True):
        by_level = grouped(rows, lambda row: row[1].level)
        centres = [(of_level[0][0] + of_level[-1][0]) / 2 for of_level in by_level.values()]
        axes.set_yticks(centres, [load_words(mode, level) for level in by_level])
        axes.set_ylim(rows[-1][0] + 0.7, -0.7)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.set_title(systems.noun(workload))
        panels.append((axes, rows))
    handles = [
        grid[0][0].plot([], [], style.marker, color=style.colour, label=system)[0]
        for system, style in styles.items()
    ]
    columns = min(len(styles), 3)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns)
    return figure, panels


def _rows(
    cells: Sequence[Observed], styles: Mapping[str, LineStyle]
) -> list[tuple[float, Observed, LineStyle]]:
    """Return the place of each cell: by level, with a gap between levels."""
    rows, place = [], 0.0
    order = list(styles)
    by_level = grouped(sorted(cells, key=lambda cell: cell.level), lambda cell: cell.level)
    for part in by_level.values():
        for cell in sorted(part, key=lambda cell: order.index(cell.system)):
            rows.append((place, cell, styles[cell.system]))
            place += 1
        place += 0.6
    return rows


def _intervals(
    cells: Sequence[Observed], figure: str
) -> dict[tuple[str, str, Mode, float], Interval]:
    intervals = pooled_intervals([cell.values[figure] for cell in cells])
    return {_key(cell): interval for cell, interval in zip(cells, intervals, strict=True)}


def _key(cell: Observed) -> tuple[str, str, Mode, float]:
    return cell.system, cell.workload, cell.mode, cell.level


def _mark(axes: Axes, place: float, interval: Interval, **style: object) -> None:
    beside = [
        [max(interval.estimate - interval.low, 0)],
        [max(interval.high - interval.estimate, 0)],
    ]
    axes.errorbar([interval.estimate], [place], xerr=beside, capsize=2.5, **style)  # type: ignore[arg-type]


def _say(axes: Axes, place: float, after: float, words: str) -> None:
    axes.annotate(
        words, (after, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8.5
    )


def _short(value: float) -> str:
    """Return a value with about three digits: ``1,234``, ``56``, ``7.8``."""
    return f"{value:,.0f}" if value >= 20 else f"{value:.3g}" if value < 1 else f"{value:.1f}"


def _interval_words(cells: Sequence[Observed]) -> str:
    most = max(len(cell.values["ok_per_s"]) for cell in cells)
    if most == 1:
        return "One value each: no interval."
    return (
        f"Lines at the ends are {100 * CONFIDENCE:g} % intervals of each value by itself. The "
        "systems were loaded in turns, so their ratio is known better than each value."
    )


def _undecided_words(cells: Sequence[Observed], look: str) -> str:
    return "" if all(cell.decides for cell in cells) else f" {look}: no run of it decides."

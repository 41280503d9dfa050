"""The figures of the report.

Colours are of Okabe and Ito's set, which colour-blind eyes tell apart; systems differ by marker,
line and hatch as well, so that the figures read in black and white.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from io import BytesIO
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal, Stroke
from scipy.signal import savgol_filter

from testbed.analysis.decisions import (
    DECIDING_RUNS,
    MORE_IS_BETTER,
    WORDS,
    Comparison,
    Question,
    Ratio,
    SettingPoint,
    by_pair,
    efficiencies,
    questions,
    scalability,
    varied_settings,
)
from testbed.analysis.results import UNSTATED, load_words
from testbed.analysis.samples import Measured, Measurement
from testbed.analysis.statistics import CONFIDENCE, Interval, linear_trend
from testbed.analysis.tables import condition, percent
from testbed.analysis.verdicts import Judged

Data = TypeVar("Data")
Item = TypeVar("Item")
Floats = npt.NDArray[np.float64]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "////", "..", "xx", "\\\\", "++", "oo")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
OUTCOME_COLOURS = {
    "breaker_open": "#D55E00",
    "no_port": "#999933",
    "time_limit": "#E69F00",
    "not_ready": "#0072B2",
    "partial": "#56B4E9",
    "rejected": "#CC79A7",
    "connect": "#000000",
    "wrong_body": "#009E73",
    "other": "#882255",
}
OK_COLOUR = "#dddddd"
GREY = "#555555"

WINDOW = 10_000
"""Points under the smoothing window in the thesis (section 4.3.3)."""
DEGREE = 2
"""Degree of its polynomial."""
WINDOWS_PER_RUN = 5
"""The window is shortened until a run has so many: a longer one draws a single parabola over it."""

POINTS_DRAWN = 8_000
CROSSES_DRAWN = 400
"""Of one panel, evenly spaced; lines and numbers are of all."""

OUTCOMES_SPELT = 4
"""Beside one bar; the rest is summed up."""

LEVELS_FOR_R = 3
"""Two points always lie on a line: a correlation of fewer levels says nothing."""

WIDTH_IN = 9.0
DPI = 144

STYLE: dict[Any, Any] = {
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "hatch.linewidth": 0.7,
}


@dataclass(frozen=True)
class Study:
    """What one figure is about: cells that differ in system and level only."""

    workload: str
    preset: str
    backends: str
    mode: str = "closed"

    @property
    def conditions(self) -> str:
        """The words for its preset and backends."""
        words = condition(self.preset, self.backends)
        return words if self.mode == "closed" else f"{words}, open loop"

    @property
    def axis(self) -> str:
        """What its level is."""
        return "threads" if self.mode == "closed" else "arrivals per second"


@dataclass(frozen=True)
class Look:
    """How a system is drawn in one figure."""

    colour: str
    marker: str
    hatch: str
    line: Any


def looks(systems: Iterable[str]) -> dict[str, Look]:
    """Return how each of the systems of one figure is drawn; the order decides."""
    places = {system: i % len(COLOURS) for i, system in enumerate(_unique(systems))}
    return {
        system: Look(COLOURS[i], MARKERS[i], HATCHES[i], LINES[i]) for system, i in places.items()
    }


@dataclass(frozen=True)
class Plate:
    """A finished figure; a notebook shows it as an image.

    Parameters
    ----------
    name
        Of its file, without the suffix.
    caption
        What it shows and how it was made; also its text alternative.
    png
        The image.
    """

    name: str
    caption: str
    png: bytes

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        image, words = b64encode(self.png).decode(), escape(self.caption)
        html = (
            f'<figure><img src="data:image/png;base64,{image}" alt="{words}">'
            f"<figcaption>{words}</figcaption></figure>"
        )
        return {"text/html": html, "image/png": image}, {"image/png": {"name": self.name}}


def over_time(measured: Measured) -> Iterator[Plate]:
    """Draw response time against time at the lowest and the highest level, per workload."""
    for study, measurements in _measured_studies(measured):
        yield _plate("over-time", study, _draw_over_time, measurements)


def outcomes(measured: Measured) -> Iterator[Plate]:
    """Draw the response codes and failure classes of operations by level, per workload."""
    for study, measurements in _measured_studies(measured):
        yield _plate("outcomes", study, _draw_outcomes, measurements)


def scaling(summary: pl.DataFrame) -> Iterator[Plate]:
    """Draw mean and 95th percentile against threads, with trend and Pearson's r, per workload."""
    for study, part in _summarised_studies(summary):
        yield _plate("scaling", study, _draw_scaling, part)


def side_by_side(summary: pl.DataFrame) -> Iterator[Plate]:
    """Draw the variants' percentiles and goodput beside one another by level, per workload."""
    for study, part in _summarised_studies(summary):
        yield _plate("side-by-side", study, _draw_side_by_side, part)


def ratios(compared: Sequence[Comparison]) -> Iterator[Plate]:
    """Draw what is decided: the ratios of two systems by level with their intervals."""
    pairs = by_pair(compared)
    several = len({(first, second) for _, first, second in pairs}) > 1
    for (question, first, second), part in pairs.items():
        suffix = f"{second}-to-{first}" if several else ""
        yield _plate("ratios", _study_of(question), _draw_ratios, part, suffix)


def distributions(measured: Measured) -> Iterator[Plate]:
    """Draw the distribution of response times at the lowest and the highest level."""
    for study, measurements in _measured_studies(measured):
        yield _plate("distribution", study, _draw_distributions, measurements)


def curves(judged: Judged) -> Iterator[Plate]:
    """Draw efficiency, and goodput with the Universal Scalability Law, of closed loops."""
    for question, systems in questions(judged):
        levels = {level for runs in systems.values() for level in runs}
        if question.mode == "closed" and len(levels) > 1:
            yield _plate("efficiency", _study_of(question), _draw_curves, systems)


def by_setting(judged: Judged) -> Iterator[Plate]:
    """Draw the share of correct answers against each numeric setting that was varied."""
    for question, systems in questions(judged):
        for setting, points in varied_settings(systems).items():
            yield _plate(
                "by-setting",
                _study_of(question),
                partial(_draw_by_setting, setting),
                points,
                setting,
            )


def disturbances(judged: Judged) -> Iterator[Plate]:
    """Draw the operations around the time at which a service was stopped."""
    for study, measurements in _measured_studies(judged.recorded):
        disturbed = [one for one in measurements if one.run.disturbance]
        if disturbed:
            yield _plate("disturbance", study, _draw_disturbances, disturbed)


def smoothed(elapsed: Floats) -> tuple[Floats, int]:
    """Smooth response times as the thesis does, with a Savitzky–Golay filter.

    Parameters
    ----------
    elapsed
        Response times in order, ms, shape (n,).

    Returns
    -------
    tuple
        The smoothed times, shape (n,), and the window: `WINDOW` points as in the thesis, or a fifth
        of the run where that is less. Fewer points than a polynomial needs are returned unchanged,
        with window 1.
    """
    window = min(WINDOW, elapsed.size // WINDOWS_PER_RUN)
    if window <= DEGREE + 1:
        return elapsed, 1
    return savgol_filter(elapsed, window, DEGREE), window


def _draw_over_time(study: Study, measurements: Sequence[Measurement]) -> tuple[Figure, str]:
    systems = _unique(measurement.run.cell.system for measurement in measurements)
    levels = sorted({measurement.run.cell.level for measurement in measurements})
    colours = looks(systems)
    ends = _unique((levels[0], levels[-1]))
    figure, grid = _subplots(
        len(systems), len(ends), 2.5 * len(systems) + 0.5, sharex="col", sharey="col"
    )
    for column, level in enumerate(ends):
        tops = []
        for row, system in enumerate(systems):
            axes = grid[row][column]
            run = next(
                (
                    measurement
                    for measurement in measurements
                    if (measurement.run.cell.system, measurement.run.cell.level) == (system, level)
                ),
                None,
            )
            axes.set_title(f"{system}, {load_words(study.mode, level)}")
            axes.set_ylabel("response time [ms]")
            if run is None:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")
            else:
                tops.append(_draw_run(axes, run.whole or run, run, colours[system].colour))
        grid[-1][column].set_xlabel("time since the start of the run [s]")
        grid[0][column].set_ylim(0, max(tops))
    return figure, (
        f"Response time of each successful {study.workload} operation against its start, at the "
        f"lowest and the highest level, {study.conditions}. Black line: Savitzky–Golay filter of "
        f"degree {DEGREE}; its window is {WINDOW:,} operations as in the thesis, or a fifth of the "
        f"run where that is less, as each panel states. Crosses: failed operations. At most "
        f"{POINTS_DRAWN:,} points and {CROSSES_DRAWN} crosses are drawn per panel, the line is of "
        f"all; the axis ends above the 99.5th percentile. Of repeated runs the first is shown, "
        f"whole; what lies left of a dotted line was taken for warm-up and is in no other figure."
    )


def _draw_run(axes: Axes, measurement: Measurement, steady: Measurement, colour: str) -> float:
    """Draw one run's operations and return where its axis should end, ms."""
    operations = measurement.operations
    start_s = (operations["start_ms"] - operations["start_ms"].min()).to_numpy() / 1000
    elapsed = operations["elapsed_ms"].to_numpy().astype(float)
    ok = operations["ok"].to_numpy()
    if not ok.any():
        axes.text(0.5, 0.5, "no operation succeeded", transform=axes.transAxes, ha="center")
        return float(elapsed.max())
    if steady is not measurement and not steady.operations.is_empty():
        begin = steady.operations["start_ms"].to_numpy().min()
        axes.axvline(
            (begin - operations["start_ms"].to_numpy().min()) / 1000, color="black", lw=1.2, ls=":"
        )
    shown = _thinned(np.flatnonzero(ok), POINTS_DRAWN)
    size = 2.2 if shown.size > 2_000 else 4
    axes.plot(start_s[shown], elapsed[shown], ".", ms=size, alpha=0.45, color=colour, mew=0)
    failed = _thinned(np.flatnonzero(~ok), CROSSES_DRAWN)
    axes.plot(start_s[failed], elapsed[failed], "x", ms=3.5, mew=0.8, color="#882255")
    line, window = smoothed(elapsed[ok])
    drawn = _thinned(np.arange(line.size), POINTS_DRAWN)
    outline = [Stroke(linewidth=3.2, foreground="white"), Normal()]
    axes.plot(start_s[ok][drawn], line[drawn], color="black", lw=1.5, path_effects=outline)
    top = 1.15 * max(float(np.quantile(elapsed[ok], 0.995)), float(line.max()))
    notes = [f"window {window:,}"]
    if above := int((elapsed > top).sum()):
        notes.append(f"{above:,} above the axis")
    if failures := int((~ok).sum()):
        notes.append(f"{failures:,} failed")
    axes.set_title(", ".join(notes), loc="right", fontsize=7.5, color=GREY)
    return top


def _draw_outcomes(study: Study, measurements: Sequence[Measurement]) -> tuple[Figure, str]:
    systems = _unique(measurement.run.cell.system for measurement in measurements)
    levels = {
        system: sorted({m.run.cell.level for m in measurements if m.run.cell.system == system})
        for system in systems
    }
    heights = [len(levels[system]) + 1.5 for system in systems]
    figure, grid = _subplots(
        len(systems), 1, 0.26 * sum(heights) + 0.6, height_ratios=heights, sharex=True
    )
    for axes, system in zip(chain(*grid), systems, strict=True):
        axes.grid(False)
        axes.set_title(system)
        axes.set_ylabel(study.axis)
        axes.set_yticks(range(len(levels[system])), [f"{level:g}" for level in levels[system]])
        axes.set_ylim(len(levels[system]) - 0.5, -0.5)
        for position, level in enumerate(levels[system]):
            operations = pl.concat(
                m.operations
                for m in measurements
                if (m.run.cell.system, m.run.cell.level) == (system, level)
            )
            _draw_outcome_bar(axes, position, operations)
    grid[-1][0].set_xlim(0, 100)
    grid[-1][0].set_xlabel("operations [%]")
    return figure, (
        f"Response codes of {study.workload} operations by level, {study.conditions}. Grey: "
        f"successful. A failed operation has the code of the answer that made it fail, and its "
        f"class: a 200 fails when its body is not the expected one, for example when a cinema is "
        f"missing."
    )


def _draw_outcome_bar(axes: Axes, position: int, operations: pl.DataFrame) -> None:
    """Draw the operations of one level as one bar, with its outcomes spelt out beside it."""
    counted = (
        operations.group_by("ok", "failure", "code")
        .len()
        .sort("ok", "len", "failure", "code", descending=True)
        .iter_rows()
    )
    words: list[str] = []
    shares: list[float] = []
    for ok, failure, code, count in counted:
        share = count / operations.height
        axes.barh(
            position,
            100 * share,
            left=100 * sum(shares),
            height=0.72,
            color=OK_COLOUR if ok else OUTCOME_COLOURS[failure],
        )
        shares.append(share)
        words.append(f"{_outcome(failure, code)}: {percent(share)}")
    if len(words) > OUTCOMES_SPELT:
        rest = sum(shares[OUTCOMES_SPELT:])
        words[OUTCOMES_SPELT:] = [f"{len(words) - OUTCOMES_SPELT} more: {percent(rest)}"]
    axes.text(101, position, ",  ".join(words), va="center", fontsize=8.5)


def _outcome(failure: str | None, code: str) -> str:
    """Return the words for an outcome: its code, and the failure class where that says more."""
    if failure is None or failure == "other":
        return code or "no code"
    words = failure.replace("_", " ")
    return f"{code} {words}" if code.isdigit() else words


def _draw_scaling(study: Study, part: pl.DataFrame) -> tuple[Figure, str]:
    figure, grid = _subplots(1, 2, 3.4)
    look = looks(part["system"])
    for axes, (column, words) in zip(
        grid[0], {"mean_ms": "mean", "p95_ms": "95th percentile"}.items(), strict=True
    ):
        for system, rows in _by_system(part.drop_nulls(column)):
            threads, times = rows["level"].to_numpy(), rows[column].to_numpy()
            label = system
            if threads.size >= LEVELS_FOR_R and np.ptp(times):
                trend = linear_trend(threads, times)
                label = f"{system}, r = {trend.r:.3f}"
                ends = np.array([0, 1.08 * threads[-1]])
                line = trend.intercept + trend.slope * ends
                axes.plot(ends, line, "--", color=look[system].colour, lw=1)
            axes.plot(
                threads,
                times,
                marker=look[system].marker,
                color=look[system].colour,
                lw=1.6,
                label=label,
            )
        axes.set_title(words)
        axes.set_xlabel(study.axis)
        axes.set_ylabel("response time [ms]")
        levels = sorted(set(part["level"].to_list()))
        axes.set_xlim(0, 1.08 * levels[-1])
        axes.set_xticks(levels if len(levels) <= 12 else levels[:: len(levels) // 6])
        axes.margins(y=0.08)
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper left")
    enough = part["level"].n_unique() >= LEVELS_FOR_R
    return figure, (
        f"Mean and 95th percentile of the response time of successful {study.workload} operations "
        f"against {study.axis}, {study.conditions}, {_runs(part)}. "
        + (
            "Dashed: least-squares line; r: Pearson's correlation, which tells how straight the "
            "points lie and not how well a system scales."
            if enough
            else f"Fewer than {LEVELS_FOR_R} levels: no trend line and no correlation."
        )
    )


def _draw_side_by_side(study: Study, part: pl.DataFrame) -> tuple[Figure, str]:
    levels = part["level"].unique().sort().to_list()
    systems = part["system"].unique(maintain_order=True).to_list()
    panels = {
        "p50_ms": ("median", "response time [ms]"),
        "p95_ms": ("95th percentile", "response time [ms]"),
        "p99_ms": ("99th percentile", "response time [ms]"),
        "ok_per_s": ("goodput", "successful operations/s"),
    }
    figure, grid = _subplots(2, 2, 5.1)
    look = looks(systems)
    width = 0.8 / len(systems)
    for axes, (column, (title, unit)) in zip(chain(*grid), panels.items(), strict=True):
        figures = {
            (row["system"], row["level"]): row[column]
            for row in part.drop_nulls(column).iter_rows(named=True)
        }
        for place, system in enumerate(systems):
            present = [i for i, level in enumerate(levels) if (system, level) in figures]
            axes.bar(
                [i + width * (place - (len(systems) - 1) / 2) for i in present],
                [figures[system, levels[i]] for i in present],
                width,
                color=look[system].colour,
                hatch=look[system].hatch,
                edgecolor="white",
                label=system,
            )
        for i, level in enumerate(levels):
            pair = [figures.get((system, level), 0.0) for system in systems]
            if len(pair) == 2 and all(pair):
                axes.annotate(
                    f"×{pair[1] / pair[0]:.2f}",
                    (i, max(pair)),
                    xytext=(0, 2),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8.5 if len(levels) <= 6 else 7,
                )
        axes.margins(y=0.12)
        axes.grid(False, axis="x")
        axes.set_title(title)
        axes.set_xticks(range(len(levels)), [f"{level:g}" for level in levels])
        axes.set_xlabel(study.axis)
        axes.set_ylabel(unit)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(systems))
    return figure, (
        f"Systems side by side for {study.workload}, {study.conditions}, {_runs(part)}. Response "
        f"times are of successful operations."
        + (
            f" Above each pair: {systems[1]} divided by {systems[0]}; for response times less than "
            f"1 is better for {systems[1]}, for goodput more than 1 is."
            if len(systems) == 2
            else ""
        )
    )


def _draw_ratios(study: Study, compared: Sequence[Comparison]) -> tuple[Figure, str]:
    first, second = compared[0].first, compared[0].second
    levels = [one.level for one in compared]
    figure, grid = _subplots(2, 2, 5.1, sharex=True)
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
        f"{_span(runs, 'usable run')} of each side. Bars: {100 * CONFIDENCE:g} % intervals of the "
        f"hierarchical bootstrap over runs. Filled circle: decided for {first}; filled square: "
        f"decided for {second}; hollow: not decided, that is, an interval that holds 1, fewer than "
        f"{DECIDING_RUNS} runs of a side, or percentiles within the clock's 1 ms."
    )


def _draw_distributions(study: Study, measurements: Sequence[Measurement]) -> tuple[Figure, str]:
    systems = _unique(measurement.run.cell.system for measurement in measurements)
    levels = sorted({measurement.run.cell.level for measurement in measurements})
    shown = _unique((levels[0], levels[len(levels) // 2], levels[-1]))
    look = looks(systems)
    figure, grid = _subplots(1, len(shown), 3.5, sharey=True)
    for axes, level in zip(grid[0], shown, strict=True):
        for system in systems:
            times = [
                one.operations.filter("ok")["elapsed_ms"].to_numpy()
                for one in measurements
                if (one.run.cell.system, one.run.cell.level) == (system, level)
            ]
            pooled = np.sort(np.concatenate(times)) if times else np.empty(0)
            if not pooled.size:
                continue
            above = 1 - np.arange(pooled.size) / pooled.size
            drawn = _unique([*_thinned(np.arange(pooled.size), 2000), *range(-200, 0)])
            places = np.sort(np.array([i % pooled.size for i in drawn if -pooled.size <= i]))
            axes.step(
                np.maximum(pooled[places], 0.5),
                above[places],
                where="post",
                color=look[system].colour,
                ls=look[system].line,
                lw=1.8,
                label=system,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(load_words(study.mode, level))
        axes.set_xlabel("response time t [ms]")
        axes.xaxis.set_major_formatter("{x:g}")
        for share, words in {0.5: "p50", 0.05: "p95", 0.01: "p99"}.items():
            axes.axhline(share, color=GREY, lw=0.6, ls=":")
            axes.text(
                1.0,
                share,
                words,
                transform=axes.get_yaxis_transform(),
                fontsize=7,
                va="bottom",
                ha="right",
                color=GREY,
            )
        axes.set_ylim(1e-4, 1.1)
        axes.set_yticks([1, 0.1, 0.01, 0.001, 0.0001], ["100", "10", "1", "0.1", "0.01"])
    grid[0][0].set_ylabel("operations slower than t [%]")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(systems))
    return figure, (
        f"Distribution of the response time of successful {study.workload} operations at the "
        f"lowest, a middle and the highest level, {study.conditions}, runs pooled. It is the "
        f"empirical distribution function, drawn as the share that is slower, both axes "
        f"logarithmic, so that the slowest one in a thousand can be read."
    )


def _draw_curves(
    study: Study, systems: dict[str, dict[float, list[Measurement]]]
) -> tuple[Figure, str]:
    look = looks(systems)
    figure, grid = _subplots(1, 3, 3.5)
    notes = []
    base = min(level for levels in systems.values() for level in levels)
    for axes, name in zip(grid[0], ("mean_ms", "p95_ms"), strict=False):
        for system, levels in systems.items():
            found = efficiencies(levels, name)
            if found is None:
                continue
            middle = np.array([one.estimate for one in found.percents])
            axes.errorbar(
                found.levels,
                middle,
                yerr=[
                    [max(one.estimate - one.low, 0) for one in found.percents],
                    [max(one.high - one.estimate, 0) for one in found.percents],
                ],
                color=look[system].colour,
                marker=look[system].marker,
                ls=look[system].line,
                capsize=2.5,
                ms=4.5,
                label=system,
            )
        axes.axhline(100, color="black", lw=0.9)
        axes.axhline(75, color="black", lw=0.9, ls=":")
        axes.set_title(f"efficiency on the {WORDS[name]}")
        axes.set_ylabel("E_i [%]")
        axes.set_ylim(bottom=0)
        axes.set_xlabel(study.axis)
    axes = grid[0][2]
    for system, levels in systems.items():
        points = [
            (level, one.operations["ok"].to_numpy().sum() / one.duration_s)
            for level, runs in levels.items()
            for one in runs
        ]
        axes.plot(
            *zip(*points, strict=True),
            look[system].marker,
            color=look[system].colour,
            ms=4.5,
            mfc="none",
            label=system,
        )
        fit = scalability(levels)
        if fit is not None:
            across = np.linspace(*fit.levels, 200)
            axes.plot(
                across, fit.throughput(across), color=look[system].colour, ls=look[system].line
            )
            peak = f", highest at {fit.peak:.0f}" if fit.peak else ""
            notes.append(
                f"{system}: λ {_plus(fit.rate, 1)}/s, σ {_plus(fit.contention, 4)}, "
                f"κ {_plus(fit.coherency, 6)}{peak}"
            )
    axes.set_title("goodput")
    axes.set_ylabel("successful operations/s")
    axes.set_xlabel(study.axis)
    axes.set_ylim(bottom=0)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(systems))
    fitted = (
        f"Lines: the Universal Scalability Law, with {100 * CONFIDENCE:g} % intervals of its "
        f"parameters (rate of one thread λ, contention σ, coherency κ): {'; '.join(notes)}. It is "
        f"not drawn beyond the measured levels."
        if notes
        else "Fewer than four levels: the Universal Scalability Law is not fitted."
    )
    return figure, (
        f"Efficiency E_i = 100 · R_b · i / (b · R_i) of {study.workload} operations relative to "
        f"the lowest level, b = {base:g} threads, {study.conditions}: at least 100 % is high, 75 "
        f"to 100 % low, less is not efficient (Akbulut and Perros 2019, there with b = 1). "
        f"Goodput: one point per run. {fitted}"
    )


def _draw_by_setting(
    setting: str, study: Study, points: Sequence[SettingPoint]
) -> tuple[Figure, str]:
    figure, grid = _subplots(1, 1, 3.2)
    axes = grid[0][0]
    series = _unique((point.group, point.level) for point in points)
    look = looks(f"{group} {level}" for group, level in series)
    for group, level in series:
        line = sorted(
            (one for one in points if (one.group, one.level) == (group, level)),
            key=lambda one: one.value,
        )
        drawn = look[f"{group} {level}"]
        shares = [1 - one.failed.estimate for one in line]
        axes.errorbar(
            [one.value for one in line],
            [100 * share for share in shares],
            yerr=[
                [100 * max(one.failed.high - one.failed.estimate, 0) for one in line],
                [100 * max(one.failed.estimate - one.failed.low, 0) for one in line],
            ],
            color=drawn.colour,
            marker=drawn.marker,
            ls=drawn.line,
            capsize=2.5,
            label=f"{group}, {load_words(study.mode, level)}",
        )
        for one, share in zip(line, shares, strict=True):
            axes.annotate(
                f"{100 * share:.1f}",
                (one.value, 100 * share),
                xytext=(4, -10),
                textcoords="offset points",
                fontsize=7.5,
            )
    axes.set_xlabel(setting)
    axes.set_ylabel("correct operations [%]")
    axes.set_ylim(0, 105)
    axes.legend(loc="lower right")
    return figure, (
        f"Share of correct {study.workload} operations against the setting {setting}, "
        f"{study.conditions}; bars: Wilson's {100 * CONFIDENCE:g} % intervals over all operations."
    )


def _draw_disturbances(study: Study, measurements: Sequence[Measurement]) -> tuple[Figure, str]:
    figure, grid = _subplots(len(measurements), 1, 2.4 * len(measurements) + 0.5, sharex=True)
    systems = looks(one.run.cell.system for one in measurements)
    for (axes,), one in zip(grid, measurements, strict=True):
        cell, operations = one.run.cell, one.operations
        clock = operations.select(pl.coalesce("intended_ms", "start_ms")).to_series().to_numpy()
        at_s = (clock - clock.min()) / 1000
        elapsed, ok = operations["elapsed_ms"].to_numpy(), operations["ok"].to_numpy()
        what = one.run.disturbance or {}
        begin = float(what.get("at_s") or 0)
        axes.axvspan(begin, begin + float(what.get("for_s") or 0), color="#cccccc", alpha=0.5)
        axes.plot(at_s[ok], elapsed[ok], ".", ms=3, color=systems[cell.system].colour)
        axes.plot(at_s[~ok], elapsed[~ok], "x", ms=4, color="#882255")
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_title(f"{cell.system}, {cell.mode} loop, {cell.load}")
        axes.set_ylabel("response time [ms]")
    grid[-1][0].set_xlabel("(intended) start since the start of the load [s]")
    return figure, (
        f"Each {study.workload} operation against its start, {study.conditions}, in runs in which "
        f"a service was stopped, as shaded; crosses: failed operations."
    )


RATIOS_DRAWN = ("p50_ms", "p95_ms", "ok_per_s", "cpu_ms_per_ok")
TITLES = {
    "ratios": "which system is better, and how sure that is",
    "distribution": "distribution of response times",
    "efficiency": "efficiency and goodput",
    "by-setting": "correct answers by setting",
    "disturbance": "a service is stopped",
    "over-time": "response time over the run",
    "outcomes": "response codes by level",
    "scaling": "response time by level",
    "side-by-side": "systems side by side",
}


def _plate(
    kind: str,
    study: Study,
    draw: Callable[[Study, Data], tuple[Figure, str]],
    data: Data,
    suffix: str = "",
) -> Plate:
    image = BytesIO()
    with rc_context(STYLE):
        figure, caption = draw(study, data)
        figure.suptitle(
            f"{study.workload}: {TITLES[kind]}  ({study.conditions})",
            x=0.01,
            ha="left",
            fontsize=10.5,
            fontweight="bold",
        )
        figure.savefig(image, format="png", dpi=DPI)
    stated = [word for word in (study.preset, study.backends) if word != UNSTATED]
    stated += ["open"] if study.mode == "open" else []
    stated += [suffix] if suffix else []
    return Plate("-".join([kind, study.workload, *stated]), caption, image.getvalue())


def _subplots(
    rows: int, columns: int, height_in: float, **options: Any
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure of its own, with no state shared with others, and its axes row by row."""
    ratios = {"height_ratios": options.pop("height_ratios", None)}
    figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw=ratios, **options)
    return figure, grid.tolist()


def _measured_studies(measured: Measured) -> Iterator[tuple[Study, list[Measurement]]]:
    studies: dict[Study, list[Measurement]] = {}
    for measurement in measured.measurements:
        cell = measurement.run.cell
        study = Study(cell.workload, cell.preset, cell.backends, cell.mode)
        studies.setdefault(study, []).append(measurement)
    yield from studies.items()


def _summarised_studies(summary: pl.DataFrame) -> Iterator[tuple[Study, pl.DataFrame]]:
    keys = ("workload", "preset", "backends", "mode")
    for part in summary.partition_by(keys, maintain_order=True):
        yield Study(*(part[key][0] for key in keys)), part


def _by_system(part: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for rows in part.partition_by("system", maintain_order=True):
        yield rows["system"][0], rows.sort("level")


def _runs(part: pl.DataFrame) -> str:
    return f"{_span(part['runs'].to_list(), 'run')} per cell"


def _span(counts: Sequence[int], noun: str) -> str:
    fewest, most = min(counts), max(counts)
    if fewest == most:
        return f"one {noun}" if most == 1 else f"{most} {noun}s"
    return f"{fewest} to {most} {noun}s"


def _study_of(question: Question) -> Study:
    preset = question.preset or "several"
    return Study(question.workload, preset, question.backends, question.mode)


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


def _plus(interval: Interval, decimals: int) -> str:
    estimate, low, high = (
        f"{value:.{decimals}f}" for value in (interval.estimate, interval.low, interval.high)
    )
    return f"{estimate} [{low}, {high}]"


def _thinned(indices: npt.NDArray[np.intp], most: int) -> npt.NDArray[np.intp]:
    return indices[:: -(-indices.size // most) or 1]


def _unique(items: Iterable[Item]) -> list[Item]:
    return list(dict.fromkeys(items))

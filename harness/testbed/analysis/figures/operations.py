"""Figures of single operations: over time, and around a service stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal, Stroke
from scipy.signal import savgol_filter

from testbed.analysis.arrays import Floats
from testbed.analysis.figures.figure import ReportFigure, figure_of, subplots, thinned
from testbed.analysis.figures.style import GREY, line_styles
from testbed.analysis.samples import Measured, Measurement
from testbed.analysis.studies import Study, by_system, measured_studies
from testbed.analysis.verdicts import Judged
from testbed.model.loads import load_words

WINDOW = 10_000
"""Points of the smoothing window in the thesis (section 4.3.3)."""
DEGREE = 2
WINDOWS_PER_RUN = 5
"""Fewest windows in a run: a longer window draws a single parabola over it."""

POINTS_DRAWN = 8_000
CROSSES_DRAWN = 400
"""Most points and crosses in a panel, evenly spaced; lines and numbers are of all."""


def over_time(measured: Measured) -> Iterator[ReportFigure]:
    """Draw response time against time at the lowest and the highest level, per workload."""
    for study, measurements in measured_studies(measured).items():
        yield figure_of(
            "over-time", "response time over the run", study, _draw_over_time, measurements
        )


def disturbances(judged: Judged) -> Iterator[ReportFigure]:
    """Draw the operations around the time in which a service was stopped."""
    for study, measurements in measured_studies(judged.recorded).items():
        disturbed = [
            measurement
            for measurement in measurements
            if measurement.run.disturbance and not measurement.operations.is_empty()
        ]
        if disturbed:
            title = "a service is stopped"
            yield figure_of("disturbance", title, study, _draw_disturbances, disturbed)


def smoothed(elapsed: Floats) -> tuple[Floats, int]:
    """Smooth response times (ms, in order, shape (n,)) like the thesis.

    The Savitzky–Golay filter has a window of `WINDOW` points as in the thesis, or of a fifth of the
    run if that is less. Returns the smoothed times and the window. Fewer points than a polynomial
    needs are returned unchanged, with window 1.
    """
    window = min(WINDOW, elapsed.size // WINDOWS_PER_RUN)
    if window <= DEGREE + 1:
        return elapsed, 1
    return savgol_filter(elapsed, window, DEGREE), window


def _draw_over_time(study: Study, measurements: Sequence[Measurement]) -> tuple[Figure, str]:
    systems = by_system(measurements)
    levels = sorted({measurement.run.cell.level for measurement in measurements})
    colours = line_styles(systems)
    ends = sorted({levels[0], levels[-1]})
    figure, grid = subplots(
        len(systems), len(ends), 2.5 * len(systems) + 0.5, sharex="col", sharey="col"
    )
    for column, level in enumerate(ends):
        tops = []
        for row, (system, runs) in enumerate(systems.items()):
            axes = grid[row][column]
            axes.set_title(f"{system}, {load_words(study.mode, level)}")
            axes.set_ylabel("response time [ms]")
            if level not in runs:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")
            else:
                run = runs[level][0]
                tops.append(_draw_run(axes, run.recorded, run, colours[system].colour))
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
    """Draw one run's operations and return the upper end of its axis, ms."""
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
    shown = thinned(np.flatnonzero(ok), POINTS_DRAWN)
    size = 2.2 if shown.size > 2_000 else 4
    axes.plot(start_s[shown], elapsed[shown], ".", ms=size, alpha=0.45, color=colour, mew=0)
    failed = thinned(np.flatnonzero(~ok), CROSSES_DRAWN)
    axes.plot(start_s[failed], elapsed[failed], "x", ms=3.5, mew=0.8, color="#882255")
    line, window = smoothed(elapsed[ok])
    drawn = thinned(np.arange(line.size), POINTS_DRAWN)
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


def _draw_disturbances(study: Study, measurements: Sequence[Measurement]) -> tuple[Figure, str]:
    figure, grid = subplots(len(measurements), 1, 2.4 * len(measurements) + 0.5, sharex=True)
    systems = line_styles(measurement.run.cell.system for measurement in measurements)
    for (axes,), measurement in zip(grid, measurements, strict=True):
        cell, operations = measurement.run.cell, measurement.operations
        clock = operations.select(pl.coalesce("intended_ms", "start_ms")).to_series().to_numpy()
        at_s = (clock - clock.min()) / 1000
        elapsed, ok = operations["elapsed_ms"].to_numpy(), operations["ok"].to_numpy()
        if (away := measurement.run.away_ms) is not None:
            stopped, started = ((moment - clock.min()) / 1000 for moment in away)
            axes.axvspan(stopped, started, color="#cccccc", alpha=0.5)
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

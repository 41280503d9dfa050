"""The figure of an autoscaler's decisions over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.autoscaling import decisions
from testbed.analysis.figures.figure import ReportFigure, figure_of, subplots
from testbed.analysis.figures.style import GREY, line_styles
from testbed.analysis.samples import Measurement
from testbed.analysis.studies import Study, measured_studies
from testbed.analysis.verdicts import Judged

WINDOW_S = 5
"""Operations are counted in windows of so many seconds."""


def autoscaled(judged: Judged) -> Iterator[ReportFigure]:
    """Draw goodput, utilisation and instances over time, of runs with an autoscaler."""
    for study, measurements in measured_studies(judged.recorded).items():
        scaled = {
            measurement.run.cell: measurement
            for measurement in reversed(measurements)
            if measurement.run.scaling and not measurement.operations.is_empty()
            if measurement.run.blocks[0].started_ms is not None
        }
        if scaled:
            runs = list(reversed(scaled.values()))
            yield figure_of("instances", "an autoscaler's decisions", study, _draw, runs)


def _draw(study: Study, runs: Sequence[Measurement]) -> tuple[Figure, str]:
    count = len(runs) + sum(len(measurement.run.scaling) for measurement in runs)
    figure, grid = subplots(count, 1, 2.1 * count + 0.5, sharex=True)
    systems = line_styles(measurement.run.cell.system for measurement in runs)
    rest = (axes for (axes,) in grid)
    for measurement in runs:
        cell, colour = measurement.run.cell, systems[measurement.run.cell.system].colour
        above = next(rest)
        above.set_title(f"{cell.system}, {cell.mode} loop, {cell.load}")
        _draw_operations(above, measurement, colour)
        for scaled in measurement.run.scaling:
            below = next(rest)
            below.set_title(scaled.service)
            _draw_decisions(below, decisions(measurement.run, scaled.service), colour)
    grid[-1][0].set_xlabel("time since the start of the load [s]")
    return figure, (
        f"Above: successful (line) and failed (crosses) {study.workload} operations per second by "
        f"their end, in windows of {WINDOW_S} s. Below, by service: the instances that the "
        f"autoscaler wanted (line) and that were ready (dots), and the mean utilisation of those "
        f"(dashed, right), at each decision; {study.conditions}. Of repeated runs the first is "
        "shown."
    )


def _draw_operations(axes: Axes, measurement: Measurement, colour: str) -> None:
    began = measurement.run.blocks[0].started_ms
    ended = (pl.col("start_ms") + pl.col("service_ms") - began) / 1000
    at_s = measurement.operations.select(ended).to_series().to_numpy()
    ok = measurement.operations["ok"].to_numpy()
    # The last window is not full.
    edges = np.arange(0, at_s.max(), WINDOW_S)
    middle = edges[:-1] + WINDOW_S / 2
    done, failed = (np.histogram(at_s[kind], edges)[0] / WINDOW_S for kind in (ok, ~ok))
    axes.plot(middle, done, color=colour)
    axes.plot(middle[failed > 0], failed[failed > 0], "x", ms=4, color="#882255")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("operations per s")


def _draw_decisions(axes: Axes, rows: pl.DataFrame, colour: str) -> None:
    axes.step(rows["at_s"], rows["wanted"], where="post", color=colour)
    axes.plot(rows["at_s"], rows["ready"], "o", ms=4, color=colour)
    axes.set_ylim(0, max([*rows["wanted"], 1]) + 0.5)
    axes.set_yticks(range(max([*rows["wanted"], 1]) + 1))
    axes.set_ylabel("instances")
    share = axes.twinx()
    share.plot(rows["at_s"], 100 * rows["utilisation"], "--", color=GREY, lw=1)
    share.set_ylim(bottom=0)
    share.set_ylabel("utilisation [%]", color=GREY)
    share.grid(False)

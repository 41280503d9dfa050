"""Figures by level: response time, efficiency, goodput."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from scipy import stats

from testbed.analysis.figures.figure import ReportFigure, add_legend, figure_of, span, subplots
from testbed.analysis.figures.style import line_styles
from testbed.analysis.quantities import QUANTITIES
from testbed.analysis.samples import Measurement
from testbed.analysis.scaling import efficiencies, predicted, scalability
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval
from testbed.analysis.studies import Study, by_system, measured_studies
from testbed.analysis.verdicts import Judged

LEVELS_FOR_R = 3
"""Fewest levels for a correlation: two points always lie on a line."""


def scaling(summary: pl.DataFrame) -> Iterator[ReportFigure]:
    """Draw mean and 95th percentile against threads, with trend and Pearson's r, per workload."""
    keys = ("workload", "preset", "backends", "mode")
    for values, part in summary.partition_by(keys, as_dict=True).items():
        yield figure_of("scaling", "response time by level", Study(*values), _draw_scaling, part)


def curves(judged: Judged, *, everywhere: bool) -> Iterator[ReportFigure]:
    """Draw efficiency, and goodput with the Universal Scalability Law, of closed loops.

    Unless ``everywhere``, only where runs of a single thread predict the others.
    """
    if judged.results.declared.get("demand"):
        return
    for study, runs in measured_studies(judged.used).items():
        levels = {measurement.run.cell.level for measurement in runs}
        if study.mode == "closed" and len(levels) > 1 and (everywhere or 1 in levels):
            title = "efficiency and goodput"
            yield figure_of("efficiency", title, study, _draw_curves, by_system(runs))


def _draw_scaling(study: Study, part: pl.DataFrame) -> tuple[Figure, str]:
    figure, grid = subplots(1, 2, 3.4)
    style = line_styles(part["system"])
    for axes, (column, words) in zip(
        grid[0], {"mean_ms": "mean", "p95_ms": "95th percentile"}.items(), strict=True
    ):
        for table in part.drop_nulls(column).partition_by("system", maintain_order=True):
            rows, system = table.sort("level"), table["system"][0]
            threads, times = rows["level"].to_numpy(), rows[column].to_numpy()
            label = system
            if threads.size >= LEVELS_FOR_R and np.ptp(times):
                trend = stats.linregress(threads, times)
                label = f"{system}, r = {trend.rvalue:.3f}"
                ends = np.array([0, 1.08 * threads[-1]])
                line = trend.intercept + trend.slope * ends
                axes.plot(ends, line, "--", color=style[system].colour, lw=1)
            axes.plot(threads, times, **style[system].marks, lw=1.6, label=label)
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
    runs = span(part["runs"].to_list(), "run")
    return figure, (
        f"Mean and 95th percentile of the response time of successful {study.workload} operations "
        f"against {study.axis}, {study.conditions}, {runs} per cell. "
        + (
            "Dashed: least-squares line; r: Pearson's correlation, which shows how straight the "
            "points lie and not how well a system scales."
            if enough
            else f"Fewer than {LEVELS_FOR_R} levels: no trend line and no correlation."
        )
    )


def _draw_curves(
    study: Study, systems: dict[str, dict[float, list[Measurement]]]
) -> tuple[Figure, str]:
    style = line_styles(systems)
    figure, grid = subplots(1, 3, 3.5)
    notes, expected = [], []
    for axes, name in zip(grid[0], ("mean_ms", "p95_ms"), strict=False):
        for system, levels in systems.items():
            percents = efficiencies(levels, name)
            if not percents:
                continue
            axes.errorbar(
                list(percents),
                [interval.estimate for interval in percents.values()],
                yerr=[
                    [max(interval.estimate - interval.low, 0) for interval in percents.values()],
                    [max(interval.high - interval.estimate, 0) for interval in percents.values()],
                ],
                **style[system].marks,
                ls=style[system].line,
                capsize=2.5,
                ms=4.5,
                label=system,
            )
        axes.axhline(100, color="black", lw=0.9)
        axes.axhline(75, color="black", lw=0.9, ls=":")
        axes.set_title(f"efficiency on the {QUANTITIES[name].words}")
        axes.set_ylabel("E_i [%]")
        axes.set_ylim(bottom=0)
        axes.set_xlabel(study.axis)
    axes = grid[0][2]
    for system, levels in systems.items():
        points = [
            (level, measurement.pace.ok_per_s or 0)
            for level, runs in levels.items()
            for measurement in runs
        ]
        axes.plot(
            *zip(*points, strict=True),
            style[system].marker,
            color=style[system].colour,
            ms=4.5,
            mfc="none",
            label=system,
        )
        fit = scalability(levels)
        if fit is not None:
            across = np.linspace(*fit.levels, 200)
            axes.plot(
                across, fit.throughput(across), color=style[system].colour, ls=style[system].line
            )
            peak = f", highest at {fit.peak:.0f}" if fit.peak else ""
            notes.append(
                f"{system}: λ {_plus(fit.rate, 1)}/s, σ {_plus(fit.contention, 4)}, "
                f"κ {_plus(fit.coherency, 6)}{peak}"
            )
        if (prediction := predicted(levels)) is not None:
            threads = np.arange(1, prediction.throughput.size + 1)
            axes.plot(threads, prediction.throughput, color=style[system].colour, ls=":", lw=1.2)
            limits = prediction.bounds
            expected.append(f"{system}: at most {limits.rate:,.0f}/s, N* = {limits.knee:.1f}")
    axes.set_title("goodput")
    axes.set_ylabel("successful operations/s")
    axes.set_xlabel(study.axis)
    axes.set_ylim(bottom=0)
    add_legend(figure, axes)
    fitted = (
        f"Lines: the Universal Scalability Law, with {100 * CONFIDENCE:g} % intervals of its "
        f"parameters (rate of one thread λ, contention σ, coherency κ): {'; '.join(notes)}. It is "
        f"not drawn beyond the measured levels."
        if notes
        else "The Universal Scalability Law is not fitted: it needs four levels with goodput, and "
        "a fit that converges."
    )
    return figure, (
        f"Efficiency E_i = 100 · R_b · i / (b · R_i) of {study.workload} operations relative to "
        f"the lowest level b of each system, {study.conditions}: at least 100 % is high, 75 "
        f"to 100 % low, less is not efficient (Akbulut and Perros 2019, there with b = 1). "
        f"Goodput: one point per run. {fitted}{_expected(expected)}"
    )


def _expected(notes: Sequence[str]) -> str:
    """Return what the dotted lines are; empty if there are none."""
    if not notes:
        return ""
    return (
        " Dotted: predicted from the CPU and response times of a single thread, by mean-value "
        f"analysis; bounds X ≤ 1/D, and N* = R/D threads that reach it: {'; '.join(notes)}."
    )


def _plus(interval: Interval, decimals: int) -> str:
    estimate, low, high = (
        f"{value:.{decimals}f}" for value in (interval.estimate, interval.low, interval.high)
    )
    return f"{estimate} [{low}, {high}]"

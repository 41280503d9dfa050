"""The figures of the report.

Colours are of Okabe and Ito's set, which colour-blind eyes tell apart; variants differ by marker
and hatch as well, so that the figures read in black and white.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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

from testbed.analysis.results import UNSTATED
from testbed.analysis.samples import Measured, Measurement
from testbed.analysis.statistics import linear_trend
from testbed.analysis.tables import condition, percent

Data = TypeVar("Data")
Item = TypeVar("Item")
Floats = npt.NDArray[np.float64]

COLOURS = {"sync": "#0072B2", "async": "#D55E00"}
OTHER_COLOURS = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = {"sync": "o", "async": "s"}
HATCHES = {"sync": "", "async": "////"}
OUTCOME_COLOURS = {
    "breaker_open": "#D55E00",
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
    """What one figure is about: cells that differ in variant and level only."""

    workload: str
    preset: str
    backends: str

    @property
    def conditions(self) -> str:
        """The words for its preset and backends."""
        return condition(self.preset, self.backends)


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
    variants = _unique(measurement.run.cell.variant for measurement in measurements)
    levels = sorted({measurement.run.cell.threads for measurement in measurements})
    ends = _unique((levels[0], levels[-1]))
    figure, grid = _subplots(
        len(variants), len(ends), 2.5 * len(variants) + 0.5, sharex="col", sharey="col"
    )
    for column, threads in enumerate(ends):
        tops = []
        for row, variant in enumerate(variants):
            axes = grid[row][column]
            run = next(
                (
                    measurement
                    for measurement in measurements
                    if (measurement.run.cell.variant, measurement.run.cell.threads)
                    == (variant, threads)
                ),
                None,
            )
            axes.set_title(f"{variant}, {threads} threads")
            axes.set_ylabel("response time [ms]")
            if run is None:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")
            else:
                tops.append(_draw_run(axes, run))
        grid[-1][column].set_xlabel("time since the start of the run [s]")
        grid[0][column].set_ylim(0, max(tops))
    return figure, (
        f"Response time of each successful {study.workload} operation against its start, at the "
        f"lowest and the highest level, {study.conditions}. Black line: Savitzky–Golay filter of "
        f"degree {DEGREE}; its window is {WINDOW:,} operations as in the thesis, or a fifth of the "
        f"run where that is less, as each panel states. Crosses: failed operations. At most "
        f"{POINTS_DRAWN:,} points and {CROSSES_DRAWN} crosses are drawn per panel, the line is of "
        f"all; the axis ends above the 99.5th percentile. Of repeated runs the first is shown."
    )


def _draw_run(axes: Axes, measurement: Measurement) -> float:
    """Draw one run's operations and return where its axis should end, ms."""
    operations = measurement.operations
    start_s = (operations["start_ms"] - operations["start_ms"].min()).to_numpy() / 1000
    elapsed = operations["elapsed_ms"].to_numpy().astype(float)
    ok = operations["ok"].to_numpy()
    if not ok.any():
        axes.text(0.5, 0.5, "no operation succeeded", transform=axes.transAxes, ha="center")
        return float(elapsed.max())
    colour = _colour(measurement.run.cell.variant)
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
    variants = _unique(measurement.run.cell.variant for measurement in measurements)
    levels = {
        variant: sorted({m.run.cell.threads for m in measurements if m.run.cell.variant == variant})
        for variant in variants
    }
    heights = [len(levels[variant]) + 1.5 for variant in variants]
    figure, grid = _subplots(
        len(variants), 1, 0.26 * sum(heights) + 0.6, height_ratios=heights, sharex=True
    )
    for axes, variant in zip(chain(*grid), variants, strict=True):
        axes.grid(False)
        axes.set_title(variant)
        axes.set_ylabel("threads")
        axes.set_yticks(range(len(levels[variant])), [str(level) for level in levels[variant]])
        axes.set_ylim(len(levels[variant]) - 0.5, -0.5)
        for position, threads in enumerate(levels[variant]):
            operations = pl.concat(
                m.operations
                for m in measurements
                if (m.run.cell.variant, m.run.cell.threads) == (variant, threads)
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
    for axes, (column, words) in zip(
        grid[0], {"mean_ms": "mean", "p95_ms": "95th percentile"}.items(), strict=True
    ):
        for variant, rows in _by_variant(part.drop_nulls(column)):
            threads, times = rows["threads"].to_numpy(), rows[column].to_numpy()
            label = variant
            if threads.size >= LEVELS_FOR_R and np.ptp(times):
                trend = linear_trend(threads, times)
                label = f"{variant}, r = {trend.r:.3f}"
                ends = np.array([0, 1.08 * threads[-1]])
                line = trend.intercept + trend.slope * ends
                axes.plot(ends, line, "--", color=_colour(variant), lw=1)
            axes.plot(
                threads,
                times,
                marker=MARKERS.get(variant, "^"),
                color=_colour(variant),
                lw=1.6,
                label=label,
            )
        axes.set_title(words)
        axes.set_xlabel("threads")
        axes.set_ylabel("response time [ms]")
        levels = sorted(set(part["threads"].to_list()))
        axes.set_xlim(0, 1.08 * levels[-1])
        axes.set_xticks(levels if len(levels) <= 12 else levels[:: len(levels) // 6])
        axes.margins(y=0.08)
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper left")
    enough = part["threads"].n_unique() >= LEVELS_FOR_R
    return figure, (
        f"Mean and 95th percentile of the response time of successful {study.workload} operations "
        f"against threads, {study.conditions}, {_runs(part)}. "
        + (
            "Dashed: least-squares line; r: Pearson's correlation, which tells how straight the "
            "points lie and not how well a variant scales."
            if enough
            else f"Fewer than {LEVELS_FOR_R} levels: no trend line and no correlation."
        )
    )


def _draw_side_by_side(study: Study, part: pl.DataFrame) -> tuple[Figure, str]:
    levels = part["threads"].unique().sort().to_list()
    variants = part["variant"].unique(maintain_order=True).to_list()
    panels = {
        "p50_ms": ("median", "response time [ms]"),
        "p95_ms": ("95th percentile", "response time [ms]"),
        "p99_ms": ("99th percentile", "response time [ms]"),
        "ok_per_s": ("goodput", "successful operations/s"),
    }
    figure, grid = _subplots(2, 2, 5.1)
    width = 0.8 / len(variants)
    for axes, (column, (title, unit)) in zip(chain(*grid), panels.items(), strict=True):
        figures = {
            (row["variant"], row["threads"]): row[column]
            for row in part.drop_nulls(column).iter_rows(named=True)
        }
        for place, variant in enumerate(variants):
            present = [i for i, level in enumerate(levels) if (variant, level) in figures]
            axes.bar(
                [i + width * (place - (len(variants) - 1) / 2) for i in present],
                [figures[variant, levels[i]] for i in present],
                width,
                color=_colour(variant),
                hatch=HATCHES.get(variant, ".."),
                edgecolor="white",
                label=variant,
            )
        for i, level in enumerate(levels):
            sync, async_ = figures.get(("sync", level)), figures.get(("async", level))
            if sync and async_:
                axes.annotate(
                    f"×{async_ / sync:.2f}",
                    (i, max(sync, async_)),
                    xytext=(0, 2),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8.5 if len(levels) <= 6 else 7,
                )
        axes.margins(y=0.12)
        axes.grid(False, axis="x")
        axes.set_title(title)
        axes.set_xticks(range(len(levels)), [str(level) for level in levels])
        axes.set_xlabel("threads")
        axes.set_ylabel(unit)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(variants))
    return figure, (
        f"Variants side by side for {study.workload}, {study.conditions}, {_runs(part)}. Response "
        f"times are of successful operations. Above each pair: async divided by sync; for response "
        f"times less than 1 is better for async, for goodput more than 1 is."
    )


TITLES = {
    "over-time": "response time over the run",
    "outcomes": "response codes by level",
    "scaling": "response time by level",
    "side-by-side": "variants side by side",
}


def _plate(
    kind: str, study: Study, draw: Callable[[Study, Data], tuple[Figure, str]], data: Data
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
        study = Study(cell.workload, cell.preset, cell.backends)
        studies.setdefault(study, []).append(measurement)
    yield from studies.items()


def _summarised_studies(summary: pl.DataFrame) -> Iterator[tuple[Study, pl.DataFrame]]:
    keys = ("workload", "preset", "backends")
    for part in summary.partition_by(keys, maintain_order=True):
        yield Study(*(part[key][0] for key in keys)), part


def _by_variant(part: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for rows in part.partition_by("variant", maintain_order=True):
        yield rows["variant"][0], rows.sort("threads")


def _runs(part: pl.DataFrame) -> str:
    runs = part["runs"].to_list()
    fewest, most = min(runs), max(runs)
    if fewest == most:
        return "one run per cell" if most == 1 else f"{most} runs per cell"
    return f"{fewest} to {most} runs per cell"


def _thinned(indices: npt.NDArray[np.intp], most: int) -> npt.NDArray[np.intp]:
    return indices[:: -(-indices.size // most) or 1]


def _unique(items: Iterable[Item]) -> list[Item]:
    return list(dict.fromkeys(items))


def _colour(variant: str) -> str:
    return COLOURS.get(variant, OTHER_COLOURS[sum(map(ord, variant)) % len(OTHER_COLOURS)])

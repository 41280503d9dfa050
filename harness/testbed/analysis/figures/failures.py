"""The figure of response codes and failure classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from testbed.analysis.figures.figure import ReportFigure, figure_of, subplots
from testbed.analysis.samples import NOT_BEGUN, Measured, Measurement
from testbed.analysis.studies import Study, by_system, measured_studies
from testbed.analysis.tables import percent

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
    NOT_BEGUN: "#777777",
}
OK_COLOUR = "#dddddd"

OUTCOMES_SPELT = 4
"""Most outcomes named beside one bar; the rest is summed up."""


def outcomes(measured: Measured) -> Iterator[ReportFigure]:
    """Draw the response codes and failure classes of operations by level, per workload.

    A workload without any failure has no figure: all of its bars would be alike.
    """
    for study, measurements in measured_studies(measured).items():
        if not any(
            measurement.dropped or not measurement.operations["ok"].all()
            for measurement in measurements
        ):
            continue
        yield figure_of("outcomes", "response codes by level", study, _draw_outcomes, measurements)


def _draw_outcomes(study: Study, measurements: Sequence[Measurement]) -> tuple[Figure, str]:
    systems = by_system(measurements)
    heights = [len(levels) + 1.5 for levels in systems.values()]
    figure, grid = subplots(
        len(systems), 1, 0.26 * sum(heights) + 0.6, height_ratios=heights, sharex=True
    )
    for axes, (system, levels) in zip(chain(*grid), systems.items(), strict=True):
        axes.grid(False)
        axes.set_title(system)
        axes.set_yticks(range(len(levels)), [f"{level:g}" for level in sorted(levels)])
        axes.set_ylim(len(levels) - 0.5, -0.5)
        for position, (_, runs) in enumerate(sorted(levels.items())):
            operations = pl.concat(m.operations for m in runs)
            _draw_outcome_bar(axes, position, operations, sum(m.dropped for m in runs))
    # Of a few levels, the label would be longer than its axis.
    figure.supylabel(study.axis)
    grid[-1][0].set_xlim(0, 100)
    grid[-1][0].set_xlabel("operations [%]")
    return figure, (
        f"Response codes of {study.workload} operations by level, {study.conditions}. Grey: "
        f"successful. A failed operation has the code of the answer that made it fail, and its "
        f"class: a 200 fails when its body is not the expected one, for example when a part is "
        f"missing. Arrivals of an open loop that never began have failed, too."
    )


def _draw_outcome_bar(axes: Axes, position: int, operations: pl.DataFrame, not_begun: int) -> None:
    """Draw the arrivals of one level as one bar, and name its outcomes beside it."""
    counted = (
        operations.group_by("ok", "failure", "code")
        .len()
        .sort("ok", "len", "failure", "code", descending=True)
        .iter_rows()
    )
    words: list[str] = []
    shares: list[float] = []
    never = [(False, NOT_BEGUN, "", not_begun)] if not_begun else []
    for ok, failure, code, count in chain(counted, never):
        share = count / (operations.height + not_begun)
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
    """Return an outcome in words: its code, and the failure class if that says more."""
    if failure is None or failure == "other":
        return code or "no code"
    words = failure.replace("_", " ")
    return f"{code} {words}" if code.isdigit() else words

"""The figures show what they say they show."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

from testbed.analysis.decisions import Decision, decide
from testbed.analysis.figures import cells, decided, failures, levels, operations
from testbed.analysis.figures.style import line_styles
from testbed.analysis.samples import load
from testbed.analysis.statistics.ratios import paired_ratios
from testbed.analysis.studies import Study
from testbed.analysis.summary import tabulate
from testbed.analysis.tables import percent

from .synthetic import write_pair, write_results, write_run

LIST = Study("list", "tuned", "embedded")


def test_smoothing_is_a_local_parabola_of_the_thesis_window() -> None:
    rng = np.random.default_rng(7)
    elapsed = rng.gamma(2.0, 5.0, 60_000)
    line, window = operations.smoothed(elapsed)
    assert window == 10_000
    # The filter's value is that of a least-squares parabola over the points under its window; an
    # even window has its centre half a step away from a point.
    at = 30_000
    offsets = np.arange(window) - (window - 1) / 2
    under = elapsed[at - window // 2 + 1 : at + window // 2 + 1]
    shifted = elapsed[at - window // 2 : at + window // 2]
    fits = [np.polynomial.Polynomial.fit(offsets, points, 2)(0) for points in (under, shifted)]
    assert min(abs(line[at] - fit) for fit in fits) < 1e-6


def test_smoothing_shortens_its_window_with_the_run() -> None:
    assert [operations.smoothed(np.ones(n))[1] for n in (60_000, 50_000, 10_000, 20, 19, 3)] == [
        10_000,
        10_000,
        2_000,
        4,
        1,
        1,
    ]
    few = np.array([3.0, 1.0, 2.0])
    assert operations.smoothed(few)[0].tolist() == [3.0, 1.0, 2.0]


def test_smoothing_keeps_a_parabola_as_it_is() -> None:
    x = np.linspace(0, 1, 500)
    line, _ = operations.smoothed(3 + 2 * x - x**2)
    assert line[100:400] == pytest.approx((3 + 2 * x - x**2)[100:400], abs=0.01)


def test_draws_every_figure_of_a_comparison(comparison: Path) -> None:
    measured = load(comparison)
    summary = tabulate(measured)
    drawn_figures = [
        *levels.scaling(summary),
        *failures.outcomes(measured),
        *operations.over_time(measured),
    ]
    assert [figure.name for figure in drawn_figures] == [
        f"{kind}-{workload}-tuned-embedded"
        for kind in ("scaling", "outcomes", "over-time")
        for workload in ("list", "reserve")
    ]
    for figure in drawn_figures:
        assert figure.image.startswith(b"\x89PNG")
        assert "preset tuned, embedded backends" in figure.caption


@pytest.mark.parametrize(
    "draw",
    [
        lambda measured, _: operations._draw_over_time(LIST, measured),
        lambda measured, _: failures._draw_outcomes(LIST, measured),
        lambda _, summary: levels._draw_scaling(LIST, summary),
    ],
    ids=["over-time", "outcomes", "scaling"],
)
def test_every_axis_says_its_unit(
    comparison: Path, draw: Callable[..., tuple[Figure, str]]
) -> None:
    measured = [m for m in load(comparison).measurements if m.run.cell.workload == "list"]
    summary = tabulate(load(comparison)).filter(pl.col("workload") == "list")
    figure, _ = draw(measured, summary)
    for axes in figure.axes:
        # A label of the whole figure stands for all of its axes.
        assert (axes.get_ylabel() or figure.get_supylabel()) in {
            "response time [ms]",
            "threads",
        }
        if axes.get_subplotspec().is_last_row():  # type: ignore[union-attr]
            assert axes.get_xlabel() in {
                "time since the start of the run [s]",
                "operations [%]",
                "threads",
            }


def test_scaling_names_pearsons_r_from_three_levels(tmp_path: Path) -> None:
    for threads, expected in (((10, 50, 100), True), ((10, 100), False)):
        summary = tabulate(load(write_results(tmp_path / str(len(threads)), threads)))
        part = summary.filter(pl.col("workload") == "list")
        figure, caption = levels._draw_scaling(LIST, part)
        labels = figure.axes[0].get_legend_handles_labels()[1]
        assert all(("r = " in label) is expected for label in labels)
        assert ("no correlation" in caption) is not expected
        if expected:
            sync = part.filter(pl.col("variant") == "sync")
            r = np.corrcoef(sync["level"], sync["mean_ms"])[0, 1]
            assert labels[0] == f"sync, r = {r:.3f}"


@pytest.mark.parametrize(("measured", "drawn"), [((1, 10), 1), ((10, 20), 0)])
def test_scaling_is_drawn_where_a_single_thread_predicts_it(
    measured: tuple[int, ...], drawn: int, tmp_path: Path
) -> None:
    judged = write_pair(tmp_path, levels=measured)
    assert len(list(levels.curves(judged, everywhere=False))) == drawn
    assert len(list(levels.curves(judged, everywhere=True))) == 1


def test_outcome_bars_add_up_and_name_the_codes(tmp_path: Path) -> None:
    write_run(tmp_path, failures={"rejected": 0.2, "connect": 0.1, "other": 0.1, "partial": 0.1})
    measured = load(tmp_path)
    figure, _ = failures._draw_outcomes(LIST, measured.measurements)
    (axes,) = figure.axes
    widths = [bar.get_width() for bars in axes.containers for bar in bars]  # type: ignore[attr-defined]
    assert sum(widths) == pytest.approx(100)
    (text,) = (text.get_text() for text in axes.texts)
    shares = {
        name: count / 1000
        for name, count in measured.measurements[0].operations["failure"].value_counts().iter_rows()
    }
    assert text.startswith(
        f"200: {percent(shares[None])},  503 rejected: {percent(shares['rejected'])}"
    )
    assert re.search(r"1 more: (9|10|11|8)\.\d %$", text)


def test_a_level_without_success_is_drawn_as_such(tmp_path: Path) -> None:
    write_run(tmp_path, failures={"other": 1.0}, threads=10)
    write_run(tmp_path, threads=20)
    measured = load(tmp_path)
    figure, _ = operations._draw_over_time(LIST, measured.measurements)
    assert [text.get_text() for text in figure.axes[0].texts] == ["no operation succeeded"]
    assert list(levels.scaling(tabulate(measured)))


def test_a_level_that_only_one_variant_has_is_drawn_as_such(tmp_path: Path) -> None:
    write_run(tmp_path, threads=10)
    write_run(tmp_path, threads=20)
    write_run(tmp_path, variant="async", threads=10)
    figure, _ = operations._draw_over_time(LIST, load(tmp_path).measurements)
    assert [text.get_text() for text in figure.axes[3].texts] == ["not measured"]


def test_systems_of_one_figure_look_different_without_colour() -> None:
    drawn = line_styles(f"system {i}" for i in range(7)).values()
    for kind in ("colour", "marker", "line"):
        assert len({str(getattr(look, kind)) for look in drawn}) == 7


def test_ratios_are_drawn_by_decision_beside_the_band_of_alike(tmp_path: Path) -> None:
    decisions = decide(write_pair(tmp_path, second=2.0))
    decisions = [
        replace(decision, decision="not known") if decision.figure == "p95_ms" else decision
        for decision in decisions
    ]
    figure, caption = decided._draw_ratios(decisions)
    assert [axes.get_title() for axes in figure.axes] == [
        "goodput",
        "response time, p95",
        "CPU time of an operation",
    ]
    fills = []
    for axes, decision in zip(figure.axes, decisions, strict=True):
        point = axes.containers[0].lines[0]  # type: ignore[attr-defined]
        assert point.get_xdata() == pytest.approx([decision.ratio])
        fills.append((point.get_marker(), point.get_markerfacecolor() == "white"))
        band = axes.patches[0].get_extents().transformed(axes.transData.inverted())
        assert (band.x0, band.x1) == pytest.approx((1 / 1.1, 1.1))
    assert fills == [("s", False), ("o", True), ("D", False)]
    assert "async divided by sync" in caption
    (decision,) = decided.ratios(decisions)
    assert decision.name == "ratios"
    assert list(decided.ratios([])) == []


def test_goodput_and_times_are_those_of_the_table_with_intervals(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20))
    observed = cells.observed(judged)
    summary = {(row["system"], row["level"]): row for row in tabulate(judged.used).to_dicts()}
    goodput, _ = cells._draw_goodput(observed)
    (axes,) = goodput.axes
    rows = [("sync", 10.0), ("async", 10.0), ("sync", 20.0), ("async", 20.0)]
    widths = [bar.get_width() for bar in axes.patches]  # type: ignore[attr-defined]
    assert widths == pytest.approx([summary[row]["ok_per_s"] for row in rows])
    assert axes.get_xlabel() == "operations/s; more is better"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["10 threads", "20 threads"]
    times, _ = cells._draw_times(observed)
    assert times.axes[0].get_xlabel() == "ms; less is better"
    texts = [text.get_text() for text in times.axes[0].texts]
    assert texts[0].endswith(f", {cells._short(summary['sync', 10.0]['p95_ms'])}")
    goodput, other = cells.measured(observed)
    assert (goodput.name, other.name) == ("goodput", "response-times")
    assert goodput.image == next(iter(cells.measured(observed))).image  # No date, no random id.
    assert list(cells.measured([])) == []


def test_cell_that_does_not_decide_looks_otherwise(tmp_path: Path) -> None:
    first, *others = cells.observed(write_pair(tmp_path, levels=(10, 20)))
    assert first.decides
    figure, caption = cells._draw_goodput([replace(first, decides=False), *others])
    hatches = [bar.get_hatch() for bar in figure.axes[0].patches]
    assert hatches == ["///", None, None, None]
    assert caption.endswith(" Hatched: no run of it decides.")
    _, caption = cells._draw_goodput([first, *others])
    assert "Hatched" not in caption


def test_figures_without_a_failure_are_left_out(tmp_path: Path) -> None:
    write_run(tmp_path)
    assert list(failures.outcomes(load(tmp_path))) == []


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([0.95, 1.05], ["0.8", "0.9", "1", "1.1", "1.25"]),
        ([0.8, 5.3], ["0.8", "1", "1.25", "2", "3", "5"]),
        ([0.04, 1.2], ["0.05", "0.1", "0.2", "0.5", "1"]),
        ([0.0005, 2000], ["0.01", "1", "100"]),
    ],
)
def test_an_axis_of_ratios_names_few_of_them(values: list[float], named: list[str]) -> None:
    axes = Figure().subplots()
    decided.ratio_axis(axes, values)

    assert [label.get_text() for label in axes.get_xticklabels()] == named


@pytest.mark.parametrize(("cells", "apart"), [(4, 4.0), (24, 5.0), (100, 30.0)])
def test_a_ratio_of_which_two_pairs_say_nothing_is_drawn(cells: int, apart: float) -> None:
    # By p95 each cell has a variance of its own, here of two pairs: one degree of freedom.
    ratio = paired_ratios([[0.0, apart]] * cells, sizes=range(cells))[0]
    assert ratio is not None
    interval = ratio.interval
    assert ratio.verdict == "not known"
    assert 0 < interval.low < 1e-12 < 1e12 < interval.high
    decision = Decision(
        *("async", "sync", "list", "open", 1200.0, "p95_ms"),
        ratio=interval.estimate,
        low=interval.low,
        high=interval.high,
    )
    (figure,) = decided.ratios([decision])
    assert figure.image

"""Where the ratio of two systems passes 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis.crossover import crossing, crossover
from testbed.analysis.decisions import Comparison, Question, Ratio, comparisons, stretches
from testbed.analysis.sections import answer
from testbed.analysis.statistics.intervals import Interval

from .synthetic import write_pair


def test_stretches_and_crossover_tell_where_each_system_wins(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 30, 40), second=1.45, change=0.3)
    compared = comparisons(judged)
    assert [(s.low, s.high, s.winner) for s in stretches(compared, "p95_ms")] == [
        (10, 20, "first"),
        (30, 40, "second"),
    ]
    crossed = crossing(compared, "p95_ms")
    assert crossed is not None
    # The true ratios are 1.45, 1.15, 0.85 and 0.55.
    assert 20 < crossed.interval.low < crossed.level < crossed.interval.high < 30
    assert (crossed.rising, crossed.crossings) == (False, 1)
    told = answer.answer(judged, compared)
    assert "10 to 20 threads: **sync**; 30 to 40 threads: **async**. Crossover at about 25" in told


def test_two_runs_of_each_side_tell_of_no_crossover(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, runs=2, levels=(10, 20, 30, 40), second=1.45, change=0.3)
    compared = comparisons(judged)
    observed = [one.ratios["p95_ms"].observed or 0 for one in compared]
    assert observed[0] > 1.3
    assert observed[-1] < 0.7
    assert crossing(compared, "p95_ms") is None
    assert "Crossover" not in answer.answer(judged, compared)


def test_a_crossover_lies_between_neighbours_with_opposite_winners() -> None:
    ratios = {10: (0.8, 0.79, 0.81), 20: (1.4, 0.9, 2.0), 30: (0.5, 0.4, 0.6), 40: (2, 1.9, 2.1)}
    compared = [
        Comparison(
            question=Question("list", "embedded", "closed", "tuned"),
            level=level,
            first="sync",
            second="async",
            runs=(3, 3),
            not_steady=0,
            overloaded=0,
            ratios={"p95_ms": Ratio(ratio[0], Interval(*ratio), (100, 100 * ratio[0]))},
            failed=(Interval(0, 0, 0), Interval(0, 0, 0)),
        )
        for level, ratio in ratios.items()
    ]
    crossed = crossing(compared, "p95_ms")
    assert crossed is not None
    # Not at 13, where the observed curve first passes 1, which 20 threads do not decide.
    assert crossed.level == pytest.approx(35)
    assert crossed.rising
    assert crossing(compared[:3], "p95_ms") is None


def test_crossover_lies_where_straight_lines_between_logarithms_pass_zero() -> None:
    ratios = [Interval(2.0, 1.9, 2.1), Interval(0.5, 0.45, 0.55), Interval(0.4, 0.35, 0.45)]
    found = crossover([10, 30, 50], ratios)
    assert found is not None
    assert found.level == pytest.approx(20)
    assert (found.likelihood, found.crossings, found.rising) == (1, 1, False)
    assert crossover([10, 30], ratios[1:]) is None


def test_few_curves_cross_where_the_ratios_are_uncertain() -> None:
    found = crossover([10, 20], [Interval(1.05, 0.7, 1.6), Interval(0.95, 0.6, 1.5)])
    assert found is not None
    # Each side is nearly a coin toss: a fall through 1 has a likelihood near 0.59 * 0.59.
    assert 0.2 < found.likelihood < 0.5


@pytest.mark.parametrize("levels", [[10], [20, 10], [10, 20, 30]])
def test_crossover_refuses_levels_that_do_not_fit(levels: list[float]) -> None:
    with pytest.raises(ValueError, match="ascending levels"):
        crossover(levels, [Interval(1, 0.9, 1.1)] * 2)

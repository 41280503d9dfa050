"""The hierarchical bootstrap of ratios, against one drawn run by run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.statistics.bootstrap import _expanded_tail, ratio_intervals
from testbed.analysis.statistics.power import false_positive_share


def runs_of(
    rng: np.random.Generator, runs: int, mean: float, between: float, size: int = 200
) -> list[np.ndarray]:
    """Return runs of whole milliseconds whose level varies from run to run."""
    levels = mean * np.exp(rng.normal(0, between, runs))
    return [np.round(rng.gamma(4, level / 4, size)) for level in levels]


@pytest.mark.parametrize("quantile", [None, 0.5, 0.95, 0.99])
def test_ratio_is_that_of_the_pooled_runs(quantile: float | None) -> None:
    rng = np.random.default_rng(6)
    above, below = runs_of(rng, 5, 150, 0.1), runs_of(rng, 4, 100, 0.1, size=150)
    figure = np.mean if quantile is None else lambda values: np.quantile(values, quantile)
    expected = figure(np.concatenate(above)) / figure(np.concatenate(below))
    (interval,) = ratio_intervals(above, below, [quantile], resamples=200)
    assert interval.estimate == pytest.approx(expected)
    assert interval.low < expected < interval.high


@pytest.mark.parametrize("quantile", [None, 0.95])
def test_ratio_interval_agrees_with_a_bootstrap_drawn_one_by_one(quantile: float | None) -> None:
    rng = np.random.default_rng(7)
    sides = [runs_of(rng, 6, 120, 0.15), runs_of(rng, 6, 100, 0.15)]

    def figure(values: np.ndarray) -> float:
        return float(values.mean() if quantile is None else np.quantile(values, quantile))

    def draw(runs: list[np.ndarray]) -> float:
        chosen = [runs[i] for i in rng.integers(len(runs), size=len(runs))]
        return figure(np.concatenate([rng.choice(run, run.size) for run in chosen]))

    ratios = [draw(sides[0]) / draw(sides[1]) for _ in range(4000)]
    tail = stats.norm.cdf(-math.sqrt(6 / 5) * stats.t.ppf(0.975, 10))
    low, high = np.quantile(ratios, [tail, 1 - tail])
    logs = [[math.log(figure(run)) for run in runs] for runs in sides]
    welch = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    # The wider of the two at either end.
    expected = [min(low, math.exp(welch.low)), max(high, math.exp(welch.high))]
    (interval,) = ratio_intervals(*sides, [quantile])
    assert [interval.low, interval.high] == pytest.approx(expected, abs=0.08 * (high - low))


@pytest.mark.parametrize("runs", [(2, 2), (2, 6), (3, 3), (5, 5)])
def test_ratio_interval_covers_the_truth_with_few_runs(runs: tuple[int, int]) -> None:
    # Figures that differ between runs alone, which a bootstrap of few runs knows least about.
    rng = np.random.default_rng(8)
    twins = [[np.exp(rng.normal(0, 0.1, (n, 1))) for n in runs] for _ in range(400)]
    found = false_positive_share(
        ratio_intervals(*pair, resamples=300, seed=seed)[0] for seed, pair in enumerate(twins)
    )
    # The bootstrap alone misses the truth in some 30, 15, 10 and 6 % of them.
    assert found.estimate < 0.08


@pytest.mark.parametrize("quantile", [None, 0.95])
@pytest.mark.parametrize("runs", [2, 3])
def test_ratio_interval_of_operations_covers_the_truth(quantile: float | None, runs: int) -> None:
    rng = np.random.default_rng(12)
    found = false_positive_share(
        ratio_intervals(
            *(runs_of(rng, runs, 100, 0.1, size=500) for _ in range(2)), [quantile], resamples=100
        )[0]
        for _ in range(150)
    )
    assert found.estimate < 0.08


def test_runs_that_do_not_differ_leave_the_bootstraps_interval() -> None:
    (same,) = ratio_intervals([[20.0], [20.0]], [[10.0], [10.0]])
    assert (same.low, same.estimate, same.high) == (2, 2, 2)
    # One side varies: its degrees of freedom are all there are.
    (one,) = ratio_intervals([[20.0], [22.0], [24.0]], [[10.0], [10.0]])
    logs = np.log([2.0, 2.2, 2.4])
    reach = stats.t.ppf(0.975, 2) * logs.std(ddof=1) / math.sqrt(3)
    assert one.high == pytest.approx(math.exp(logs.mean() + reach))
    # No logarithm of nothing.
    (none,) = ratio_intervals([[0.0], [22.0]], [[10.0], [11.0]])
    assert (none.low, none.high) == (0, pytest.approx(2.2))


def test_few_runs_widen_the_interval_by_students_t() -> None:
    # Tails of a 95 % expanded percentile interval for one sample, then for two.
    tails = [_expanded_tail(0.95, runs) for runs in (5, 10, 20)]
    assert tails == pytest.approx([0.0010, 0.0086, 0.0159], abs=0.00005)
    assert _expanded_tail(0.95, 100_000) == pytest.approx(0.025, abs=1e-5)
    assert _expanded_tail(0.95, 5, 5) == pytest.approx(
        stats.norm.cdf(-2.306 * math.sqrt(1.25)), rel=1e-3
    )


def test_runs_and_not_operations_decide_the_width() -> None:
    rng = np.random.default_rng(9)
    few, many = (
        ratio_intervals(*(runs_of(rng, 5, 20, 0.1, size) for _ in range(2)), resamples=500)[0]
        for size in (2_000, 50_000)
    )
    assert (many.high - many.low) > 0.3 * (few.high - few.low)


def test_ratio_intervals_are_the_same_for_the_same_data_alone_or_together() -> None:
    rng = np.random.default_rng(10)
    sides = runs_of(rng, 3, 150, 0.1), runs_of(rng, 3, 100, 0.1)
    together = ratio_intervals(*sides, [None, 0.95], resamples=500)
    assert together == [ratio_intervals(*sides, [q], resamples=500)[0] for q in (None, 0.95)]


def test_ratio_takes_figures_that_a_run_has_one_of() -> None:
    goodput = [[900.0], [1000.0], [1100.0]], [[500.0], [510.0], [490.0]]
    (interval,) = ratio_intervals(*goodput)
    assert interval.estimate == pytest.approx(2.0)
    assert 1.5 < interval.low < interval.high < 2.6


def test_ratio_needs_two_runs_with_observations() -> None:
    with pytest.raises(ValueError, match="at least 2 runs, got 1"):
        ratio_intervals([[1, 2, 3]], [[1, 2], [3]])
    with pytest.raises(ValueError, match="no observations"):
        ratio_intervals([[1], []], [[1], [2]])

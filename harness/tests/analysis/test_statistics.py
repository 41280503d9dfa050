"""The statistics agree with independent implementations and published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.statistics.bootstrap import _expanded_tail, ratio_intervals
from testbed.analysis.statistics.capacity import capacity
from testbed.analysis.statistics.intervals import Interval, batch_means, wilson
from testbed.analysis.statistics.power import false_positive_share, minimum_detectable_ratio
from testbed.analysis.statistics.scaling import (
    efficiency,
    efficiency_band,
    fit_scalability,
    linear_trend,
)
from testbed.analysis.statistics.steadiness import littles_law, mser5


def autocorrelated(rng: np.random.Generator, size: int, rho: float = 0.9) -> np.ndarray:
    """Return an AR(1) process of mean 100 and standard deviation 10."""
    noise = rng.normal(0, 10 * math.sqrt(1 - rho**2), size)
    values = np.empty(size)
    values[0] = rng.normal(0, 10)
    for i in range(1, size):
        values[i] = rho * values[i - 1] + noise[i]
    return 100 + values


# Pearson's r


def test_trend_agrees_with_scipy() -> None:
    rng = np.random.default_rng(1)
    x = np.arange(10, 101, 10)
    y = 0.5 * x + rng.normal(0, 4, x.size)
    expected = stats.linregress(x, y)
    trend = linear_trend(x, y)
    assert (trend.slope, trend.intercept, trend.r) == pytest.approx(
        (expected.slope, expected.intercept, expected.rvalue)
    )


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5])]
)
def test_trend_refuses_what_has_no_correlation(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match="needs"):
        linear_trend(x, y)


# Batch means


def test_batch_means_agree_with_scipys_t_interval() -> None:
    values = autocorrelated(np.random.default_rng(2), 20_500)
    means = [values[i : i + 1000].mean() for i in range(0, 20_000, 1000)]
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.9)
    interval = batch_means(values, confidence=0.9)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert interval.estimate == pytest.approx(np.mean(means))


def test_batch_means_cover_the_mean_of_an_autocorrelated_run() -> None:
    rng = np.random.default_rng(3)
    runs = [autocorrelated(rng, 10_000) for _ in range(300)]
    covered = np.mean([batch_means(run).contains(100) for run in runs])
    naive = [stats.ttest_1samp(run, 100).pvalue > 0.05 for run in runs]
    assert 0.91 <= covered <= 0.98
    assert np.mean(naive) < 0.6  # as independent observations they would claim far too much


def test_batch_means_need_two_batches() -> None:
    with pytest.raises(ValueError, match="at least 2 batches of 1000, got 1999"):
        batch_means(np.ones(1999))


# Warm-up


def brute_force_mser5(values: np.ndarray) -> int:
    """Return the cut by the definition of the rule, term by term."""
    means = [float(np.mean(values[i : i + 5])) for i in range(0, len(values) - 4, 5)]
    k = len(means)
    rule = {
        d: sum((y - sum(means[d:]) / (k - d)) ** 2 for y in means[d:]) / (k - d) ** 2
        for d in range(k - 5)
    }
    return 5 * min(rule, key=lambda d: rule[d])


@pytest.mark.parametrize("seed", range(5))
def test_mser5_agrees_with_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(100, 5, 1003) + 80 * np.exp(-np.arange(1003) / (20 * (seed + 1)))
    assert mser5(values).cut == brute_force_mser5(values)


def test_mser5_cuts_a_warm_up_and_keeps_a_steady_run() -> None:
    rng = np.random.default_rng(4)
    steady = rng.normal(100, 5, 5000)
    warming = np.concatenate([np.full(600, 300.0), steady])
    assert mser5(warming).cut == pytest.approx(600, abs=25)
    assert mser5(warming).steady
    assert mser5(steady).cut < 500


def test_mser5_calls_a_run_that_never_settles_not_steady() -> None:
    drifting = np.linspace(300, 100, 4000) + np.random.default_rng(5).normal(0, 1, 4000)
    assert not mser5(drifting).steady


# Ratio of variants


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
    expected = np.quantile(ratios, [tail, 1 - tail])
    (interval,) = ratio_intervals(*sides, [quantile])
    width = expected[1] - expected[0]
    assert [interval.low, interval.high] == pytest.approx(expected, abs=0.08 * width)


def test_ratio_interval_covers_the_truth_with_few_runs() -> None:
    rng = np.random.default_rng(8)
    twins = [np.exp(rng.normal(0, 0.1, (2, 5, 1))) for _ in range(500)]
    found = false_positive_share(
        ratio_intervals(*pair, resamples=1000, seed=seed)[0] for seed, pair in enumerate(twins)
    )
    # Five runs leave it at some 6 %; without the expansion it would be about 12 %.
    assert 0.03 < found.estimate < 0.09


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
    assert 1.7 < interval.low < interval.high < 2.3


def test_ratio_needs_two_runs_with_observations() -> None:
    with pytest.raises(ValueError, match="at least 2 runs, got 1"):
        ratio_intervals([[1, 2, 3]], [[1, 2], [3]])
    with pytest.raises(ValueError, match="no observations"):
        ratio_intervals([[1], []], [[1], [2]])


# Shares


def test_wilson_gives_newcombes_published_intervals() -> None:
    # Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0000, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (successes, trials), limits in published.items():
        interval = wilson(successes, trials)
        assert (interval.low, interval.high) == pytest.approx(limits, abs=0.00005)


@pytest.mark.parametrize(("successes", "trials"), [(0, 7), (7, 7), (3, 1000), (500, 1000)])
def test_wilson_agrees_with_scipy(successes: int, trials: int) -> None:
    expected = stats.binomtest(successes, trials).proportion_ci(0.99, method="wilson")
    interval = wilson(successes, trials, confidence=0.99)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_share(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} of {trials}"):
        wilson(successes, trials)


# Efficiency


def test_efficiency_of_the_published_response_times() -> None:
    # Akbulut and Perros 2019, case study 1: mean response times at 1, 100 and 200 threads. The text
    # calls 95 to 141 threads "low efficiency" and above that "not efficient".
    percents = efficiency([1, 100, 200], [3.82, 399.89, 1295.0])
    assert percents == pytest.approx([100.0, 95.53, 59.00], abs=0.005)
    assert [efficiency_band(float(percent)) for percent in percents] == [
        "high",
        "low",
        "not efficient",
    ]


def test_efficiency_bands_end_where_they_are_said_to() -> None:
    assert [efficiency_band(percent) for percent in (100, 99.99, 75, 74.99)] == [
        "high",
        "low",
        "low",
        "not efficient",
    ]


def test_efficiency_is_relative_to_the_lowest_level_measured() -> None:
    assert efficiency([10, 20, 50], [5, 10, 50]) == pytest.approx([100, 100, 50])
    with pytest.raises(ValueError, match="ascending"):
        efficiency([20, 10], [1, 1])


# Scalability

# SPEC SDM91 on a SPARCcenter 2000, as shipped with and fitted by the R package usl (README).
SDM91_LOAD = [1, 18, 36, 72, 108, 144, 216]
SDM91_THROUGHPUT = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]


def test_scalability_law_gives_the_published_fit() -> None:
    fit = fit_scalability(SDM91_LOAD, SDM91_THROUGHPUT)
    published = {
        "contention": (0.0277285, 0.0091217),
        "coherency": (0.0001044, 0.0000199),
        "rate": (89.9952330, 14.2134894),
    }
    t = stats.t.ppf(0.975, len(SDM91_LOAD) - 3)
    for name, (estimate, error) in published.items():
        interval = getattr(fit, name)
        assert interval.estimate == pytest.approx(estimate, rel=2e-3)
        assert interval.high - interval.estimate == pytest.approx(t * error, rel=0.01)
    assert fit.peak == pytest.approx(96.5, abs=0.1)


def test_scalability_law_recovers_its_parameters() -> None:
    levels = np.array([1, 2, 4, 8, 16, 32, 64, 100])
    truth = 200 * levels / (1 + 0.05 * (levels - 1) + 2e-4 * levels * (levels - 1))
    fit = fit_scalability(levels, truth)
    found = (fit.rate.estimate, fit.contention.estimate, fit.coherency.estimate)
    assert found == pytest.approx((200, 0.05, 2e-4), rel=1e-4)
    assert fit.throughput(levels) == pytest.approx(truth)


def test_scalability_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(11)
    levels = np.repeat([1, 10, 20, 50, 75, 100], 3)
    truth = 200 * levels / (1 + 0.05 * (levels - 1) + 2e-4 * levels * (levels - 1))
    fits = [fit_scalability(levels, truth + rng.normal(0, 20, levels.size)) for _ in range(200)]
    assert np.mean([fit.contention.contains(0.05) for fit in fits]) > 0.9
    assert np.mean([fit.coherency.contains(2e-4) for fit in fits]) > 0.9


def test_scalability_law_has_no_negative_parameter_and_is_not_extrapolated() -> None:
    levels = np.array([1, 2, 4, 8, 16])
    fit = fit_scalability(levels, 100 * levels * (1 + 0.01 * levels))
    assert fit.contention.low == fit.coherency.low == 0
    assert fit.peak is None
    with pytest.raises(ValueError, match="outside"):
        fit.throughput([32])


def test_scalability_law_needs_four_levels() -> None:
    with pytest.raises(ValueError, match="at least 4"):
        fit_scalability([1, 2, 2, 3], [1, 2, 2, 3])


# Little's law


def test_littles_law_holds_for_a_simulated_closed_loop() -> None:
    rng = np.random.default_rng(12)
    service = rng.gamma(4, 0.005, (20, 500))
    ends = service.cumsum(axis=1)
    until = ends[:, -1].min()  # all threads run until then
    done = ends <= until
    law = littles_law(20, done.sum() / until, service[done].mean())
    assert law.holds
    assert law.deviation == pytest.approx(0, abs=0.01)


def test_littles_law_shows_time_spent_elsewhere() -> None:
    law = littles_law(100, 500, 0.18)
    assert law.deviation == pytest.approx(-0.1)
    assert not law.holds
    assert littles_law(100, 500, 0.18, think_s=0.02).holds
    with pytest.raises(ValueError, match="threads"):
        littles_law(0, 1, 1)


# Identical twins


def test_false_positives_are_the_intervals_without_one() -> None:
    intervals = [Interval(1, 0.9, 1.1)] * 18 + [Interval(1.2, 1.1, 1.3), Interval(0.8, 0.7, 0.9)]
    share = false_positive_share(intervals)
    expected = stats.binomtest(2, 20).proportion_ci(method="wilson")
    assert (share.estimate, share.low, share.high) == pytest.approx(
        (0.1, expected.low, expected.high)
    )
    with pytest.raises(ValueError, match="no comparisons"):
        false_positive_share([])


def test_minimum_detectable_ratio_has_the_power_it_promises() -> None:
    rng = np.random.default_rng(13)
    spread, runs = 0.08, 6
    cells = [100 * np.exp(rng.normal(0, spread, 10)) for _ in range(200)]
    ratio = minimum_detectable_ratio(cells, runs)
    # The power of the two-sample t test, by the non-central t distribution.
    shift = math.log(ratio) / (spread * math.sqrt(2 / runs))
    critical = stats.t.ppf(0.975, 2 * runs - 2)
    power = stats.nct.sf(critical, 2 * runs - 2, shift) + stats.nct.cdf(
        -critical, 2 * runs - 2, shift
    )
    assert power == pytest.approx(0.8, abs=0.03)


def test_more_runs_detect_smaller_ratios() -> None:
    cells = [[100, 110, 90], [50, 52], [7]]
    ratios = [minimum_detectable_ratio(cells, runs) for runs in (2, 5, 20, 100)]
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[-1] > 1
    with pytest.raises(ValueError, match="at least 2 runs"):
        minimum_detectable_ratio([[100.0]], 5)


# Capacity


def test_capacity_is_where_outcomes_change() -> None:
    rates = [100, 200, 300, 400] * 3
    met = [True, True, False, False] * 3
    found = capacity(rates, met)
    assert (found.level, found.low, found.high, found.trials) == (200, 200, 300, 12)


def test_capacity_posterior_is_that_of_bayes_rule() -> None:
    # One run at 100, kept: the limit lies below with 0.1 / (0.1 + 0.9).
    found = capacity([100], [True], confidence=0.8 - 1e-9)
    assert (found.level, found.low, found.high) == (100, 100, None)
    assert capacity([100], [True], confidence=0.81).low is None
    # One kept and one not at the same level say nothing.
    torn = capacity([100, 100], [True, False])
    assert (torn.low, torn.high) == (None, None)


def test_capacity_forgives_one_run_that_speaks_against_the_others() -> None:
    rates = [100] * 5 + [200] * 5
    met = [True] * 4 + [False] + [False] * 5
    assert capacity(rates, met).level == 100


def test_capacity_covers_the_truth() -> None:
    rng = np.random.default_rng(3)
    rates = np.repeat([100, 150, 200, 250, 300], 4)
    hits = 0
    for _ in range(400):
        limit = rng.choice([75, 125, 175, 225, 275, 325])
        met = (rates <= limit) ^ (rng.random(rates.size) < 0.1)
        found = capacity(rates, met.tolist())
        hits += (found.low or 0) <= limit <= (found.high or np.inf)
    assert hits / 400 >= 0.95


@pytest.mark.parametrize(
    ("levels", "met", "mistaken"),
    [([], [], 0.1), ([1, 2], [True], 0.1), ([0], [True], 0.1), ([1], [True], 0.5)],
)
def test_capacity_refuses_what_is_no_trial(
    levels: list[float], met: list[bool], mistaken: float
) -> None:
    with pytest.raises(ValueError, match=r"needs runs|mistaken"):
        capacity(levels, met, mistaken=mistaken)

"""Intervals of a mean and of a share, against independent implementations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.statistics.intervals import (
    factor_interval,
    mean_interval,
    pooled_intervals,
    wilson,
)


def test_the_interval_of_a_mean_agrees_with_scipy_and_needs_two_observations() -> None:
    values = [3.0, 4.5, 5.0, 7.5]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    interval = mean_interval(values)
    assert interval.estimate == 5.0
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    with pytest.raises(ValueError, match="at least 2 observations, got 1"):
        mean_interval([3.0])


def test_geometric_means_have_students_interval_with_a_pooled_variance() -> None:
    group, other = [2.0, 8.0], [5.0, 5.0]
    spread = np.sqrt(np.var(np.log(group), ddof=1) / 2)
    reach = np.exp(stats.t.ppf(0.975, 2) * spread / np.sqrt(2))
    intervals = pooled_intervals([group, other])
    assert [interval.estimate for interval in intervals] == pytest.approx([4.0, 5.0])
    assert [interval.high for interval in intervals] == pytest.approx([4.0 * reach, 5.0 * reach])
    (alone,) = pooled_intervals([[3.0, 4.5, 5.0]])
    assert (alone.low, alone.high) == pytest.approx(factor_ends([3.0, 4.5, 5.0]))
    (single,) = pooled_intervals([[7.0]])
    assert single.low == single.estimate == single.high


def factor_ends(values: list[float]) -> tuple[float, float]:
    ends = stats.ttest_1samp(np.log(values), 0).confidence_interval(0.95)
    return float(np.exp(ends.low)), float(np.exp(ends.high))


def test_factors_have_scipys_interval_of_logarithms() -> None:
    times = np.array([238.0, 410.0, 1190.0])
    expected = stats.ttest_1samp(np.log(times), 0).confidence_interval(0.95)
    interval = factor_interval(times)
    assert interval.estimate == pytest.approx(stats.gmean(times))
    assert (interval.low, interval.high) == pytest.approx(np.exp([expected.low, expected.high]))
    assert mean_interval(times).low < 0 < interval.low
    with pytest.raises(ValueError, match="above 0, got 0"):
        factor_interval([0.0, 3.0])


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


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_share(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} of {trials}"):
        wilson(successes, trials)

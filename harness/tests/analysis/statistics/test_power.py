"""What identical twins tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.power import false_positive_share, minimum_detectable_ratio


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

"""The Universal Scalability Law, against published figures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.scaling import fit_scalability

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
    fitted = (fit.rate.estimate, fit.contention.estimate, fit.coherency.estimate)
    assert fitted == pytest.approx((200, 0.05, 2e-4), rel=1e-4)
    assert fit.throughput(levels) == pytest.approx(truth)


def covers(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def test_scalability_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(11)
    levels = np.repeat([1, 10, 20, 50, 75, 100], 3)
    truth = 200 * levels / (1 + 0.05 * (levels - 1) + 2e-4 * levels * (levels - 1))
    fits = [fit_scalability(levels, truth + rng.normal(0, 20, levels.size)) for _ in range(200)]
    assert np.mean([covers(fit.contention, 0.05) for fit in fits]) > 0.9
    assert np.mean([covers(fit.coherency, 2e-4) for fit in fits]) > 0.9


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

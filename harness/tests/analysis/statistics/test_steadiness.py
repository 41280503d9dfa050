"""MSER-5 and Little's law."""

from __future__ import annotations

import numpy as np
import pytest

from testbed.analysis.statistics.steadiness import littles_law, mser5


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

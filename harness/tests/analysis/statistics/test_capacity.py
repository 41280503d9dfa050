"""The posterior of the highest level that keeps an objective."""

from __future__ import annotations

import numpy as np
import pytest

from testbed.analysis.statistics.capacity import capacity


def test_capacity_is_where_outcomes_change() -> None:
    rates = [100, 200, 300, 400] * 3
    met = [True, True, False, False] * 3
    fitted = capacity(rates, met)
    assert (fitted.level, fitted.low, fitted.high, fitted.trials) == (200, 200, 300, 12)


def test_capacity_posterior_is_that_of_bayes_rule() -> None:
    # Two runs at 100, kept: the limit lies below with 0.01 / (0.01 + 0.81), after one with 0.1.
    fitted = capacity([100, 100], [True, True])
    assert (fitted.level, fitted.low, fitted.high) == (100, 100, None)
    assert capacity([100], [True]).low is None
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
        fitted = capacity(rates, met.tolist())
        hits += (fitted.low or 0) <= limit <= (fitted.high or np.inf)
    assert hits / 400 >= 0.95


@pytest.mark.parametrize(
    ("levels", "met"),
    [([], []), ([1, 2], [True]), ([0], [True])],
)
def test_capacity_refuses_what_is_no_trial(levels: list[float], met: list[bool]) -> None:
    with pytest.raises(ValueError, match="needs runs"):
        capacity(levels, met)

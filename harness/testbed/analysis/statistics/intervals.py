"""Confidence intervals of an estimate, of a share and of a mean."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, of `CONFIDENCE` unless stated otherwise."""

    estimate: float
    low: float
    high: float

    def times(self, factor: float) -> Interval:
        return Interval(factor * self.estimate, factor * self.low, factor * self.high)


def wilson(successes: int, trials: int) -> Interval:
    """Return Wilson's score interval of a share, within 0 to 1.

    It assumes independent trials: for failures in bursts it is too narrow. Raises `ValueError`
    unless ``0 <= successes <= trials``, with at least one trial.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"no share: {successes} of {trials}")
    low, high = stats.binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return Interval(successes / trials, float(low), float(high))


def exact(successes: int, trials: int) -> Interval:
    """Return Clopper and Pearson's interval of a share: for few independent trials."""
    low, high = stats.binomtest(successes, trials).proportion_ci(CONFIDENCE, method="exact")
    return Interval(successes / trials, float(low), float(high))


def mean_interval(values: ArrayLike) -> Interval:
    """Return Student's interval of the mean of independent observations, shape (n,).

    Raises `ValueError` if there are fewer than two.
    """
    observed = np.asarray(values, dtype=float)
    if observed.size < 2:
        raise ValueError(f"an interval needs at least 2 observations, got {observed.size}")
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # Equal observations.
        low, high = stats.ttest_1samp(observed, 0).confidence_interval(CONFIDENCE)
    return Interval(float(observed.mean()), float(low), float(high))


def factor_interval(values: ArrayLike) -> Interval:
    """Return Student's interval of the geometric mean of observations above 0, shape (n,).

    It is computed on logarithms. Response times of runs differ by factors, upwards more than
    downwards, so a symmetric interval would include times below zero. Raises `ValueError` if there
    are fewer than two observations, or one is not above 0.
    """
    observed = np.asarray(values, dtype=float)
    if not (observed > 0).all():
        raise ValueError(f"an interval of factors needs figures above 0, got {observed.min():g}")
    logs = mean_interval(np.log(observed))
    return Interval(math.exp(logs.estimate), math.exp(logs.low), math.exp(logs.high))


def pooled_intervals(groups: Sequence[ArrayLike]) -> list[Interval]:
    """Return the geometric mean of each group of positive values, with Student's interval.

    The standard deviation of the logarithms is pooled over the groups. If no group has two values,
    an interval is its estimate.
    """
    logs = [np.log(np.asarray(group, dtype=float)) for group in groups]
    freedom = sum(group.size - 1 for group in logs)
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in logs)
    reach = 0.0
    if freedom:
        reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) * math.sqrt(squares / freedom)
    return [
        Interval(
            math.exp(group.mean()),
            math.exp(group.mean() - reach / math.sqrt(group.size)),
            math.exp(group.mean() + reach / math.sqrt(group.size)),
        )
        for group in logs
    ]

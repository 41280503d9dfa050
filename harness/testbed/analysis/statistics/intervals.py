"""An estimate with its confidence interval, and those of a share and of a mean."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Parameters
    ----------
    estimate, low, high
        In the unit of what is estimated.
    confidence
        Between 0 and 1.
    """

    estimate: float
    low: float
    high: float
    confidence: float = CONFIDENCE

    def contains(self, value: float) -> bool:
        """Return whether a value is compatible with the data."""
        return self.low <= value <= self.high

    def times(self, factor: float) -> Interval:
        """Return the interval in another unit."""
        return Interval(
            factor * self.estimate, factor * self.low, factor * self.high, self.confidence
        )


def wilson(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's score interval of a share.

    Parameters
    ----------
    successes, trials
        Counts, ``0 <= successes <= trials``, at least one trial.

    Returns
    -------
    Interval
        Of the share, within 0 to 1. It holds for independent trials; failures that come in bursts
        are less well known than it says.

    Raises
    ------
    ValueError
        If the counts are no counts of a share.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"no share: {successes} of {trials}")
    low, high = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return Interval(successes / trials, float(low), float(high), confidence)


def mean_interval(values: ArrayLike, *, confidence: float = CONFIDENCE) -> Interval:
    """Return Student's interval of the mean of independent observations.

    Parameters
    ----------
    values
        Observations, shape (n,), n at least 2.

    Raises
    ------
    ValueError
        If there are fewer than two observations.
    """
    observed = np.asarray(values, dtype=float)
    if observed.size < 2:
        raise ValueError(f"an interval needs at least 2 observations, got {observed.size}")
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # Equal observations.
        low, high = stats.ttest_1samp(observed, 0).confidence_interval(confidence)
    return Interval(float(observed.mean()), float(low), float(high), confidence)


def factor_interval(values: ArrayLike, *, confidence: float = CONFIDENCE) -> Interval:
    """Return Student's interval on a logarithmic scale, of the typical size of positive figures.

    Response times of runs differ by factors, upwards more than downwards: an interval of equal
    reach on both sides would hold times below zero.

    Parameters
    ----------
    values
        Observations above zero, shape (n,), n at least 2.

    Returns
    -------
    Interval
        In the unit of ``values``, about their geometric mean.

    Raises
    ------
    ValueError
        If there are fewer than two observations, or one is not above zero.
    """
    observed = np.asarray(values, dtype=float)
    if not (observed > 0).all():
        raise ValueError(f"an interval of factors needs figures above 0, got {observed.min():g}")
    logs = mean_interval(np.log(observed), confidence=confidence)
    return Interval(math.exp(logs.estimate), math.exp(logs.low), math.exp(logs.high), confidence)

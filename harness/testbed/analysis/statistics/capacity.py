"""The highest level at which an objective is kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from testbed.analysis.statistics.intervals import CONFIDENCE


@dataclass(frozen=True)
class Capacity:
    """The highest level at which an objective is kept.

    Parameters
    ----------
    level
        The highest tried level that it is more likely than not kept at; None if it is not even at
        the lowest.
    low
        The highest tried level at or below which the limit lies with less than half of what the
        confidence leaves; None if even the lowest level may be too high.
    high
        The lowest tried level that is too high with as much certainty; None if even the highest
        level may be kept.
    confidence
        Of the limit lying between ``low`` and ``high``.
    trials
        Runs that it is taken from.
    """

    level: float | None
    low: float | None
    high: float | None
    confidence: float
    trials: int


def capacity(
    levels: ArrayLike,
    met: Sequence[bool],
    *,
    confidence: float = CONFIDENCE,
    mistaken: float = 0.1,
) -> Capacity:
    """Return the highest level at which an objective is kept, from runs that kept it or did not.

    Parameters
    ----------
    levels
        Of each run, shape (n,), positive; repeated and unordered ones are welcome.
    met
        Whether the run kept the objective, shape (n,).
    mistaken
        Probability that a run's outcome is not what the limit says, below one half: chance, a
        disturbed machine.

    Raises
    ------
    ValueError
        If there are no runs, the shapes differ, a level is not positive, or ``mistaken`` is not
        between 0 and 0.5.

    Notes
    -----
    The limit lies in one of the gaps between tried levels, below the lowest or above the highest,
    each as likely beforehand; each run multiplies the gaps it speaks for by ``1 - mistaken`` and
    the others by ``mistaken``. This is the posterior of probabilistic bisection: Horstein, IEEE
    Transactions on Information Theory 9(3), 1963; Waeber, Frazier and Henderson, SIAM Journal on
    Control and Optimization 51(3), 2013.
    """
    tried, kept = np.asarray(levels, dtype=float), np.asarray(met, dtype=bool)
    if tried.ndim != 1 or not tried.size or tried.shape != kept.shape or np.any(tried <= 0):
        raise ValueError(f"needs runs with a positive level each, got {tried} and {kept}")
    if not 0 < mistaken < 0.5:
        raise ValueError(f"mistaken must lie between 0 and 0.5, got {mistaken}")
    distinct = np.unique(tried)
    # Row: gap, the limit lying at or above so many of the distinct levels. Column: run.
    reached = np.searchsorted(distinct, tried)[None, :] < np.arange(distinct.size + 1)[:, None]
    agree = reached == kept[None, :]
    logs = np.where(agree, math.log(1 - mistaken), math.log(mistaken)).sum(axis=1)
    posterior = np.exp(logs - logs.max())
    posterior /= posterior.sum()
    kept_at = 1 - np.cumsum(posterior)[:-1]  # probability that each distinct level is kept
    tail = (1 - confidence) / 2

    def highest(probability: float) -> float | None:
        fitting = distinct[kept_at >= probability]
        return float(fitting[-1]) if fitting.size else None

    too_high = distinct[kept_at <= tail]
    return Capacity(
        level=highest(0.5),
        low=highest(1 - tail),
        high=float(too_high[0]) if too_high.size else None,
        confidence=confidence,
        trials=int(tried.size),
    )

"""The highest level at which an objective is met."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from testbed.analysis.statistics.intervals import CONFIDENCE

MISTAKEN = 0.1
"""Probability that a run's outcome is wrong by chance or disturbance."""


@dataclass(frozen=True)
class Capacity:
    """The highest level at which an objective is met, from ``trials`` runs.

    With a confidence of 1 - α, the limit lies between ``low`` and ``high`` with probability 1 - α.
    """

    level: float | None
    """Highest tried level that meets the objective with probability 1/2 or more; None if none does.
    """
    low: float | None
    """Highest tried level that meets it with probability 1 - α/2 or more; None if none does."""
    high: float | None
    """Lowest tried level that meets it with probability α/2 or less; None if none does."""
    trials: int


def capacity(levels: ArrayLike, met: Sequence[bool]) -> Capacity:
    """Return the highest level at which an objective is met, from runs that met it or did not.

    Raises `ValueError` if there are no runs, the shapes differ, or a value is out of range.

    Parameters
    ----------
    levels
        Of each run, shape (n,), positive; repeated and unordered ones are allowed.
    met
        Whether the run met the objective, shape (n,).

    Notes
    -----
    The limit lies in one of the gaps between tried levels, below the lowest or above the highest,
    each with equal prior probability. Each run multiplies the gaps it supports by 1 - `MISTAKEN`
    and the others by `MISTAKEN`. This is the posterior of probabilistic bisection: Horstein, IEEE
    Transactions on Information Theory 9(3), 1963; Waeber, Frazier and Henderson, SIAM Journal on
    Control and Optimization 51(3), 2013.
    """
    tried, kept = np.asarray(levels, dtype=float), np.asarray(met, dtype=bool)
    if tried.ndim != 1 or not tried.size or tried.shape != kept.shape or np.any(tried <= 0):
        raise ValueError(f"needs runs with a positive level each, got {tried} and {kept}")
    distinct = np.unique(tried)
    # Rows: gaps, by the number of distinct levels at or below the limit. Columns: runs.
    reached = np.searchsorted(distinct, tried)[None, :] < np.arange(distinct.size + 1)[:, None]
    agree = reached == kept[None, :]
    logs = np.where(agree, math.log(1 - MISTAKEN), math.log(MISTAKEN)).sum(axis=1)
    posterior = np.exp(logs - logs.max())
    posterior /= posterior.sum()
    kept_at = 1 - np.cumsum(posterior)[:-1]  # probability that each distinct level is kept
    tail = (1 - CONFIDENCE) / 2

    def highest(probability: float) -> float | None:
        fitting = distinct[kept_at >= probability]
        return float(fitting[-1]) if fitting.size else None

    too_high = distinct[kept_at <= tail]
    return Capacity(
        level=highest(0.5),
        low=highest(1 - tail),
        high=float(too_high[0]) if too_high.size else None,
        trials=int(tried.size),
    )

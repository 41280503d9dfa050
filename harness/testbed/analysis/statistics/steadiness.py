"""Where the warm-up of a run ends, and whether its load was what it was to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Truncation:
    """Where the warm-up of a run ends.

    Parameters
    ----------
    cut
        Observations to leave out from the start.
    observations
        Of the whole run.
    """

    cut: int
    observations: int

    @property
    def steady(self) -> bool:
        """Whether the run has a steady part: at most half of it is warm-up."""
        return 2 * self.cut <= self.observations


def mser5(values: ArrayLike) -> Truncation:
    """Find the end of the warm-up by the marginal standard error rule on batches of five.

    Parameters
    ----------
    values
        Observations in order, shape (n,), n at least 50.

    Raises
    ------
    ValueError
        If there are fewer than 50 observations.

    Notes
    -----
    Of the k means of five observations, the first d are cut that minimise
    ``sum((Y[d:] - mean(Y[d:]))²) / (k - d)²``. The last five candidates are left out, where a few
    means that happen to be alike would win. Sources: White, Simulation 69(6), 1997; Hoad, Robinson
    and Davies, Journal of the Operational Research Society 61(9), 2010.
    """
    observed = np.asarray(values, dtype=float)
    if observed.size < 50:
        raise ValueError(f"MSER-5 needs at least 50 observations, got {observed.size}")
    count = observed.size // 5
    means = observed[: count * 5].reshape(count, 5).mean(axis=1)
    means -= means.mean()
    left = np.arange(count, 0, -1)
    total = np.cumsum(means[::-1])[::-1]
    squares = np.cumsum(means[::-1] ** 2)[::-1]
    rule = (squares - total**2 / left) / left**2
    return Truncation(cut=5 * int(np.argmin(rule[: count - 5])), observations=observed.size)


@dataclass(frozen=True)
class LittlesLaw:
    """How a run stands to Little's law.

    Parameters
    ----------
    expected
        Operations in the system by the load's set-up: the threads of a closed loop.
    observed
        Throughput times response time.
    tolerance
        Of the deviation.
    """

    expected: float
    observed: float
    tolerance: float

    @property
    def deviation(self) -> float:
        """Relative deviation of what was observed, -1 or more."""
        return self.observed / self.expected - 1

    @property
    def holds(self) -> bool:
        """Whether the deviation is within tolerance."""
        return abs(self.deviation) <= self.tolerance


def littles_law(
    threads: float,
    throughput: float,
    response_s: float,
    *,
    think_s: float = 0.0,
    tolerance: float = 0.05,
) -> LittlesLaw:
    """Check ``N = X · (R + Z)``.

    Parameters
    ----------
    threads
        N, of the closed loop.
    throughput
        X, all operations/s, failed ones included, over a time in which all threads ran.
    response_s
        R, the mean response time of the same operations, seconds.
    think_s
        Z, what a thread waits between operations, seconds.
    tolerance
        5 % unless told.

    Raises
    ------
    ValueError
        If an argument is negative, or there are no threads.

    Notes
    -----
    Less than N says that threads spent their time elsewhere: in the generator, or not yet started.
    Source: Little, Operations Research 9(3), 1961.
    """
    if threads <= 0 or min(throughput, response_s, think_s) < 0:
        raise ValueError("needs threads, and no negative throughput or time")
    return LittlesLaw(float(threads), throughput * (response_s + think_s), tolerance)

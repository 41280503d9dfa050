"""Scalability: how throughput depends on the level."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from testbed.analysis.arrays import Floats
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval


@dataclass(frozen=True)
class Scalability:
    """A fitted Universal Scalability Law."""

    rate: Interval
    """Throughput of one thread, operations/s (λ)."""
    contention: Interval
    """Share of the work that is serial (σ), 0 or more."""
    coherency: Interval
    """Cost of keeping threads consistent with one another (κ), 0 or more."""
    levels: tuple[float, float]
    """Lowest and highest level of the fit; the law must not be used outside of them."""

    @property
    def peak(self) -> float | None:
        """Level of the highest throughput; None if the fit has none within its levels."""
        if self.coherency.estimate <= 0 or self.contention.estimate >= 1:
            return None
        level = math.sqrt((1 - self.contention.estimate) / self.coherency.estimate)
        return level if self.levels[0] <= level <= self.levels[1] else None

    def throughput(self, levels: ArrayLike) -> Floats:
        """Return the fitted throughput, operations/s.

        Raises `ValueError` if a level lies outside those of the fit: the law is not extrapolated.
        """
        threads = np.asarray(levels, dtype=float)
        low, high = self.levels
        if np.any((threads < low) | (threads > high)):
            raise ValueError(f"levels {threads} lie outside of the fit's, {low:g} to {high:g}")
        return _usl(threads, self.rate.estimate, self.contention.estimate, self.coherency.estimate)


def fit_scalability(levels: ArrayLike, throughput: ArrayLike) -> Scalability:
    """Fit the Universal Scalability Law by least squares.

    ``X(N) = λN / (1 + σ(N-1) + κN(N-1))``. Source: Gunther, Guerrilla Capacity Planning, 2007,
    chapter 5.

    ``levels`` are threads, at least four different ones, which may repeat. ``throughput`` is
    positive, in operations/s. Both have shape (n,). Raises `ValueError` if there are too few
    levels, a value is not positive, or no fit is found.

    The intervals are Student's t on n - 3 degrees of freedom from the linearised fit. They are cut
    at 0, because contention and coherency cannot be negative. If an estimate is 0, its interval is
    only a rough guide.
    """
    threads, rates = np.asarray(levels, dtype=float), np.asarray(throughput, dtype=float)
    if threads.shape != rates.shape or np.unique(threads).size < 4:
        raise ValueError(
            f"the fit needs at least 4 different levels with a throughput each, got {threads} "
            f"and {rates}"
        )
    if np.any(threads <= 0) or np.any(rates <= 0):
        raise ValueError("the fit needs positive levels and throughputs")
    start = [float((rates / threads).max()), 0.01, 1e-5]
    try:
        best, covariance = optimize.curve_fit(
            _usl,
            threads,
            rates,
            p0=start,
            bounds=([0, 0, 0], [np.inf, np.inf, np.inf]),
            x_scale=[start[0], 0.01, 1e-4],
            xtol=1e-12,
            ftol=1e-12,
            max_nfev=20_000,
        )
    except RuntimeError as error:
        raise ValueError(f"the Universal Scalability Law fits no such data: {error}") from error
    reach = stats.t.ppf((1 + CONFIDENCE) / 2, threads.size - 3) * np.sqrt(np.diag(covariance))
    rate, contention, coherency = (
        Interval(float(value), max(0.0, float(value - half)), float(value + half))
        for value, half in zip(best, reach, strict=True)
    )
    return Scalability(
        rate, contention, coherency, levels=(float(threads.min()), float(threads.max()))
    )


def _usl(threads: Floats, rate: float, contention: float, coherency: float) -> Floats:
    return rate * threads / (1 + contention * (threads - 1) + coherency * threads * (threads - 1))

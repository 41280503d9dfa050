"""Intervals of the ratio of two variants: a hierarchical bootstrap over runs, and Welch's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from testbed.analysis.arrays import Counts, Floats
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval


def ratio_intervals(
    numerator: Sequence[ArrayLike],
    denominator: Sequence[ArrayLike],
    quantiles: Sequence[float | None] = (None,),
    *,
    confidence: float = CONFIDENCE,
    resamples: int = 4000,
    seed: int = 1,
) -> list[Interval]:
    """Return intervals of ratios of two variants: the wider of a bootstrap's and of Welch's.

    Parameters
    ----------
    numerator, denominator
        One array of observations per run (response times in ms), at least two runs each. A figure
        that a run has one of, such as its goodput, is an array of length one.
    quantiles
        What to compare: quantiles, between 0 and 1, and for None the mean.
    resamples
        Bootstrap samples.
    seed
        Of the generator, so that the same data give the same intervals.

    Returns
    -------
    list of Interval
        Of numerator ÷ denominator, without unit, one for each of ``quantiles``; each holds by
        itself, not all of them at once.

    Raises
    ------
    ValueError
        If a side has fewer than two runs, or a run no observations.

    Notes
    -----
    Each bootstrap sample draws runs with replacement, then operations within each drawn run with
    replacement, pools them, and forms the ratio (Kalibera and Jones, Rigorous benchmarking in
    reasonable time, ISMM 2013). Drawing n operations is drawing how often each distinct time
    occurs, which is multinomial: the result is the same and the cost is that of the distinct times.
    Percentile intervals of few runs are too narrow; they are widened as Hesterberg proposes (What
    teachers should know about the bootstrap, The American Statistician 69(4), 2015: the expanded
    percentile interval), by Student's t and the bias of the bootstrap's variance.

    No resample of a few runs leaves their range, however far the tail lies. So an interval also
    reaches as far as Welch's t interval (Biometrika 34, 1947) of the logarithms of the runs' own
    figures. Where a figure is 0, or the runs of neither side differ, there is only the bootstrap's.

    In simulation 95 % intervals of log-normal figures (one for each run)
    miss the truth in 2 % of cases with 2 + 2 runs, in 7 % with 2 + 6, 4 % with 3 + 3, 5 % with
    3 + 9, with 5 + 5, and 4 % with 10 + 10; the bootstrap's alone in 33, 14, 11, 9, 7 and 6 %.
    Means and 95th percentiles of runs of 1000 operations miss in at most 6 % with any of these.
    """
    rng = np.random.default_rng(seed)
    above, below = (_Pool.of(runs) for runs in (numerator, denominator))
    tail = _expanded_tail(confidence, above.runs, below.runs)
    drawn = above.resampled(rng, resamples), below.resampled(rng, resamples)
    intervals = []
    for quantile in quantiles:
        ratios = drawn[0].figures(quantile) / drawn[1].figures(quantile)
        low, high = np.quantile(ratios, [tail, 1 - tail])
        welch = _welch(above.figures(quantile), below.figures(quantile), confidence)
        if welch is not None:
            low, high = min(low, welch[0]), max(high, welch[1])
        observed = above.pooled.figures(quantile) / below.pooled.figures(quantile)
        intervals.append(Interval(float(observed[0]), float(low), float(high), confidence))
    return intervals


@dataclass(frozen=True)
class _Pool:
    """Sets of observations, as how often each distinct value occurs in each.

    ``values`` has shape (k,), ascending; ``counts`` has shape (sets, k).
    """

    values: Floats
    counts: Counts

    @classmethod
    def of(cls, runs: Sequence[ArrayLike]) -> _Pool:
        """Count the observations of each run."""
        observed = [np.asarray(run, dtype=float).ravel() for run in runs]
        if len(observed) < 2:
            raise ValueError(f"an interval over runs needs at least 2 runs, got {len(observed)}")
        if not all(run.size for run in observed):
            raise ValueError("a run has no observations")
        values = np.unique(np.concatenate(observed))
        counts = [
            np.bincount(np.searchsorted(values, run), minlength=values.size) for run in observed
        ]
        return cls(values, np.stack(counts))

    @property
    def runs(self) -> int:
        return len(self.counts)

    @property
    def pooled(self) -> _Pool:
        """All observations as one set."""
        return _Pool(self.values, self.counts.sum(axis=0, keepdims=True))

    def resampled(self, rng: np.random.Generator, resamples: int) -> _Pool:
        """Return bootstrap samples, each one set: runs drawn, and observations within them."""
        sizes = self.counts.sum(axis=1)
        chosen = rng.integers(self.runs, size=(resamples, self.runs))
        drawn = np.zeros((resamples, self.values.size), dtype=np.int64)
        for run in range(self.runs):
            times = (chosen == run).sum(axis=1)
            drawn += rng.multinomial(times * sizes[run], self.counts[run] / sizes[run])
        return _Pool(self.values, drawn)

    def figures(self, quantile: float | None) -> Floats:
        """Return the mean, or the linearly interpolated quantile, of each set, shape (sets,)."""
        sizes = self.counts.sum(axis=1)
        if quantile is None:
            means: Floats = self.counts @ self.values / sizes
            return means
        position = (sizes - 1) * quantile
        reached = self.counts.cumsum(axis=1)
        below, above = (
            self.values[(reached > place[:, None]).argmax(axis=1)]
            for place in (np.floor(position), np.ceil(position))
        )
        interpolated: Floats = below + (position - np.floor(position)) * (above - below)
        return interpolated


def _welch(above: Floats, below: Floats, confidence: float) -> tuple[float, float] | None:
    """Return Welch's interval of the ratio of typical figures, from the runs' own figures.

    None where logarithms do not exist, or neither side's runs differ.
    """
    if min(above.min(), below.min()) <= 0:
        return None
    logs = np.log(above), np.log(below)
    parts = [float(side.var(ddof=1)) / side.size for side in logs]
    error2 = sum(parts)
    if error2 == 0:
        return None
    degrees = error2**2 / sum(
        part**2 / (side.size - 1) for part, side in zip(parts, logs, strict=True)
    )
    centre = float(logs[0].mean() - logs[1].mean())
    reach = float(stats.t.ppf((1 + confidence) / 2, degrees)) * math.sqrt(error2)
    return math.exp(centre - reach), math.exp(centre + reach)


def _expanded_tail(confidence: float, *runs: int) -> float:
    """Return the tail probability of the expanded percentile interval of a comparison."""
    fewest = min(runs)
    t = stats.t.ppf((1 + confidence) / 2, sum(runs) - len(runs))
    return float(stats.norm.cdf(-math.sqrt(fewest / (fewest - 1)) * t))

"""Where the ratio of two systems passes 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import stats

from testbed.analysis.arrays import Floats
from testbed.analysis.decisions import Comparison
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval


@dataclass(frozen=True)
class Crossover:
    """Where the ratio of two systems passes 1.

    Parameters
    ----------
    level
        By straight lines between the logarithms of the ratios at neighbouring levels.
    interval
        Of the level, of those resampled curves that cross.
    likelihood
        Share of the resampled curves that cross in the same direction between the measured levels.
    rising
        Whether the second system's figure overtakes the first's.
    crossings
        How often the ratio passes 1; the level is that of the first time.
    """

    level: float
    interval: Interval
    likelihood: float
    rising: bool
    crossings: int


def crossover(
    levels: Sequence[float],
    ratios: Sequence[Interval],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = 4000,
    seed: int = 1,
) -> Crossover | None:
    """Find the level at which the ratio of two systems passes 1.

    Parameters
    ----------
    levels
        Ascending, at least two.
    ratios
        At each level, with its interval; positive.
    resamples, seed
        Of the curves that are drawn.

    Returns
    -------
    Crossover or None
        None where the observed ratio stays on one side of 1.

    Notes
    -----
    A curve is drawn by taking the logarithm of the ratio at each level from a normal distribution
    with the standard error that the interval there implies, levels independent of one another; the
    level is where straight lines between its points first pass 0 in the observed direction.
    """
    places = np.asarray(levels, dtype=float)
    if places.size < 2 or places.size != len(ratios) or np.any(np.diff(places) <= 0):
        raise ValueError(f"needs ascending levels with a ratio each, got {places}")
    if any(min(ratio.estimate, ratio.low) <= 0 for ratio in ratios):
        raise ValueError("needs positive ratios")
    observed = np.log([ratio.estimate for ratio in ratios])
    crossings = np.flatnonzero(np.diff(observed > 0))
    if not crossings.size:
        return None
    rising = bool(observed[crossings[0] + 1] > 0)
    rng = np.random.default_rng(seed)
    reach = 2 * float(stats.norm.ppf((1 + confidence) / 2))
    errors = np.array([(math.log(one.high) - math.log(one.low)) / reach for one in ratios])
    drawn = observed + errors * rng.standard_normal((resamples, places.size))
    passes = (drawn[:, :-1] > 0) != (drawn[:, 1:] > 0)
    passes &= (drawn[:, 1:] > 0) == rising
    crossing = passes.any(axis=1)
    at = passes.argmax(axis=1)[crossing]
    curves = drawn[crossing]
    found = _between(places, curves, at)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(found, tails) if found.size else (math.nan, math.nan)
    level = float(_between(places, observed[None, :], crossings[:1])[0])
    return Crossover(
        level=level,
        interval=Interval(level, float(min(low, level)), float(max(high, level)), confidence),
        likelihood=float(crossing.mean()),
        rising=rising,
        crossings=int(crossings.size),
    )


def crossing(compared: Sequence[Comparison], figure: str) -> Crossover | None:
    """Find the first crossover of one pair that is decided by one figure.

    Returns
    -------
    Crossover or None
        Between the first two neighbouring levels that have opposite winners, from these two alone;
        ``crossings`` counts such neighbours. None where there are none.
    """
    turns = [
        (below.level, above.level, below.ratios[figure].interval, above.ratios[figure].interval)
        for below, above in pairwise(compared)
        if {below.winner(figure), above.winner(figure)} == {"first", "second"}
    ]
    if not turns:
        return None
    low, high, below, above = turns[0]
    if below is None or above is None or min(below.low, above.low) <= 0:
        return None
    found = crossover([low, high], [below, above])
    return found and replace(found, crossings=len(turns))


def _between(places: Floats, curves: Floats, at: npt.NDArray[np.intp]) -> Floats:
    """Return where each curve passes 0 between the points ``at`` and ``at + 1``."""
    rows = np.arange(len(curves))
    before, after = curves[rows, at], curves[rows, at + 1]
    level: Floats = places[at] + (places[at + 1] - places[at]) * before / (before - after)
    return level

"""Where the warm-up of a run ends, and whether a run changes over its time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from testbed.analysis.arrays import Floats

BATCHES = 10


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
class Spell:
    """Operations of a span of time.

    Parameters
    ----------
    at_s
        When each was counted, from the start of the span, shape (n,).
    response_ms
        How long each took, shape (n,).
    seconds
        The length of the span.
    """

    at_s: Floats
    response_ms: Floats
    seconds: float

    @classmethod
    def joined(cls, spells: Sequence[Spell]) -> Spell:
        """Return spells, at least one, one after the other."""
        begins = np.cumsum([0.0, *(one.seconds for one in spells)])
        return cls(
            np.concatenate([one.at_s + begin for one, begin in zip(spells, begins, strict=False)]),
            np.concatenate([one.response_ms for one in spells]),
            float(begins[-1]),
        )

    def ends(self) -> tuple[Spell, Spell]:
        """Return the first third and the last."""
        third = self.seconds / 3
        begin, end = self.at_s < third, self.at_s >= 2 * third
        return (
            Spell(self.at_s[begin], self.response_ms[begin], third),
            Spell(self.at_s[end] - 2 * third, self.response_ms[end], third),
        )


@dataclass(frozen=True)
class Change:
    """The ratio of a later figure to an earlier one, and the standard error of its logarithm."""

    ratio: float
    error: float

    def exceeds(self, most: float) -> bool:
        """Return whether it is more than a share, and than three standard errors."""
        return abs(math.log(self.ratio)) > max(math.log1p(most), 3 * self.error)


def change_of_rate(earlier: Spell, later: Spell) -> Change:
    """Return the change of operations per second; where there are none, one is assumed.

    The error is that of the counts in `BATCHES` parts of each spell, which contains what the
    machine does beside; at least that of counts by themselves (Poisson).
    """
    sides = (earlier, later)
    counts = [max(one.at_s.size, 1) for one in sides]
    ratio = counts[1] / later.seconds / (counts[0] / earlier.seconds)
    errors = [
        max(BATCHES * stats.sem(_counted(one)), math.sqrt(count)) / count
        for one, count in zip(sides, counts, strict=True)
    ]
    return Change(ratio, math.hypot(*errors))


def trend_of_rates(spells: Sequence[Spell]) -> Change:
    """Return the change of operations per second over three spells or more.

    It is that of the least-squares line through the logarithms of their rates; the error is its,
    which contains that the machine has better and worse times; at least that of counts (Poisson).
    """
    counts = np.array([max(one.at_s.size, 1) for one in spells])
    places = np.arange(counts.size)
    line = stats.linregress(places, np.log(counts / [one.seconds for one in spells]))
    by_chance = math.sqrt(1 / counts[0] + 1 / counts[-1])
    return Change(
        math.exp(line.slope * places[-1]), max(float(line.stderr * places[-1]), by_chance)
    )


def _counted(spell: Spell) -> Floats:
    """Return the operations in each of `BATCHES` equal parts of a spell."""
    counted, _ = np.histogram(spell.at_s, BATCHES, (0.0, spell.seconds))
    return counted.astype(float)


def change_of_mean(earlier: Spell, later: Spell) -> Change:
    """Return the change of the mean response time of spells that have operations.

    The error is that of `BATCHES` batch means, as neighbouring times are alike; it is infinite for
    fewer operations.
    """
    sides = [one.response_ms for one in (earlier, later)]
    ratio = float(sides[1].mean() / sides[0].mean())
    if min(side.size for side in sides) < BATCHES:
        return Change(ratio, math.inf)
    batches = [[one.mean() for one in np.array_split(side, BATCHES)] for side in sides]
    return Change(ratio, math.hypot(*(stats.sem(means) / np.mean(means) for means in batches)))

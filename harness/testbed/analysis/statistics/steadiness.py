"""Whether a run changes over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from testbed.analysis.arrays import Floats

BATCHES = 10


@dataclass(frozen=True)
class Spell:
    """The operations of a span of ``seconds``.

    ``at_s`` is when each was counted, from the start of the span; ``response_ms`` is how long it
    took. Both have shape (n,).
    """

    at_s: Floats
    response_ms: Floats
    seconds: float

    def ends(self) -> tuple[Spell, Spell]:
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
        """Return whether the change exceeds both a share and three standard errors."""
        return abs(math.log(self.ratio)) > max(math.log1p(most), 3 * self.error)


def trend_of_rates(
    spells: Sequence[Spell], beside: Sequence[Sequence[Spell]] = (), between: float = 0.0
) -> Change:
    """Return the change of operations per second over two or more spells in order.

    ``beside`` holds the spells of other systems, each at about the time of the one at its place.
    The change is then that of the ratio to them, because the machine affects all systems alike. A
    spell without operations counts as one operation.

    The change is that of the least-squares line through the logarithms. The error is the largest of
    three: the line's, that of the first and the last spell, and what spells that should be alike
    make of a line, as few spells may lie on one by chance. ``between`` is their relative standard
    deviation.
    """
    logs = np.array([_log_rate(spell) for spell in spells])
    if beside:
        logs -= np.mean([[_log_rate(spell) for spell in others] for others in beside], axis=0)
    places = np.arange(logs.size)
    line = stats.linregress(places, logs)
    error = math.hypot(
        *(_error_of_rate(system[place]) for system in (spells, *beside) for place in (0, -1))
    )
    alike = between * math.sqrt(1 + 1 / len(beside) if beside else 1)
    error = max(error, alike * places[-1] / float(np.linalg.norm(places - places.mean())))
    if logs.size > 2:
        error = max(error, float(line.stderr * places[-1]))
    return Change(math.exp(line.slope * places[-1]), error)


def _log_rate(spell: Spell) -> float:
    return math.log(max(spell.at_s.size, 1) / spell.seconds)


def _error_of_rate(spell: Spell) -> float:
    """Return the relative standard error of a rate.

    It comes from the counts in `BATCHES` parts, which include effects of the machine, and is at
    least the Poisson error of the count.
    """
    count = max(spell.at_s.size, 1)
    counted, _ = np.histogram(spell.at_s, BATCHES, (0.0, spell.seconds))
    return max(BATCHES * float(stats.sem(counted)), math.sqrt(count)) / count


def change_of_mean(earlier: Floats, later: Floats) -> Change:
    """Return the change of the mean of response times; both sides have some.

    The error is that of `BATCHES` batch means, because neighbouring times are correlated. It is
    infinite for fewer operations.
    """
    sides = (earlier, later)
    ratio = float(sides[1].mean() / sides[0].mean())
    if min(side.size for side in sides) < BATCHES:
        return Change(ratio, math.inf)
    batches = [[batch.mean() for batch in np.array_split(side, BATCHES)] for side in sides]
    return Change(ratio, math.hypot(*(stats.sem(means) / np.mean(means) for means in batches)))

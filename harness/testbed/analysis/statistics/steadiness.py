"""Whether a run changes over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    """The ratio of a later figure to an earlier one, and the standard error of its logarithm.

    `elsewhere` says that the ratio is one to other systems, of which one changed far more.
    """

    ratio: float
    error: float
    elsewhere: bool = False

    def exceeds(self, most: float) -> bool:
        """Return whether the change is here, and exceeds a share and three standard errors."""
        return not self.elsewhere and abs(math.log(self.ratio)) > max(
            math.log1p(most), 3 * self.error
        )


def trend_of_rates(
    spells: Sequence[Spell], beside: Sequence[Sequence[Spell]] = (), between: float = 0.0
) -> Change:
    """Return the change of operations per second over two or more spells in order.

    ``beside`` holds the spells of other systems, each at about the time of the one at its place.
    The change is then that of the ratio to them, because the machine affects all systems alike.
    A ratio does not tell which side changed: the machine's own change is taken to be the median of
    all systems' and of none, and what changed less than half as much beyond it as another system
    is not meant. A spell without operations counts as one operation.

    The change is that of the least-squares line through the logarithms. The error is the largest of
    three: the line's, that of the first and the last spell, and what spells that should be alike
    make of a line, as few spells may lie on one by chance. ``between`` is their relative standard
    deviation.
    """
    systems = np.array([[_log_rate(spell) for spell in system] for system in (spells, *beside)])
    ends = math.hypot(
        *(_error_of_rate(system[place]) for system in (spells, *beside) for place in (0, -1))
    )
    logs = systems[0] - systems[1:].mean(axis=0) if beside else systems[0]
    change = _trend(logs, ends, between * math.sqrt(1 + 1 / len(beside) if beside else 1))
    changes = [_line(system)[0] for system in systems]
    beyond = np.abs(changes - np.median([*changes, 0.0]))
    return replace(change, elsewhere=bool(2 * beyond[0] < beyond.max()))


def trend_of_times(spells: Sequence[Spell], between: float = 0.0) -> Change:
    """Return the change of the mean response time over two or more spells in order.

    Each has an operation. Line and error are as of `trend_of_rates`, beside no other system.
    ``between`` is the standard deviation of the logarithms of means that should be alike.
    """
    times = [spell.response_ms for spell in spells]
    ends = change_of_mean(times[0], times[-1]).error
    return _trend(np.log([of_spell.mean() for of_spell in times]), ends, between)


def _trend(logs: Floats, ends: float, between: float) -> Change:
    """Return the change of a line through logarithms, whose first and last have the error `ends`.

    `between` is the standard deviation of logarithms that should be alike.
    """
    change, of_line = _line(logs)
    places = np.arange(logs.size)
    by_chance = between * places[-1] / float(np.linalg.norm(places - places.mean()))
    return Change(math.exp(change), max(ends, by_chance, of_line))


def _line(logs: Floats) -> tuple[float, float]:
    """Return by how much a line changes over all of its points, and the error; two have none."""
    line, steps = stats.linregress(np.arange(logs.size), logs), logs.size - 1
    return float(line.slope * steps), float(line.stderr * steps) if logs.size > 2 else 0.0


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

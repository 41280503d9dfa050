"""How systems scale over the levels of a closed loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from testbed.analysis.quantities import QUANTILES, figure_of, successful_ms
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.bootstrap import ratio_intervals
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.scaling import (
    Band,
    Scalability,
    efficiency,
    efficiency_band,
    fit_scalability,
)

FEWEST_LEVELS = 4
"""Levels that the Universal Scalability Law needs."""


@dataclass(frozen=True)
class Efficiency:
    """The efficiency of a system over the levels of a closed loop, by one figure.

    Parameters
    ----------
    levels
        Ascending.
    percents
        E_i relative to the lowest level, with an interval from two runs on.
    """

    levels: tuple[float, ...]
    percents: tuple[Interval, ...]

    @property
    def bands(self) -> tuple[Band, ...]:
        """The band of each level."""
        return tuple(efficiency_band(percent.estimate) for percent in self.percents)

    def until(self, percent: float) -> float | None:
        """Return the highest level from the start on at which E_i is at least so many percent."""
        reached = None
        for level, found in zip(self.levels, self.percents, strict=True):
            if found.estimate < percent:
                break
            reached = level
        return reached


def efficiencies(levels: Mapping[float, Sequence[Measurement]], figure: str) -> Efficiency | None:
    """Return E_i of one system in a closed loop; None with fewer than two levels.

    Parameters
    ----------
    levels
        Its runs by level.
    figure
        Of `QUANTILES`: the response time that is taken.

    Notes
    -----
    The interval is that of the ratio R_1 ÷ R_i over runs; with one run at either level there is
    none, and it is as wide as the estimate.
    """
    known = {
        level: times
        for level, runs in sorted(levels.items())
        if (times := [one for run in runs if (one := successful_ms(run)).size])
    }
    if len(known) < 2:
        return None
    base = min(known)
    pooled = [figure_of(np.concatenate(times), figure) for times in known.values()]
    if min(pooled) <= 0:
        return None
    estimates = efficiency(list(known), pooled)
    percents = []
    for (level, times), estimate in zip(known.items(), estimates, strict=True):
        interval = Interval(float(estimate), float(estimate), float(estimate))
        if level != base and min(len(times), len(known[base])) > 1:
            (ratio,) = ratio_intervals(known[base], times, [QUANTILES[figure]])
            unit = 100 * level / base
            interval = Interval(float(estimate), unit * ratio.low, unit * ratio.high)
        percents.append(interval)
    return Efficiency(tuple(known), tuple(percents))


def scalability(levels: Mapping[float, Sequence[Measurement]]) -> Scalability | None:
    """Fit the Universal Scalability Law to one system's goodput; None where that cannot be."""
    points = [
        (level, rate)
        for level, runs in sorted(levels.items())
        for one in runs
        if (rate := one.pace.ok_per_s)
    ]
    if len({level for level, _ in points}) < FEWEST_LEVELS:
        return None
    try:
        return fit_scalability([level for level, _ in points], [rate for _, rate in points])
    except ValueError:
        return None

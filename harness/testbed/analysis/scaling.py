"""How systems scale over the levels of a closed loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scipy import stats

from testbed.analysis.quantities import run_figure
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import unpaired_ratios
from testbed.analysis.statistics.scaling import (
    Scalability,
    efficiency,
    fit_scalability,
)

FEWEST_LEVELS = 4
"""Levels that the Universal Scalability Law needs."""


def efficiencies(
    levels: Mapping[float, Sequence[Measurement]], figure: str
) -> dict[float, Interval]:
    """Return E_i of one system in a closed loop by level, in percent; the lowest is the base.

    ``figure`` is one of `QUANTILES`. Empty with fewer than two levels. The intervals are Welch's,
    of the ratio R_1 ÷ R_i over runs. With one run at either level the interval is the estimate
    itself.
    """
    known = {
        level: times
        for level, runs in sorted(levels.items())
        if (times := [one for run in runs if (one := run_figure(run, figure))])
    }
    if len(known) < 2:
        return {}
    base = min(known)
    estimates = efficiency(list(known), [stats.gmean(times) for times in known.values()])
    percents = {}
    for (level, times), estimate in zip(known.items(), estimates, strict=True):
        interval = Interval(float(estimate), float(estimate), float(estimate))
        if level != base and min(len(times), len(known[base])) > 1:
            (told,) = unpaired_ratios([known[base]], [times])
            interval = told.interval.times(100 * level / base)
        percents[level] = interval
    return percents


def scalability(levels: Mapping[float, Sequence[Measurement]]) -> Scalability | None:
    """Fit the Universal Scalability Law to one system's goodput; None if that is not possible."""
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

"""Evidence from the response times and failures of a claim's cells, for each kind of claim."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from testbed.analysis.arrays import Floats
from testbed.analysis.claims.claim import (
    Cells,
    Claim,
    Evidence,
    NoFigureError,
    Outcome,
    Source,
)
from testbed.analysis.claims.levels import (
    at_every_level,
    count_words,
    fewest,
    highest,
    levels_of,
    missing_words,
)
from testbed.analysis.quantities import share_over_runs
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval, factor_interval
from testbed.analysis.statistics.ratios import ratio_of_pairs
from testbed.analysis.tables import percent

LEVELS_FOR_INTERVAL = 4
"""Levels that Fisher's interval of a correlation needs."""

NEARLY_ALL = 0.99
"""Share of successes below which a note says that response times are of these alone."""


def _mean(claim: Claim, source: Source) -> Evidence:
    cell = claim.fields["cell"]
    means = [float(run.mean()) for run in _times(source, cell).values()]
    estimate = float(stats.gmean(means))
    interval = factor_interval(means) if len(means) > 1 and min(means) > 0 else None
    note = _survivors(source, cell, levels_of(cell))
    return Evidence(estimate, interval, len(means), "ms", note)


def _failed(claim: Claim, source: Source) -> Evidence:
    cell = claim.fields["cell"]
    failed, levels = _cells(source, cell).failed, levels_of(cell)
    shares = {level: share_over_runs(failed[level]) for level in levels if level in failed}
    if not shares:
        raise _unusable(cell)
    runs = {level: len(failed[level]) for level in shares}

    def note(most: float, counts: str) -> str:
        return f"most at {most:g} threads, {counts}" if levels[1:] else ""

    return highest(claim, shares, runs, levels, "%", note)


def _ratio(claim: Claim, source: Source) -> Evidence:
    cells = claim.fields["over"], claim.fields["under"]
    figure = claim.fields["figure"]
    if figure == "failed":
        return _failed_ratio(*(_counts(source, cell) for cell in cells))
    over, under = (_times(source, cell) for cell in cells)
    sides = [(_where(cell), _survivors(source, cell, levels_of(cell))) for cell in cells]
    note = "; ".join(f"{where}: {survivors}" for where, survivors in sides if survivors)
    if figure == "sd":
        spreads = [
            {pair: float(run.std(ddof=1)) for pair, run in side.items() if run.size > 2}
            for side in (over, under)
        ]
        if not all(spreads):
            raise NoFigureError("needs the times of single samples")
        return _ratio_of(spreads[0], spreads[1], note)
    means = [{pair: float(run.mean()) for pair, run in side.items()} for side in (over, under)]
    return _ratio_of(means[0], means[1], note)


def _correlation(claim: Claim, source: Source) -> Evidence:
    cell = claim.fields["cell"]
    times, levels = _cells(source, cell).times, levels_of(cell)
    runs = {level: [run for run in times.get(level, ()) if run.size] for level in levels}
    means = {
        level: float(np.concatenate(of_level).mean())
        for level, of_level in runs.items()
        if of_level
    }
    missing = [level for level in levels if level not in means]
    if not means:
        raise _unusable(cell)
    measured = list(means)
    if len(measured) < LEVELS_FOR_INTERVAL:
        raise NoFigureError(count_words(measured, levels, missing))
    survivors = _survivors(source, cell, measured)
    correlation = stats.pearsonr(measured, list(means.values()))
    low, high = correlation.confidence_interval(CONFIDENCE)
    return Evidence.of(
        Interval(float(correlation.statistic), float(low), float(high)),
        min(map(len, runs.values())),
        "r",
        "; ".join(filter(None, [count_words(measured, levels, missing), survivors])),
        # Points on a part of a line correlate less than those on all of it. While levels are
        # missing, even a low r is no breach.
        "not decidable here" if missing else None,
        missing,
    )


def _shares(claim: Claim, source: Source) -> Evidence:
    """Return the largest difference of a share of failures from that of the claim."""
    cell = claim.fields["cell"]
    failed = _cells(source, cell).failed
    claimed = {float(level): share / 100 for level, share in claim.fields["claimed"].items()}
    shares = {
        level: share_over_runs(failed[level]) for level in sorted(claimed.keys() & failed.keys())
    }
    if not shares:
        raise _unusable(cell)
    apart = {
        level: Interval(
            abs(share.estimate - claimed[level]),
            max(share.low - claimed[level], claimed[level] - share.high, 0),
            max(share.high - claimed[level], claimed[level] - share.low),
        ).times(100)
        for level, share in shares.items()
    }

    def note(most: float, counts: str) -> str:
        return (
            f"most at {most:g} threads, {100 * shares[most].estimate:.1f} % for "
            f"{100 * claimed[most]:g} %; {counts}"
        )

    runs = {level: len(failed[level]) for level in shares}
    return highest(claim, apart, runs, claimed, "points", note)


def _efficiency(claim: Claim, source: Source) -> Evidence:
    cell, figure = claim.fields["cell"], claim.fields["figure"]
    cells = _cells(source, cell)
    times = {
        level: _by_pair(cells, level)
        for level, runs in sorted(cells.times.items())
        if runs and all(run.size for run in runs)
    }
    if not times:
        raise _unusable(cell)
    missing = sorted(set(cells.tried) - times.keys())
    base, *others = times
    border = float(claim.fields["border"])
    if base > border or not others:
        raise NoFigureError(f"needs a level up to {border:g} threads, and one above")
    quantile = {"mean": None, "p95": 0.95}[figure]
    percents = {
        level: _efficiency_interval(level / base, times[base], times[level], quantile)
        for level in others
    }
    # A ratio has as many runs as the side that has fewer.
    runs = {level: min(len(times[base]), len(times[level])) for level in others}
    low = next((level for level, interval in percents.items() if interval.estimate < 100), None)
    kept = max(level for level in times if low is None or level < low)

    survivors = _survivors(source, cell, list(times))

    def over(levels: Sequence[float]) -> Evidence:
        outcomes = {level: _on_its_side(percents[level], level <= border) for level in levels}
        notes = []
        if others[0] > border:
            notes.append(f"no level between {base:g} and {border:g} threads")
        if others[-1] <= border:
            notes.append(f"no level above {border:g} threads")
        outcome: Outcome = "not decidable here" if notes else "replicated"
        shown = levels[-1]
        for worse in ("not decidable here", "not replicated"):
            at = [level for level in levels if outcomes[level] == worse]
            outcome, shown = (worse, at[0]) if at else (outcome, shown)
        notes = [
            f"at {shown:g} threads relative to {base:g}",
            f"at least 100 % up to {kept:g}",
            *notes,
            missing_words(missing) if missing else "",
            survivors,
        ]
        return Evidence.of(
            percents[shown],
            fewest(runs, levels),
            "% E_i",
            "; ".join(filter(None, notes)),
            outcome,
            missing,
        )

    return at_every_level(claim, runs, over)


def _efficiency_interval(
    times: float,
    base: Mapping[int, Floats],
    level: Mapping[int, Floats],
    quantile: float | None,
) -> Interval:
    """Return E_i in percent, at ``times`` times the threads of the base."""
    below, above = (
        {
            pair: float(run.mean() if quantile is None else np.quantile(run, quantile))
            for pair, run in runs.items()
        }
        for runs in (base, level)
    )
    ratio = _ratio_of(below, above).interval or Interval(math.inf, math.inf, math.inf)
    return ratio.times(100 * times)


def _on_its_side(percents: Interval, efficient: bool) -> Outcome:
    """Return whether E_i is at least 100 % if ``efficient``, and less otherwise."""
    if percents.low >= 100:
        return "replicated" if efficient else "not replicated"
    if percents.high < 100:
        return "not replicated" if efficient else "replicated"
    return "not decidable here"


def _unmeasured(claim: Claim, source: Source) -> Evidence:
    raise NoFigureError(claim.fields["why"])


def _published(claim: Claim, source: Source) -> Evidence:
    """Return a figure from other published ones: a quotient of products, or what follows of it."""
    over, under = (math.prod(claim.fields[side]) for side in ("over", "under"))
    figure = claim.fields["figure"]
    value = {
        "ratio": over / under,
        "share": over / under,
        "increase": over / under - 1,
        "saving": 1 - under / over,
    }[figure]
    return Evidence(value, unit="×" if figure == "ratio" else "%")


CELL_KINDS: Mapping[str, Callable[[Claim, Source], Evidence]] = {
    "mean": _mean,
    "failed": _failed,
    "ratio": _ratio,
    "correlation": _correlation,
    "shares": _shares,
    "efficiency": _efficiency,
    "published": _published,
    "none": _unmeasured,
}


def _cells(source: Source, cell: Mapping[str, Any]) -> Cells:
    """Return the runs of a claim's cell; raise `NoFigureError` if there are none."""
    if (cells := source.cells(cell["variant"], cell["workload"])) is None:
        raise _unusable(cell)
    return cells


def _times(source: Source, cell: Mapping[str, Any]) -> Mapping[int, Floats]:
    """Return the response times of each run, by pair of starts."""
    runs = _by_pair(_cells(source, cell), float(cell["level"]))
    if not runs or not all(run.size for run in runs.values()):
        raise _unusable(cell)
    return runs


def _by_pair(cells: Cells, level: float) -> Mapping[int, Floats]:
    runs = cells.times.get(level, ())
    return dict(zip(cells.pairs.get(level) or range(len(runs)), runs, strict=True))


def _counts(source: Source, cell: Mapping[str, Any]) -> Sequence[tuple[int, int]]:
    runs = _cells(source, cell).failed.get(float(cell["level"]))
    if runs is None:
        raise _unusable(cell)
    return runs


def _unusable(cell: Mapping[str, Any]) -> NoFigureError:
    return NoFigureError(f"{_where(cell)} has no usable run")


def _failed_ratio(above: Sequence[tuple[int, int]], below: Sequence[tuple[int, int]]) -> Evidence:
    over, under = share_over_runs(above), share_over_runs(below)
    runs = min(len(above), len(below))
    if over.estimate == under.estimate == 0:
        return Evidence(None, runs=runs, note="neither failed")
    # From opposite ends of the shares' intervals: never narrower than the ratio's own interval.
    low = over.low / under.high if under.high else math.inf
    high = over.high / under.low if under.low else math.inf
    estimate = over.estimate / under.estimate if under.estimate else math.inf
    note = f"{100 * over.estimate:.2f} % and {100 * under.estimate:.2f} %"
    return Evidence.of(Interval(estimate, low, high), runs, "×", note)


def _ratio_of(above: Mapping[int, float], below: Mapping[int, float], note: str = "") -> Evidence:
    """Return the ratio of geometric means of runs by pair, see `ratio_of_pairs`."""
    if min(*above.values(), *below.values()) <= 0:
        return Evidence(None, note="needs times above 0")
    ratio, runs = ratio_of_pairs(above, below)
    return Evidence.of(ratio, runs, "×", note)


def _survivors(source: Source, cell: Mapping[str, Any], levels: Sequence[float]) -> str:
    """Return in words the share of operations that response times cover; empty if nearly all.

    Of several levels it is the lowest share. Per sample it is empty: times of failures count too.
    """
    failed = _cells(source, cell).failed if source.count == "operation" else {}
    good = {
        level: 1 - sum(bad for bad, _ in runs) / sum(whole for _, whole in runs)
        for level in levels
        if (runs := failed.get(level))
    }
    if not good:
        return ""
    least = min(good, key=lambda level: good[level])
    at = f" at {least:g} threads, the fewest" if levels[1:] else ""
    return f"of the {percent(good[least])} that succeeded{at}" if good[least] < NEARLY_ALL else ""


def _where(cell: Mapping[str, Any]) -> str:
    at = f" at {cell['level']} threads" if "level" in cell else ""
    return f"{cell['variant']} {cell['workload']}{at}"

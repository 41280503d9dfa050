"""How a claim of each kind becomes a figure with an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from scipy import stats

from testbed.analysis.arrays import Floats
from testbed.analysis.claims.claim import (
    Cells,
    Claim,
    Count,
    Found,
    NoFigureError,
    Outcome,
    Source,
    leaning,
)
from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.quantities import share_over_runs
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval, factor_interval
from testbed.analysis.statistics.ratios import ratio_of_runs
from testbed.analysis.tables import percent

LEVELS_FOR_INTERVAL = 4
"""Levels that Fisher's interval of a correlation needs."""

Level = TypeVar("Level", float, str)
"""A level, or the name of a cell."""

NEARLY_ALL = 0.99
"""Share of successes below which a note says that response times are of these alone."""


def examine(claim: Claim, source: Source, count: Count) -> Found:
    """Test one claim against a source of figures."""
    try:
        return KINDS[claim.kind](claim, source, count)
    except NoFigureError as why:
        return Found(None, note=str(why))


def _mean(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    means = [float(run.mean()) for run in _times(source, cell, count)]
    estimate = float(stats.gmean(means))
    interval = factor_interval(means) if len(means) > 1 and min(means) > 0 else None
    note = _survivors(source, cell, levels_of(cell), count)
    return Found(estimate, interval, len(means), "ms", note)


def _failed(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    failed, levels = _cells(source, cell, count).failed, levels_of(cell)
    runs = {level: failed[level] for level in levels if level in failed}
    if not runs:
        raise _unusable(cell)
    shares = {level: share_over_runs(known) for level, known in runs.items()}
    missing = [level for level in levels if level not in runs]

    def worst(of: Sequence[float]) -> Found:
        most = max(of, key=lambda level: shares[level].estimate)
        # The interval of another level may reach further.
        low = max(shares[level].low for level in of)
        high = max(shares[level].high for level in of)
        note = f"most at {most:g} threads, {_known(of, levels, missing)}" if levels[1:] else ""
        share = Interval(shares[most].estimate, low, high)
        return Found(share.estimate, share, _fewest(runs, of), "%", note, missing=missing)

    return at_every_level(claim, runs, worst)


def _ratio(claim: Claim, source: Source, count: Count) -> Found:
    cells = claim.fields["over"], claim.fields["under"]
    figure = claim.fields["figure"]
    if figure == "failed":
        return _failed_ratio(*(_counts(source, cell, count) for cell in cells))
    over, under = (_times(source, cell, count) for cell in cells)
    fewest = min(len(over), len(under))
    sides = [(_where(cell), _survivors(source, cell, levels_of(cell), count)) for cell in cells]
    note = "; ".join(f"{where}: {survivors}" for where, survivors in sides if survivors)
    if figure == "sd":
        spreads = [
            [float(run.std(ddof=1)) for run in side if run.size > 2] for side in (over, under)
        ]
        if not all(spreads):
            raise NoFigureError("needs the times of single samples")
        return _ratio_of(spreads[0], spreads[1], fewest, note)
    means = [[float(run.mean()) for run in side] for side in (over, under)]
    return _ratio_of(means[0], means[1], fewest, note)


def _correlation(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    times, levels = _cells(source, cell, count).times, levels_of(cell)
    runs = {level: [run for run in times.get(level, ()) if run.size] for level in levels}
    known = {level: float(np.concatenate(some).mean()) for level, some in runs.items() if some}
    missing = [level for level in levels if level not in known]
    if not known:
        raise _unusable(cell)
    if len(known) < LEVELS_FOR_INTERVAL:
        raise NoFigureError(_known(list(known), levels, missing))
    survivors = _survivors(source, cell, list(known), count)
    found = stats.pearsonr(list(known), list(known.values()))
    r, (low, high) = float(found.statistic), found.confidence_interval(CONFIDENCE)
    return Found(
        r,
        Interval(r, float(low), float(high)),
        _fewest(runs, list(known)),
        "r",
        "; ".join(filter(None, [_known(list(known), levels, missing), survivors])),
        # Points on a part of a line correlate less than those on all of it. While levels are
        # missing, even a low r is no breach.
        "not decidable here" if missing else None,
        missing,
    )


def _shares(claim: Claim, source: Source, count: Count) -> Found:
    cell = claim.fields["cell"]
    failed = _cells(source, cell, count).failed
    claimed = {float(level): share / 100 for level, share in claim.fields["claimed"].items()}
    shared = sorted(claimed.keys() & failed.keys())
    if not shared:
        raise _unusable(cell)
    runs = {level: failed[level] for level in shared}
    found = {level: share_over_runs(known) for level, known in runs.items()}
    apart = {level: abs(found[level].estimate - claimed[level]) for level in shared}
    missing = [level for level in claimed if level not in runs]

    def furthest(of: Sequence[float]) -> Found:
        worst = max(of, key=lambda level: apart[level])
        low = max(
            max(found[level].low - claimed[level], claimed[level] - found[level].high, 0)
            for level in of
        )
        high = max(
            max(found[level].high - claimed[level], claimed[level] - found[level].low)
            for level in of
        )
        return Found(
            100 * apart[worst],
            Interval(100 * apart[worst], 100 * low, 100 * high),
            _fewest(runs, of),
            "points",
            f"most at {worst:g} threads, {100 * found[worst].estimate:.1f} % for "
            f"{100 * claimed[worst]:g} %; {_known(of, claimed, missing)}",
            missing=missing,
        )

    return at_every_level(claim, runs, furthest)


def _efficiency(claim: Claim, source: Source, count: Count) -> Found:
    cell, figure = claim.fields["cell"], claim.fields["figure"]
    cells = _cells(source, cell, count)
    known = {
        level: runs
        for level, runs in sorted(cells.times.items())
        if runs and all(run.size for run in runs)
    }
    if not known:
        raise _unusable(cell)
    missing = sorted(set(cells.tried) - known.keys())
    base, *others = known
    border = float(claim.fields["border"])
    if base > border or not others:
        raise NoFigureError(f"needs a level up to {border:g} threads, and one above")
    quantile = {"mean": None, "p95": 0.95}[figure]
    percents = {
        level: _efficiency_interval(level / base, known[base], known[level], quantile)
        for level in others
    }
    # A ratio has as many runs as the side that has fewer.
    runs = {level: min(known[base], known[level], key=len) for level in others}
    low = next((level for level, one in percents.items() if one.estimate < 100), None)
    kept = max(level for level in known if low is None or level < low)

    survivors = _survivors(source, cell, list(known), count)

    def over(levels: Sequence[float]) -> Found:
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
        if missing:
            notes.append(_nothing(missing))
        if survivors:
            notes.append(survivors)
        return Found(
            percents[shown].estimate,
            percents[shown],
            _fewest(runs, levels),
            "% E_i",
            "; ".join(
                [
                    f"at {shown:g} threads relative to {base:g}",
                    f"at least 100 % up to {kept:g}",
                    *notes,
                ]
            ),
            outcome,
            missing,
        )

    return at_every_level(claim, runs, over)


def _efficiency_interval(
    times: float, base: Sequence[Floats], level: Sequence[Floats], quantile: float | None
) -> Interval:
    """Return E_i in percent, at ``times`` times the threads of the base."""
    one, other = (
        [float(run.mean() if quantile is None else np.quantile(run, quantile)) for run in runs]
        for runs in (base, level)
    )
    found = _ratio_of(one, other).interval or Interval(math.inf, math.inf, math.inf)
    return found.times(100 * times)


def _on_its_side(found: Interval, efficient: bool) -> Outcome:
    """Return whether E_i is at least 100 % if ``efficient``, and less otherwise."""
    if found.low >= 100:
        return "replicated" if efficient else "not replicated"
    if found.high < 100:
        return "not replicated" if efficient else "replicated"
    return "not decidable here"


def _unmeasured(claim: Claim, source: Source, count: Count) -> Found:
    raise NoFigureError(claim.fields["why"])


def _published(claim: Claim, source: Source, count: Count) -> Found:
    """Return a figure from other published ones: a quotient of products, or what follows of it."""
    over, under = (math.prod(claim.fields[side]) for side in ("over", "under"))
    figure = claim.fields["figure"]
    value = {
        "ratio": over / under,
        "share": over / under,
        "increase": over / under - 1,
        "saving": 1 - under / over,
    }[figure]
    return Found(value, unit="×" if figure == "ratio" else "%")


KINDS: Mapping[str, Callable[[Claim, Source, Count], Found]] = {
    "mean": _mean,
    "failed": _failed,
    "ratio": _ratio,
    "correlation": _correlation,
    "shares": _shares,
    "efficiency": _efficiency,
    "published": _published,
    "none": _unmeasured,
}


def at_every_level(
    claim: Claim,
    runs: Mapping[Level, Sequence[object]],
    found: Callable[[Sequence[Level]], Found],
) -> Found:
    """Return the finding over all levels, or over those with enough runs if they breach the claim.

    A claim about every level is wrong if it is wrong at one.
    """
    enough = [level for level, known in runs.items() if len(known) >= DECIDING_RUNS]
    if 0 < len(enough) < len(runs):
        breach = found(enough)
        if leaning(claim, breach) == "not replicated":
            return breach
    return found(list(runs))


def _fewest(runs: Mapping[float, Sequence[object]], levels: Sequence[float]) -> int:
    return min(len(runs[level]) for level in levels)


def levels_of(cell: Mapping[str, Any]) -> list[float]:
    return [float(level) for level in (cell["levels"] if "levels" in cell else [cell["level"]])]


def _known(levels: Sequence[float], wanted: Collection[float], missing: Sequence[float]) -> str:
    """Return in words how many levels have data, and which have none."""
    words = f"{len(levels)} of {len(wanted)} levels"
    return f"{words}; {_nothing(missing)}" if missing else words


def _nothing(levels: Sequence[float]) -> str:
    return f"nothing usable at {', '.join(f'{level:g}' for level in levels)} threads"


def _cells(source: Source, cell: Mapping[str, Any], count: Count) -> Cells:
    """Return the runs of a claim's cell; raise `NoFigureError` if there are none."""
    if (found := source.cells(cell["variant"], cell["workload"], count)) is None:
        raise _unusable(cell)
    return found


def _times(source: Source, cell: Mapping[str, Any], count: Count) -> Sequence[Floats]:
    runs = _cells(source, cell, count).times.get(float(cell["level"]))
    if not runs or not all(run.size for run in runs):
        raise _unusable(cell)
    return runs


def _counts(source: Source, cell: Mapping[str, Any], count: Count) -> Sequence[tuple[int, int]]:
    runs = _cells(source, cell, count).failed.get(float(cell["level"]))
    if runs is None:
        raise _unusable(cell)
    return runs


def _unusable(cell: Mapping[str, Any]) -> NoFigureError:
    return NoFigureError(f"{_where(cell)} has no usable run")


def _failed_ratio(above: Sequence[tuple[int, int]], below: Sequence[tuple[int, int]]) -> Found:
    over, under = share_over_runs(above), share_over_runs(below)
    fewest = min(len(above), len(below))
    if over.estimate == under.estimate == 0:
        return Found(None, runs=fewest, note="neither failed")
    # From opposite ends of the shares' intervals: never narrower than the ratio's own interval.
    low = over.low / under.high if under.high else math.inf
    high = over.high / under.low if under.low else math.inf
    estimate = over.estimate / under.estimate if under.estimate else math.inf
    note = f"{100 * over.estimate:.2f} % and {100 * under.estimate:.2f} %"
    return Found(estimate, Interval(estimate, low, high), fewest, "×", note)


def _ratio_of(
    above: Sequence[float], below: Sequence[float], runs: int = 0, note: str = ""
) -> Found:
    """Return the ratio of geometric means of runs, with Welch's interval from two runs on."""
    if min(*above, *below) <= 0:
        return Found(None, note="needs times above 0")
    found = ratio_of_runs(above, below)
    return Found(found.estimate, found, runs, "×", note)


def _survivors(
    source: Source, cell: Mapping[str, Any], levels: Sequence[float], count: Count
) -> str:
    """Return in words the share of operations that response times cover; empty if nearly all.

    Of several levels it is the lowest share. Per sample it is empty: times of failures count too.
    """
    failed = _cells(source, cell, count).failed if count == "operation" else {}
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

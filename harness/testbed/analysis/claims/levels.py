"""Evidence on claims about several levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from testbed.analysis.claims.claim import Claim, Evidence, NoFigureError, leaning
from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.statistics.intervals import Interval

LISTED = 8
"""Most levels whose ratios are listed."""

Level = TypeVar("Level", float, str)
"""A level, or the name of a cell."""


def levels_of(cell: Mapping[str, Any]) -> list[float]:
    return [float(level) for level in (cell["levels"] if "levels" in cell else [cell["level"]])]


def at_every_level(
    claim: Claim, runs: Mapping[Level, int], examine: Callable[[Sequence[Level]], Evidence]
) -> Evidence:
    """Return the evidence over all levels, or over those with enough runs if they breach the claim.

    A claim about every level is wrong if it is wrong at one.
    """
    enough = [level for level, count in runs.items() if count >= DECIDING_RUNS]
    if 0 < len(enough) < len(runs):
        breach = examine(enough)
        if leaning(claim, breach) == "not replicated":
            return breach
    return examine(list(runs))


def highest(
    claim: Claim,
    figures: Mapping[float, Interval],
    runs: Mapping[float, int],
    levels: Collection[float],
    unit: str,
    note: Callable[[float, str], str],
) -> Evidence:
    """Return the evidence at the level with the highest figure; the interval covers all levels.

    ``levels`` are those of the claim. ``note`` gets the level, and how many levels have data.
    """
    missing = [level for level in levels if level not in runs]

    def over(measured: Sequence[float]) -> Evidence:
        most = max(measured, key=lambda level: figures[level].estimate)
        # The interval of another level may reach further.
        low = max(figures[level].low for level in measured)
        high = max(figures[level].high for level in measured)
        return Evidence.of(
            Interval(figures[most].estimate, low, high),
            fewest(runs, measured),
            unit,
            note(most, count_words(measured, levels, missing)),
            missing=missing,
        )

    return at_every_level(claim, runs, over)


def furthest(
    claim: Claim,
    ratios: Mapping[Level, tuple[Interval, int]],
    levels: Sequence[float],
    words: Callable[[Level], str],
) -> Evidence:
    """Return the evidence at the level that is furthest from what the claim allows.

    Its interval covers those of all levels, unless one of them lies outside. ``ratios`` have the
    number of their runs. ``levels`` are those of the claim.
    """
    if not ratios:
        raise NoFigureError("nothing usable")
    least, most = claim.accept or (0.0, math.inf)
    runs = {level: count for level, (_, count) in ratios.items()}
    missing = [level for level in levels if level not in ratios]

    def over(measured: Sequence[Level]) -> Evidence:
        intervals = {level: ratios[level][0] for level in measured}
        # One level that is outside refutes the claim, whatever the intervals of the others.
        outside = [level for level, ratio in intervals.items() if _is_outside(ratio, least, most)]
        worst = max(
            outside or measured,
            key=lambda level: max(
                least - intervals[level].estimate, intervals[level].estimate - most
            ),
        )
        listed = ", ".join(
            f"{intervals[level].estimate:.2f} at {words(level)}" for level in measured[:LISTED]
        )
        covered = [worst] if outside else measured
        whole = Interval(
            intervals[worst].estimate,
            min(intervals[level].low for level in covered),
            max(intervals[level].high for level in covered),
        )
        note = listed if len(measured) > 1 else ""
        return Evidence.of(whole, fewest(runs, covered), "×", note, missing=missing)

    return at_every_level(claim, runs, over)


def fewest(runs: Mapping[Level, int], levels: Sequence[Level]) -> int:
    return min(runs[level] for level in levels)


def count_words(
    measured: Sequence[float], levels: Collection[float], missing: Sequence[float]
) -> str:
    """Return in words how many levels have data, and which have none."""
    words = f"{len(measured)} of {len(levels)} levels"
    return f"{words}; {missing_words(missing)}" if missing else words


def missing_words(levels: Sequence[float]) -> str:
    return f"nothing usable at {', '.join(f'{level:g}' for level in levels)} threads"


def _is_outside(interval: Interval, least: float, most: float) -> bool:
    return interval.high < least or interval.low > most

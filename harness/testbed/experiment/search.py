"""Looks for the highest rate that meets an objective; what comes next depends on results alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from testbed.experiment.parts import Search


@dataclass(frozen=True)
class Bracket:
    """Where the capacity lies.

    Parameters
    ----------
    passed
        The highest rate, arrivals per second, below the lowest failed one at which the objective
        was met; None if it was met at none.
    failed
        The lowest rate at which it was missed; None if it was met at all that were tried.
    """

    passed: float | None
    failed: float | None


def bracket(tried: Mapping[float, bool]) -> Bracket:
    """Return what the rates that were tried say; `tried` holds whether each met the objective.

    A rate that met it above one that missed it does not count: the system could not be relied on
    to carry it.
    """
    failed = min((rate for rate, met in tried.items() if not met), default=None)
    passed = max(
        (rate for rate, met in tried.items() if met and (failed is None or rate < failed)),
        default=None,
    )
    return Bracket(passed, failed)


def next_rate(search: Search, tried: Mapping[float, bool]) -> float | None:
    """Return the next rate to try, or None when the search is over.

    First rates double until one misses the objective, then the bracket is halved until it is as
    narrow as the resolution. Rates are on a grid of the resolution above the first.

    Parameters
    ----------
    tried
        Whether the objective was met, by rate.
    """
    known = bracket(tried)
    if not tried:
        return search.first
    if known.failed is None:
        assert known.passed is not None
        if known.passed >= search.last:
            return None
        return min(_on_grid(search, known.passed * 2), search.last)
    if known.passed is None or known.failed - known.passed <= search.resolution * (1 + 1e-9):
        return None
    between = _on_grid(search, (known.passed + known.failed) / 2)
    # The highest rate may lie off the grid, and the grid's next point beyond the bracket.
    return between if known.passed < between < known.failed else None


def most_tries(search: Search) -> int:
    """Return the most rates that a search may have to try."""

    def deepest(tried: dict[float, bool]) -> int:
        rate = next_rate(search, tried)
        if rate is None:
            return len(tried)
        # Only the first miss ends the doubling; after it either half may be searched, alike long.
        if all(tried.values()):
            return max(deepest({**tried, rate: True}), deepest({**tried, rate: False}))
        return deepest({**tried, rate: True})

    return deepest({})


def _on_grid(search: Search, rate: float) -> float:
    steps = round((rate - search.first) / search.resolution)
    return round(search.first + steps * search.resolution, 6)

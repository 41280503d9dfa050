"""Searches for a highest rate or a least resource; each step depends on results alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from testbed.experiment.parts import Grid, Search


@dataclass(frozen=True)
class Bracket:
    """The values between which what is searched lies.

    `passed` is the one nearest to `failed` that was good enough, and `failed` the one nearest to
    `passed` that was not; None if there is none. A capacity has `passed` below `failed`, a least
    resource above it.
    """

    passed: float | None
    failed: float | None


def bracket(tried: Mapping[float, bool]) -> Bracket:
    """Return the bracket of the tried rates; `tried` holds whether each met the objective.

    A passed rate above a failed one does not count, because the system does not carry it reliably.
    """
    failed = min((rate for rate, met in tried.items() if not met), default=None)
    passed = max(
        (rate for rate, met in tried.items() if met and (failed is None or rate < failed)),
        default=None,
    )
    return Bracket(passed, failed)


def next_rate(search: Search, tried: Mapping[float, bool]) -> float | None:
    """Return the next rate to try; None if the search is over.

    Rates double until one misses the objective. Then the bracket is halved until it is as narrow as
    the resolution. Rates lie on a grid of the resolution above the first rate.
    """
    known = bracket(tried)
    if not tried:
        return search.first
    if known.failed is None:
        assert known.passed is not None
        if known.passed >= search.last:
            return None
        # Twice a rate below half the resolution is that rate again on the grid.
        following = max(_on_grid(search, 2 * known.passed), known.passed + search.resolution)
        return min(round(following, 6), search.last)
    if known.passed is None or known.failed - known.passed <= search.resolution * (1 + 1e-9):
        return None
    between = _on_grid(search, (known.passed + known.failed) / 2)
    # The highest rate may be off the grid, so the next grid point may be beyond the bracket.
    return between if known.passed < between < known.failed else None


def least_bracket(tried: Mapping[float, bool]) -> Bracket:
    """Return the bracket of a least resource; `tried` holds whether each amount was enough.

    `failed` is the highest amount that was not enough. An amount below it that was enough does not
    count.
    """
    failed = max((amount for amount, met in tried.items() if not met), default=None)
    passed = min(
        (amount for amount, met in tried.items() if met and (failed is None or amount > failed)),
        default=None,
    )
    return Bracket(passed, failed)


def contradicted(tried: Mapping[float, bool]) -> bool:
    """Return whether an amount was enough although a larger one was not."""
    known = least_bracket(tried)
    return known.failed is not None and any(
        met and amount < known.failed for amount, met in tried.items()
    )


def next_amount(grid: Grid, tried: Mapping[float, bool]) -> float | None:
    """Return the next amount of a resource to try; None if the search is over.

    The highest amount comes first, because a short resource makes runs slow. Then the bracket is
    halved until it is as narrow as the resolution.
    """
    known = least_bracket(tried)
    if known.passed is None:
        return None if grid.last in tried else grid.last
    below = grid.first - grid.resolution if known.failed is None else known.failed
    if known.passed - below <= grid.resolution * (1 + 1e-9):
        return None
    between = _on_grid(grid, (below + known.passed) / 2)
    return between if below < between < known.passed else None


def most_tries(following: Callable[[Mapping[float, bool]], float | None]) -> int:
    """Return the most values that a search may try; `following` returns the next one."""

    def deepest(tried: dict[float, bool]) -> int:
        value = following(tried)
        if value is None:
            return len(tried)
        return max(deepest({**tried, value: met}) for met in (True, False))

    return deepest({})


def _on_grid(grid: Grid, value: float) -> float:
    steps = round((value - grid.first) / grid.resolution)
    return round(grid.first + steps * grid.resolution, 6)

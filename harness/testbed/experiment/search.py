"""Searches for a highest rate or a least resource; each step depends on results alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from testbed.experiment.parts import Grid


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


def next_rate(grid: Grid, tried: Mapping[float, bool]) -> float | None:
    """Return the next rate to try; None if the search is over.

    The highest rate comes first: a system that has been overloaded has compiled what an open loop
    needs. A search that came from below would take the pauses of the compilers for the limit.
    """
    limits = bracket(tried)
    if limits.failed is None:
        return None if grid.last in tried else grid.last
    return _between(grid, limits.passed, limits.failed)


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
    limits = least_bracket(tried)
    return limits.failed is not None and any(
        met and amount < limits.failed for amount, met in tried.items()
    )


def next_amount(grid: Grid, tried: Mapping[float, bool]) -> float | None:
    """Return the next amount of a resource to try; None if the search is over.

    The highest amount comes first, because a short resource makes runs slow.
    """
    limits = least_bracket(tried)
    if limits.passed is None:
        return None if grid.last in tried else grid.last
    return _between(grid, limits.failed, limits.passed)


def _between(grid: Grid, low: float | None, high: float) -> float | None:
    """Return the middle of a bracket; None if it is as narrow as the resolution.

    Without a `low` the bracket begins one step below the first value.
    """
    below = grid.first - grid.resolution if low is None else low
    if high - below <= grid.resolution * (1 + 1e-9):
        return None
    middle = _on_grid(grid, (below + high) / 2)
    # The highest value may be off the grid, so the next grid point may be beyond the bracket.
    return middle if below < middle < high else None


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

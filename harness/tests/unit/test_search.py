from __future__ import annotations

from functools import partial

import pytest

from testbed.experiment.loads.search import Search
from testbed.experiment.parts import Grid
from testbed.experiment.search import (
    Bracket,
    bracket,
    contradicted,
    least_bracket,
    most_tries,
    next_amount,
    next_rate,
)

SEARCH = Search.model_validate({"from": 50, "to": 1000, "resolution": 25})


def carried_out(capacity: float, search: Search = SEARCH) -> dict[float, bool]:
    """Return what a system tried that meets the objective up to a rate, in order."""
    tried: dict[float, bool] = {}
    while (rate := next_rate(search, tried)) is not None:
        assert rate not in tried, "a rate is tried once"
        tried[rate] = rate <= capacity
    return tried


@pytest.mark.parametrize("capacity", [50, 60, 75, 124, 199, 200, 201, 555, 799, 960, 999])
def test_finds_the_capacity_to_its_resolution(capacity: float) -> None:
    reached = bracket(carried_out(capacity))

    assert reached.passed is not None
    assert reached.failed is not None
    assert reached.passed <= capacity < reached.failed
    assert reached.failed - reached.passed <= 25


def test_says_when_the_capacity_lies_outside() -> None:
    assert bracket(carried_out(10)) == Bracket(None, 50)
    assert bracket(carried_out(5000)) == Bracket(1000, None)


def test_the_highest_rate_comes_first_and_then_halves() -> None:
    assert list(carried_out(420)) == [1000, 500, 250, 375, 450, 400, 425]
    assert list(carried_out(5000)) == [1000]


def test_a_pass_above_a_miss_does_not_count() -> None:
    assert bracket({100: True, 200: False, 400: True}) == Bracket(100, 200)


def test_what_comes_next_depends_on_results_alone() -> None:
    tried = carried_out(420)
    for count in range(len(tried)):
        so_far = dict(list(tried.items())[:count])
        backwards = dict(reversed(so_far.items()))
        assert next_rate(SEARCH, so_far) == next_rate(SEARCH, backwards) == list(tried)[count]


def test_ends_where_the_highest_rate_is_off_the_grid() -> None:
    odd = Search.model_validate({"from": 50, "to": 130, "resolution": 20})
    for capacity in range(40, 140):
        assert len(carried_out(capacity, odd)) <= most_tries(partial(next_rate, odd))


def test_a_resolution_above_the_first_rate_ends_too() -> None:
    coarse = Search.model_validate({"from": 50, "to": 2000, "resolution": 100})
    assert list(carried_out(420, coarse)) == [2000, 950, 450, 250, 350]
    assert most_tries(partial(next_rate, coarse)) >= 5


def test_the_most_tries_are_a_bound_that_is_reached() -> None:
    counts = {len(carried_out(capacity)) for capacity in range(40, 1100)}

    assert max(counts) == most_tries(partial(next_rate, SEARCH))


GRID = Grid.model_validate({"from": 0.1, "to": 1.2, "resolution": 0.05})


def searched(
    least: float, grid: Grid = GRID, tried_before: dict[float, bool] | None = None
) -> list[float]:
    """Return the amounts that a search tries of which this one is the least that is enough."""
    tried = dict(tried_before or {})
    while (amount := next_amount(grid, tried)) is not None:
        assert amount not in tried, "an amount is tried once"
        assert grid.first <= amount <= grid.last
        tried[amount] = amount >= least
    reached = least_bracket(tried)
    if grid.first < least <= grid.last:
        assert reached.passed is not None
        assert reached.failed is not None
        assert reached.failed < least <= reached.passed
        assert reached.passed - reached.failed <= grid.resolution * (1 + 1e-9)
    return list(tried)


@pytest.mark.parametrize(
    "odd", [GRID, Grid.model_validate({"from": 1, "to": 9.5, "resolution": 2})]
)
def test_finds_the_least_amount_to_its_resolution(odd: Grid) -> None:
    counts = {len(searched(number / 40, odd)) for number in range(1, 420)}

    assert max(counts) == most_tries(partial(next_amount, odd))


def test_the_highest_amount_comes_first_and_then_halves() -> None:
    assert searched(0.45) == [1.2, 0.6, 0.3, 0.45, 0.4]
    assert searched(5) == [1.2]
    assert searched(0)[-1] == 0.1


def test_what_is_known_to_be_enough_is_where_a_search_begins() -> None:
    assert searched(0.45, tried_before={0.6: True})[:2] == [0.6, 0.3]


def test_enough_below_too_little_contradicts_the_search() -> None:
    assert least_bracket({1.2: True, 0.6: False, 0.3: True}) == Bracket(1.2, 0.6)
    assert contradicted({1.2: True, 0.6: False, 0.3: True})
    assert not contradicted({1.2: True, 0.6: False, 0.3: False})

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from testbed.experiment.declaration import Experiment
from testbed.experiment.loads import EXPERIMENT
from testbed.experiment.loads.blocks import Blocks
from testbed.experiment.runs import Cell, Run, Start
from testbed.experiment.schedule import (
    prepared,
    round_of,
    schedule,
    slots,
    unfinished,
    williams,
)
from testbed.model.errors import UserError

PLENTY_MB = 1e6


def planned(**keys: Any) -> Experiment:
    given: dict[str, Any] = {"name": "x", "threads": (1, 10, 100), "loops": 1, "seed": 1} | keys
    return EXPERIMENT.validate_python(given)


def in_blocks(**keys: Any) -> Experiment:
    return planned(loops=None, blocks={}, **keys)


def runs_of(plan: Experiment) -> list[Run]:
    return [run for start in schedule(plan) for cell in start.cells for run in start.runs(cell)]


def order(plan: Experiment) -> list[str]:
    return [run.id for run in runs_of(plan)]


@pytest.mark.parametrize("count", range(1, 9))
def test_williams_orders_balance_places_and_neighbours(count: int) -> None:
    rows = williams(count)
    places = Counter((place, element) for row in rows for place, element in enumerate(row))
    neighbours = Counter(pair for row in rows for pair in pairwise(row))

    assert all(sorted(row) == list(range(count)) for row in rows)
    assert len(places) == count**2
    assert len(set(places.values())) == 1
    assert len(neighbours) == count * (count - 1)
    assert len(set(neighbours.values())) <= 1


def test_the_seed_alone_decides_the_order() -> None:
    assert order(planned(seed=7)) == order(planned(seed=7))
    assert order(planned(seed=7)) != order(planned(seed=8))


def test_a_seed_is_drawn_anew_unless_it_is_given() -> None:
    drawn = {prepared(planned(seed=None), PLENTY_MB).seed for _ in range(3)}

    assert len(drawn) == 3
    assert prepared(planned(seed=5), PLENTY_MB).seed == 5


@pytest.mark.parametrize("plan", [planned(repetitions=6), in_blocks(repetitions=6)])
def test_every_run_is_measured_once(plan: Experiment) -> None:
    names = order(plan)

    assert len(names) == 2 * 2 * 3 * 6
    assert set(Counter(names).values()) == {1}


@pytest.mark.parametrize("plan", [planned(repetitions=6), in_blocks(repetitions=6)])
def test_every_system_has_the_same_order_of_cells_in_a_round(plan: Experiment) -> None:
    for number in range(1, 7):
        assert len({start.cells for start in round_of(plan, number)}) == 1


def test_over_the_rounds_each_cell_comes_at_each_place() -> None:
    plan = in_blocks(repetitions=6)
    places = Counter(
        (place, cell) for start in schedule(plan) for place, cell in enumerate(start.cells)
    )

    assert len(places) == 6 * 6
    assert set(places.values()) == {1}


def test_without_blocks_systems_are_started_one_after_another_in_turn() -> None:
    starts = schedule(planned(repetitions=4))
    firsts = [start.name for start in starts[::2]]

    assert [start.repetition for start in starts] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert sorted(firsts) == ["async", "async", "sync", "sync"]


def test_with_blocks_systems_are_up_together_and_take_turns() -> None:
    starts = schedule(in_blocks(repetitions=2))

    assert [start.name for start in starts] == ["sync and async"] * 2
    assert slots(in_blocks()) == {"sync": 0, "async": 1}
    begun: list[dict[Cell, str]] = []
    for start in starts:
        turns = {
            cell: [system.name for turn in start.turns(cell, 4) for system in turn]
            for cell in start.cells
        }
        for sequence in turns.values():
            assert sequence[:4] == sequence[3::-1]
            assert sequence[4:] == sequence[:3:-1]
            assert Counter(sequence) == {"sync": 4, "async": 4}
        begun.append({cell: sequence[0] for cell, sequence in turns.items()})
    assert Counter(begun[0].values()) == {"sync": 3, "async": 3}
    # Whoever begins a cell does not begin it in the next round, wherever its place is then.
    assert all(begun[0][cell] != begun[1][cell] for cell in begun[0])


THREE: dict[str, Any] = {
    "systems": {name: {"variant": "sync"} for name in "abc"},
    "groups": [["a", "b", "c"]],
    "repetitions": 2,
}


def test_what_does_not_fit_is_up_beside_its_reference_and_numbered_apart() -> None:
    plan = prepared(in_blocks(**THREE), 2 * 2600)
    starts = sorted(schedule(plan), key=lambda start: start.repetition)

    assert plan.together == "pairs"
    assert [(start.repetition, start.name) for start in starts] == [
        (1, "a and b"),
        (2, "a and c"),
        (3, "a and b"),
        (4, "a and c"),
    ]
    assert slots(plan) == {"a": 0, "b": 1, "c": 1}
    assert len(set(order(plan))) == len(order(plan))


def test_where_nothing_fits_together_starts_follow_one_another() -> None:
    plan = prepared(in_blocks(**THREE), 2600)

    assert plan.together == "none"
    assert [(start.repetition, len(start.systems)) for start in schedule(plan)] == [(1, 1)] * 3 + [
        (2, 1)
    ] * 3
    assert prepared(in_blocks(**THREE), 3 * 2600).together == "all"


def test_each_system_is_counted_with_its_own_instances() -> None:
    systems = {
        "small": {"variant": "sync"},
        "large": {"variant": "sync", "replicas": {"cinemas": 12}},
    }
    plan = in_blocks(systems=systems)

    assert prepared(plan, 2 * 2600 + 11 * 350).together == "all"
    assert prepared(plan, 2 * 2600 + 10 * 350).together == "none"


@pytest.mark.parametrize("together", ["all", "none"])
def test_one_system_is_up_alone_however_little_memory_there_is(together: str) -> None:
    plan = in_blocks(systems={"one": {"variant": "sync"}}, together=together)

    assert [start.name for start in schedule(prepared(plan, 100))] == ["one"]


def test_systems_whose_rates_are_shares_of_the_slower_one_are_never_started_alone() -> None:
    plan = in_blocks(rates=("50%",), **THREE)

    assert prepared(plan, 2 * 2600).together == "pairs"
    with pytest.raises(UserError, match="shares are of what systems that are up together serve"):
        prepared(plan, 2600)
    with pytest.raises(ValueError, match="together: 'none': a share is of what the slower"):
        in_blocks(rates=("50%",), together="none", **THREE)
    single = in_blocks(rates=("50%",), systems={"one": {"variant": "sync"}})
    assert prepared(single, 100).together == "none"


def test_presets_are_systems_of_their_own() -> None:
    plan = planned(threads=(1,), presets=("tuned", "thesis"))

    assert {start.name for start in schedule(plan)} == {
        "sync-tuned",
        "sync-thesis",
        "async-tuned",
        "async-thesis",
    }


def test_what_is_unfinished_keeps_the_order_and_drops_finished_starts() -> None:
    plan = planned(repetitions=2)
    starts, every = schedule(plan), order(plan)

    def left_after(runs: int) -> tuple[Start, ...]:
        return unfinished(plan, {run: {} for run in every[:runs]})

    assert left_after(0) == starts
    # The first start, and half of the second.
    assert left_after(9) == starts[1:]
    assert left_after(12) == starts[2:]


def test_a_cell_is_measured_again_on_all_systems_unless_all_were_finished() -> None:
    plan = in_blocks()
    (start,) = schedule(plan)
    done: dict[str, dict[str, Any]] = {run.id: {} for run in start.runs(start.cells[0])}
    done[start.runs(start.cells[1])[0].id] = {}

    assert start.left(done) == start.cells[1:]
    assert plan.next_cell(start, done) == start.cells[1]


def test_blocks_of_a_cell_are_even_in_number() -> None:
    with pytest.raises(ValueError, match="multiple of 2"):
        Blocks(each=3)

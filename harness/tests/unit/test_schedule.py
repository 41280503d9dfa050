from __future__ import annotations

from collections import Counter

from testbed.experiment import Experiment
from testbed.experiment_parts import SystemSpec
from testbed.schedule import Start, round_of, schedule, unfinished, unfinished_workloads


def planned(seed: int = 1, repetitions: int = 6) -> Experiment:
    return Experiment(name="x", threads=(1, 10, 100), loops=1, repetitions=repetitions, seed=seed)


def order(plan: Experiment) -> list[str]:
    return [run.id for start in schedule(plan) for run in start.runs]


def test_the_seed_alone_decides_the_order() -> None:
    assert order(planned(seed=7)) == order(planned(seed=7))
    assert order(planned(seed=7)) != order(planned(seed=8))


def test_the_order_is_the_same_on_every_machine() -> None:
    plan = Experiment(name="x", threads=(1, 2), loops=1, seed=3, workloads=("list",))

    assert order(plan) == [
        "sync-list-002-threads-1",
        "sync-list-001-threads-1",
        "async-list-002-threads-1",
        "async-list-001-threads-1",
    ]


def test_every_run_is_measured_once() -> None:
    names = order(planned())

    assert len(names) == 2 * 2 * 3 * 6
    assert set(Counter(names).values()) == {1}


def test_each_round_measures_every_variant_before_the_next_begins() -> None:
    starts = schedule(planned())

    assert [start.repetition for start in starts] == sorted(start.repetition for start in starts)
    for repetition in range(1, 7):
        variants = [start.variant for start in starts if start.repetition == repetition]
        assert sorted(variants) == ["async", "sync"]


def test_neither_variants_nor_levels_keep_one_order() -> None:
    starts = schedule(planned())
    firsts = {start.variant for start in starts[::2]}
    orders = {tuple((run.workload, run.level) for run in start.runs) for start in starts}

    assert firsts == {"sync", "async"}
    assert len(orders) > 6


def test_presets_are_systems_of_their_own() -> None:
    plan = Experiment(name="x", threads=(1,), loops=1, presets=("tuned", "thesis"))

    assert {(start.variant, start.preset) for start in schedule(plan)} == {
        ("sync", "tuned"),
        ("sync", "thesis"),
        ("async", "tuned"),
        ("async", "thesis"),
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
    assert left_after(len(every)) == ()


def test_a_search_is_unfinished_until_its_rates_are_told_apart() -> None:
    search = {"from": 10, "to": 20, "resolution": 10, "repetitions": 1}
    plan = Experiment.model_validate(
        {"name": "x", "variants": ["sync"], "duration": 1, "slo": {"p95_ms": 9}, "search": search}
    )
    (start,) = schedule(plan)

    def tried(workload: str, rate: float) -> dict[str, object]:
        what = {"system": "sync", "workload": workload, "repetition": 1, "level": rate}
        return {**what, "slo": {"met": rate < 20}}

    listed = {"1": tried("list", 10), "2": tried("list", 20)}
    assert unfinished_workloads(plan, start, {}) == start.workloads
    assert unfinished_workloads(plan, start, listed) == ("reserve",)
    assert unfinished(plan, listed) == (start,)
    both = {**listed, "3": tried("reserve", 10), "4": tried("reserve", 20)}
    assert unfinished(plan, both) == ()


def test_only_workloads_that_are_measured_are_warmed_up() -> None:
    (start,) = schedule(
        Experiment(name="x", threads=(1, 2), loops=1, variants=("sync",), workloads=("reserve",))
    )

    assert start.workloads == ("reserve",)
    assert start.warmup_id("reserve") == "sync-reserve-1"


def test_open_levels_sort_and_have_names_of_their_own() -> None:
    plan = Experiment(
        name="x",
        threads=(200,),
        rates=(5, 200, 12.5, 1000),
        duration=1,
        variants=("sync",),
        workloads=("list",),
    )
    names = sorted(run.id for start in schedule(plan) for run in start.runs)

    assert names == [
        "sync-list-0005-per-s-1",
        "sync-list-0012.5-per-s-1",
        "sync-list-0200-per-s-1",
        "sync-list-1000-per-s-1",
        "sync-list-200-threads-1",
    ]


def test_identical_systems_are_runs_of_their_own() -> None:
    twin = SystemSpec(variant="sync")
    plan = Experiment(name="x", threads=(1,), loops=1, systems={"left": twin, "right": twin})

    assert {start.system for start in schedule(plan)} == {"left", "right"}
    assert {start.variant for start in schedule(plan)} == {"sync"}


def test_a_round_does_not_depend_on_the_ones_before() -> None:
    plan = planned(repetitions=3)

    assert schedule(plan)[4:6] == round_of(plan, 3)
    assert round_of(plan, 3) == round_of(planned(repetitions=9), 3)


def test_names_sort_by_level() -> None:
    names = [name for name in order(planned(repetitions=1)) if name.startswith("sync-list")]

    assert sorted(names) == [
        "sync-list-001-threads-1",
        "sync-list-010-threads-1",
        "sync-list-100-threads-1",
    ]

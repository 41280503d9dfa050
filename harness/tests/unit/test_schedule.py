from __future__ import annotations

from collections import Counter

from testbed.experiment import Experiment
from testbed.schedule import remaining, schedule


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
        "async-list-tuned-002-1",
        "async-list-tuned-001-1",
        "sync-list-tuned-001-1",
        "sync-list-tuned-002-1",
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
    orders = {tuple((run.workload, run.threads) for run in start.runs) for start in starts}

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


def test_what_remains_keeps_the_order_and_drops_finished_starts() -> None:
    starts = schedule(planned(repetitions=2))
    every = [run.id for start in starts for run in start.runs]
    done = set(every[:8])

    rest = remaining(starts, done)

    assert [run.id for start in rest for run in start.runs] == every[8:]
    assert all(start.runs for start in rest)
    assert len(rest) == 3


def test_only_workloads_that_are_measured_are_warmed_up() -> None:
    (start,) = schedule(
        Experiment(name="x", threads=(1, 2), loops=1, variants=("sync",), workloads=("reserve",))
    )

    assert start.workloads == ("reserve",)
    assert start.warmup_id("reserve") == "sync-reserve-tuned-1"


def test_names_sort_by_level() -> None:
    names = [name for name in order(planned(repetitions=1)) if name.startswith("sync-list")]

    assert sorted(names) == [
        "sync-list-tuned-001-1",
        "sync-list-tuned-010-1",
        "sync-list-tuned-100-1",
    ]

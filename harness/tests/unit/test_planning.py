from __future__ import annotations

from typing import Any

import pytest

from testbed.experiment import planning
from testbed.experiment.declaration import OPERATION_S, Experiment
from testbed.experiment.loads import EXPERIMENT
from testbed.experiment.planning import CELL_S, LEAD_S, OVERHEAD_S, START_S, expect, lines
from testbed.model.errors import UserError

START_AND_WARM_UP_S = START_S + 5


def plan(**keys: Any) -> Experiment:
    given = {"name": "x", "warmup": {"at_most": 5}, "duration": 10, "threads": [1, 2]}
    return EXPERIMENT.validate_python(given | keys)


def test_the_time_is_that_of_starts_with_warm_ups_and_of_runs() -> None:
    expected = expect(plan(repetitions=3), {})

    assert (expected.runs, len(expected.starts)) == (24, 6)
    assert expected.seconds == pytest.approx(
        24 * (10 + OVERHEAD_S + CELL_S) + 6 * START_AND_WARM_UP_S
    )
    assert expected.words == "24 runs after 6 starts"


@pytest.mark.parametrize(
    ("rule", "seconds"),
    [
        ({"at_most": 500}, planning.WARM_S),
        ({"at_most": 60}, 60),
        ({"at_most": 500, "window": 40}, 4 * 2 * 40),
        ({"operations": 100_000}, 2 * 100_000 / planning.WARMING_PER_S),
    ],
)
def test_a_warm_up_takes_what_its_rule_needs(rule: dict[str, int], seconds: float) -> None:
    for start in expect(plan(warmup=rule), {}).starts:
        assert (start.start_s, start.warm_up_s) == (START_S, seconds)


def test_systems_that_are_up_together_start_and_warm_up_one_after_another() -> None:
    expected = expect(plan(duration=None, blocks={"seconds": 8, "each": 4}), {})

    (start,) = expected.starts
    assert (start.name, start.runs) == ("sync and async", 8)
    assert start.start_s + start.warm_up_s == pytest.approx(2 * START_AND_WARM_UP_S)
    assert start.measure_s == pytest.approx(8 * (4 * (8 + OVERHEAD_S) + CELL_S))


def test_loops_take_the_time_of_their_operations() -> None:
    expected = expect(plan(duration=None, loops=1000, threads=[100], workloads=["list"]), {})

    each_s = 100 * 1000 * OPERATION_S + OVERHEAD_S + CELL_S
    assert [start.measure_s for start in expected.starts] == pytest.approx([each_s] * 2)


def test_limits_leave_the_load_generator_a_core() -> None:
    keys = {
        "limits": {"cinema-ucd-service": {"cpus": 0.5}, "broker-service": {"memory_mb": 256}},
        "factors": {"replicas.cinema-ucd-service": [1, 3]},
    }

    planning.require_cores(plan(**keys), 2.5)
    planning.require_cores(plan(**keys, overcommit=True), 2)
    planning.require_cores(plan(), 1)
    with pytest.raises(
        UserError, match=r"sync-3 may use 1.5 cores, .* this machine has 2$"
    ) as refused:
        planning.require_cores(plan(**keys), 2)
    assert refused.value.hint is not None
    assert "overcommit: true" in refused.value.hint
    two = plan(limits=keys["limits"], threads=[2], generators=2)
    planning.require_cores(two, 2.5)
    with pytest.raises(UserError, match=r"may use 0.5 cores, generating its load needs 2, .* 2.4$"):
        planning.require_cores(two, 2.4)


def test_cores_of_the_generators_leave_one_for_the_systems() -> None:
    planning.require_cores(plan(cores_apart=1), 2)
    with pytest.raises(UserError, match="cores_apart: 2 for the load generators leaves none of 2"):
        planning.require_cores(plan(cores_apart=2), 2)


def test_a_search_leaves_the_load_generator_a_core_with_its_reference_too() -> None:
    systems = {"chain": {"variant": "poster-chain"}, "whole": {"variant": "poster-composite"}}
    amounts = {"from": 0.1, "to": 1, "resolution": 0.05}
    search = {"cpus": amounts, "target": {"goodput_of": "chain", "cpus": 3, "within": 0.03}}
    keys = {"systems": systems, "workloads": ["poster"], "threads": [10], "demand": search}

    planning.require_cores(plan(**keys), 4)
    with pytest.raises(UserError, match="chain may use 3 cores"):
        planning.require_cores(plan(**keys), 2)


def test_an_open_loop_needs_time_to_begin() -> None:
    phases = {"kind": "phases", "phases": [{"from": 10, "to": 30, "for": 60}]}
    keys = {"name": "x", "variants": ["sync"], "workloads": ["list"]}
    expected = expect(EXPERIMENT.validate_python({**keys, "schedule": phases}), {})

    (start,) = expected.starts
    assert start.measure_s == pytest.approx(60 + LEAD_S + OVERHEAD_S + CELL_S)


def test_phases_are_told_one_by_one() -> None:
    phases = [{"from": 1, "to": 10, "for": 30}, {"rate": 10, "for": 120}]
    keys = {"variants": ["sync"], "workloads": ["list"]}
    schedule = {"kind": "phases", "phases": phases}
    shown = lines(EXPERIMENT.validate_python({"name": "x", **keys, "schedule": schedule}), {})

    assert shown == [
        "start 1: sync",
        "  list, 1 to 10 arrivals/s for 30 s, 10 arrivals/s for 120 s, 9.1 arrivals/s on average",
    ]


def test_what_is_done_is_not_planned_again() -> None:
    whole = plan(variants=["sync"], workloads=["list"], seed=1)
    done = {"sync-list-001-threads-1": {"repetition": 1}}

    assert expect(whole, done).runs == 1
    assert lines(whole, done) == ["start 1: sync", "  list, 2 threads"]
    every = {**done, "sync-list-002-threads-1": {"repetition": 1}}
    assert (expect(whole, every).runs, expect(whole, every).seconds) == (0, 0)


def test_the_turns_of_blocks_are_told() -> None:
    plan_lines = lines(plan(duration=None, blocks={}, workloads=["list"], threads=[3]), {})

    assert plan_lines[0] == "start 1: sync and async"
    assert plan_lines[1] in (
        "  list, 3 threads: sync async async sync",
        "  list, 3 threads: async sync sync async",
    )


def test_where_results_decide_the_number_is_a_bound() -> None:
    search = {"from": 50, "to": 1000, "resolution": 25, "repetitions": 2}
    searched = EXPERIMENT.validate_python(
        {"name": "x", "duration": 10, "search": search, "slo": {"p95_ms": 200}}
    )
    precise = plan(precision={"min_repetitions": 3})

    assert expect(searched, {}).runs == 2 * 2 * 2 * 7
    assert expect(searched, {}).words.startswith("at most 56 runs")
    assert expect(precise, {}).words.startswith("at least 24 runs")
    assert "until every cell is decided or known within 10%" in lines(precise, {})[-1]

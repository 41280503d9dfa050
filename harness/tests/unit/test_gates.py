from __future__ import annotations

from dataclasses import replace

import pytest

from testbed.analysis.decisions import Decision
from testbed.cli import gates
from testbed.cli.gates import Gate
from testbed.experiment import reading
from testbed.model.errors import UserError
from testbed.model.project import Project

WORSE = Decision(
    system="async",
    reference="sync",
    workload="reserve",
    mode="closed",
    level=10,
    figure="ok_per_s",
    ratio=0.5,
    low=0.4,
    high=0.8,
    decision="worse",
    could_tell=1.1,
    pairs=2,
    reason="",
)
SLOWER = replace(WORSE, figure="p95_ms", ratio=1.2, low=1.1, high=1.3)
BETTER = replace(WORSE, ratio=2.0, low=1.8, high=2.2, decision="better")
UNKNOWN = replace(WORSE, ratio=0.9, low=0.7, high=1.2, decision="not known")
NO_RUNS = replace(WORSE, ratio=None, low=None, high=None, decision="not known", pairs=0)


@pytest.mark.parametrize(
    ("given", "failing"),
    [
        ("worse", [WORSE, SLOWER]),
        ("not-known", [UNKNOWN, NO_RUNS]),
        ("beyond 1.05", [WORSE, SLOWER]),
        # The interval of the times begins at 1.1.
        ("beyond 1.1", [WORSE]),
        ("beyond=1.2", [WORSE]),
        # That of goodput ends at 0.8, which is 1 / 1.25.
        ("beyond 1.26", []),
    ],
)
def test_a_gate_fails_where_its_decision_was_made(given: str, failing: list[Decision]) -> None:
    every = [WORSE, SLOWER, BETTER, UNKNOWN, NO_RUNS]
    failed = gates.failures(gates.parse([given]), every)

    assert [failure.decision for failure in failed] == failing


@pytest.mark.parametrize(
    "given", ["", "better", "beyond", "beyond 1", "beyond 0.9", "beyond x", "beyond nan", "Worse"]
)
def test_what_is_no_gate_is_refused_with_the_choices(given: str) -> None:
    with pytest.raises(UserError, match="choose from: worse, not-known, or 'beyond FACTOR'"):
        gates.parse(["worse", given])


def test_a_failure_names_its_cell() -> None:
    (failed,) = gates.failures([Gate("beyond", 1.1)], [WORSE])

    assert str(failed) == (
        "beyond 1.1: reserve, 10 threads: goodput of async ÷ sync: 0.50 [0.40, 0.80], worse"
    )
    assert failed.as_data() == {
        "gate": "beyond 1.1",
        "system": "async",
        "baseline": "sync",
        "workload": "reserve",
        "mode": "closed",
        "level": 10,
        "figure": "ok_per_s",
    }


def test_a_decision_has_the_documented_keys() -> None:
    assert gates.as_data(WORSE) == {
        "system": "async",
        "baseline": "sync",
        "workload": "reserve",
        "mode": "closed",
        "level": 10,
        "figure": "ok_per_s",
        "ratio": 0.5,
        "low": 0.4,
        "high": 0.8,
        "decided": "worse",
        "detectable": 1.1,
        "pairs": 2,
        "reason": "",
    }


def test_gates_without_anything_to_judge_do_not_pass() -> None:
    assert gates.failures([], []) == []
    with pytest.raises(UserError, match="no cell has runs of a system and its baseline"):
        gates.failures([Gate("worse")], [])


@pytest.mark.parametrize("name", ["capacity", "poster-demand"])
def test_an_experiment_that_compares_no_cells_has_no_gates(name: str) -> None:
    with pytest.raises(UserError, match=f"{name} compares no cells"):
        gates.require_decisions(reading.load(Project.find(), name))

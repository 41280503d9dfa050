"""Results that grew until they were decided go on later; planned ones do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testbed.cli.experiments import closer, further, has_ended
from testbed.experiment import reading
from testbed.experiment.declaration import Experiment
from testbed.experiment.schedule import lowered, prepared, unfinished
from testbed.measure import results_directory
from testbed.model.errors import UserError

PLAN = """
name: mine
variants: [sync, async]
workloads: [list]
threads: [10, 100]
blocks: {seconds: 4, settle: 1, each: 4}
seed: 1
"""


def plan(more: str = "precision: {within: 0.1}\n") -> Experiment:
    return reading.parse(PLAN + more, "mine")


def write_ending(path: Path, **reach: float | None) -> Path:
    ending = {"rule": "budget", "rounds": 4, "spent_min": 61.5, "reach": reach}
    (path / "ending.json").write_text(json.dumps(ending))
    return path


def test_what_ended_goes_on_with_another_budget_and_may_be_made_more_precise(
    tmp_path: Path,
) -> None:
    results = write_ending(tmp_path, a=0.0, b=0.08)
    again = further(plan(), results, None)
    assert again.precision is not None
    assert (again.precision.budget_min, again.precision.within) == (121.5, 0.1)
    assert has_ended(again, results)
    narrow = further(plan(), results, "5%")
    assert narrow.precision is not None
    assert narrow.precision.within == 0.05
    assert not has_ended(narrow, results)
    # The results' own file still has the precision with which they began.
    assert closer(narrow, plan()) == " --until 5%"
    assert closer(again, plan()) == ""
    assert not has_ended(plan(), write_ending(tmp_path, a=None))


def test_an_extension_that_was_interrupted_keeps_its_budget(tmp_path: Path) -> None:
    ended = write_ending(tmp_path, a=None) / results_directory.ENDING
    ended.rename(tmp_path / results_directory.FORMER_ENDING)
    again = further(plan(), tmp_path, None)
    assert again.precision is not None
    assert again.precision.budget_min == 121.5
    assert not has_ended(again, tmp_path)


def test_results_of_a_planned_number_of_pairs_are_not_looked_at_again(tmp_path: Path) -> None:
    fixed = plan("repetitions: 2\n")
    assert not has_ended(fixed, tmp_path)
    assert has_ended(fixed, write_ending(tmp_path))
    assert further(fixed, tmp_path, None) == fixed
    assert closer(fixed, fixed) == ""
    with pytest.raises(UserError, match="would decide falsely more often than in 5 %"):
        further(fixed, tmp_path, "5%")


def test_after_the_first_rounds_the_next_one_is_what_is_left() -> None:
    growing = plan()
    first = unfinished(growing, {})
    assert [start.round for start in first] == [1, 2]
    done = {
        run.id: {"round": start.round}
        for start in first
        for cell in start.cells
        for run in start.runs(cell)
    }
    assert [start.round for start in unfinished(growing, done)] == [3]
    assert unfinished(plan("repetitions: 2\n"), done) == ()


def test_a_design_that_memory_lowers_is_told() -> None:
    declared = plan("repetitions: 2\n")
    small, large = prepared(declared, 1000), prepared(declared, 100_000)
    assert lowered(declared, large) == {}
    assert lowered(declared, small) == {"together": {"declared": "all", "measured": "none"}}

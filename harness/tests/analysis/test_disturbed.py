"""A measurement that other programs disturbed says so, and decides nothing by it."""

from __future__ import annotations

import json
from pathlib import Path

from testbed.analysis.capacities import capacities
from testbed.analysis.decisions import decide
from testbed.analysis.results import find_results
from testbed.analysis.samples import load
from testbed.analysis.sections import answer
from testbed.analysis.sections.disturbed import disturbance_words
from testbed.analysis.verdicts import judge_all
from testbed.experiment.parts import Slo

from .synthetic import write_blocks

QUIET = (0.0, 0.0, 0.05, 0.0)
LOUD = (0.6, 0.5, 0.4, 0.6)


def write_pairs(path: Path, disturbed: dict[tuple[str, int], tuple[float, ...]]) -> None:
    """Write two pairs of starts, in which `async` takes twice as long; some runs disturbed."""
    for repetition in (1, 2):
        for variant, median_ms in (("sync", 20.0), ("async", 40.0)):
            write_blocks(
                path,
                variant=variant,
                repetition=repetition,
                medians_ms=(median_ms,) * 4,
                others=disturbed.get((variant, repetition), QUIET),
                record={"planned_blocks": 4, "wall_s": 100.0},
            )


def test_a_pair_with_a_disturbed_run_does_not_decide(tmp_path: Path) -> None:
    write_pairs(tmp_path, {("async", 2): LOUD})
    judged = judge_all(load(tmp_path))

    assert {
        (decision.pairs, decision.left_out, decision.reason) for decision in decide(judged)
    } == {(1, 1, "")}


def test_a_comparison_that_was_disturbed_throughout_decides_nothing_and_says_why(
    tmp_path: Path,
) -> None:
    write_pairs(tmp_path, {(name, pair): LOUD for name in ("sync", "async") for pair in (1, 2)})
    judged = judge_all(load(tmp_path))
    decisions = decide(judged)

    assert {(decision.decision, decision.ratio) for decision in decisions} == {("not known", None)}
    assert {decision.reason for decision in decisions} == {"disturbed by other programs"}
    words = disturbance_words(judged.results)
    assert words == (
        "Other programs used 52.5 % of the machine during 16 of 16 blocks (cc1). "
        "4 of 4 runs have too few other blocks, so they decide nothing: "
        "measure again without these programs."
    )
    first = answer.first(judged, decisions, words)
    printed = answer.printed(judged, decisions, first)["answer"]
    assert printed["disturbed"] == words
    assert printed["next"] == "the same again, once these programs have ended"


def test_blocks_that_were_measured_again_are_told_and_change_nothing(tmp_path: Path) -> None:
    write_pairs(tmp_path, {("sync", 1): (0.6, 0.5, 0.0, 0.0)})
    results = find_results(tmp_path)

    assert disturbance_words(results) == (
        "Other programs used 55.0 % of the machine during 2 of 16 blocks (cc1). "
        "2 blocks are left out of all figures."
    )
    assert {decision.pairs for decision in decide(judge_all(load(tmp_path)))} == {2}


def test_stolen_time_is_not_blamed_on_programs(tmp_path: Path) -> None:
    folder = write_blocks(tmp_path, others=(0.4, 0.4))
    record = json.loads((folder / "run.json").read_text())
    for block in record["blocks"]:
        block["others"] |= {"steal": 0.3, "names": []}
    (folder / "run.json").write_text(json.dumps(record))

    assert (disturbance_words(find_results(tmp_path)) or "").startswith(
        "Other machines on the same host used 40.0 % of the machine during 2 of 2 blocks."
    )


def test_a_quiet_machine_needs_no_words(tmp_path: Path) -> None:
    write_pairs(tmp_path, {})
    assert disturbance_words(find_results(tmp_path)) is None


def test_a_disturbed_run_says_nothing_of_a_capacity(tmp_path: Path) -> None:
    write_blocks(tmp_path, repetition=1, others=QUIET, medians_ms=(10.0,) * 4)
    write_blocks(tmp_path, repetition=2, others=LOUD, medians_ms=(900.0,) * 4)
    (limit,) = capacities(judge_all(load(tmp_path)), Slo(p95_ms=100))

    assert limit.capacity is not None
    assert (limit.capacity.trials, limit.capacity.level, limit.invalid) == (1, 10, 1)

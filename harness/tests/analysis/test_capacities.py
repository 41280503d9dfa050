"""The highest level that keeps an objective."""

from __future__ import annotations

import json
from pathlib import Path

from testbed.analysis import objective
from testbed.analysis.capacities import capacities
from testbed.analysis.decisions import decide
from testbed.analysis.samples import load
from testbed.analysis.sections import answer
from testbed.analysis.verdicts import judge_all
from testbed.experiment.parts import Slo

from .synthetic import write_pair, write_run


def test_capacity_is_the_highest_level_that_keeps_the_objective(tmp_path: Path) -> None:
    write_pair(tmp_path, levels=(10, 20, 40, 80))
    (tmp_path / "experiment.yaml").write_text("slo: {p95_ms: 120, failed_share: 0.01}")
    judged = judge_all(load(tmp_path))
    slo = objective.declared(judged.results)
    assert slo is not None
    assert objective.words(slo) == "p95 at most 120 ms, at most 1 % failed"
    of_system = {limit.system: limit.capacity for limit in capacities(judged, slo)}
    assert of_system["sync"] is not None
    assert of_system["async"] is not None
    # p95 is 1.93 times the median, which is 30, 40, 60, 100 ms for sync and 1.5 times that.
    assert (of_system["sync"].level, of_system["async"].level) == (40, 20)
    assert (of_system["sync"].low, of_system["sync"].high) == (40, 80)
    assert "`list`, sync | 40 threads | 40 and 80" in answer.capacity(judged)


def test_a_search_tells_what_it_found_and_decides_nothing_of_its_runs(tmp_path: Path) -> None:
    write_pair(tmp_path, levels=(10, 20, 40, 80))
    (tmp_path / "experiment.yaml").write_text(
        "slo: {p95_ms: 120, failed_share: 0.01}\nsearch: {from: 10, to: 80, resolution: 10}"
    )
    judged = judge_all(load(tmp_path))
    assert not decide(judged)
    answered = answer.first(judged, ())
    assert answered.line == "list, sync: capacity 40 threads; the limit lies between 40 and 80."
    assert answered.more == "1 more results are below."
    assert answer.decided(judged, ()) == ""


def test_levels_at_which_all_stalled_were_not_kept(tmp_path: Path) -> None:
    write_pair(tmp_path, levels=(10, 20, 40))
    for file in tmp_path.glob("runs/*-040-*/run.json"):
        file.write_text(json.dumps({**json.loads(file.read_text()), "complete_after": "504"}))
    record = next(tmp_path.glob("runs/sync*-010-1/run.json"))
    record.write_text(json.dumps({**json.loads(record.read_text()), "complete_before": "ucd"}))
    judged = judge_all(load(tmp_path))
    slo = Slo(p95_ms=1000)
    sync, async_ = capacities(judged, slo)
    assert sync.capacity is not None
    assert async_.capacity is not None
    assert (
        (sync.capacity.level, sync.capacity.high)
        == (async_.capacity.level, async_.capacity.high)
        == (20, 40)
    )
    assert (sync.capacity.trials, sync.invalid) == (8, 1)
    assert (async_.capacity.trials, async_.invalid) == (9, 0)


def test_a_system_of_which_no_run_counts_is_shown_without_a_capacity(tmp_path: Path) -> None:
    write_run(tmp_path, record={"complete_before": "ucd"})
    (tmp_path / "experiment.yaml").write_text("slo: {p95_ms: 120}")
    judged = judge_all(load(tmp_path))
    assert "| `list`, sync | – | – | 0 | 1 |" in answer.capacity(judged)


def test_a_load_that_changes_has_no_level_to_keep(tmp_path: Path) -> None:
    write_run(tmp_path)
    phases = {"kind": "phases", "planned": 1000}
    write_run(tmp_path, repetition=2, record={"mode": "open", "level": 100, "arrivals": phases})
    (limit,) = capacities(judge_all(load(tmp_path)), Slo(p95_ms=1000))
    assert limit.study.mode == "closed"

"""The highest level that keeps an objective."""

from __future__ import annotations

from pathlib import Path

from testbed.analysis import objective
from testbed.analysis.capacities import capacities
from testbed.analysis.decisions import comparisons
from testbed.analysis.samples import load
from testbed.analysis.sections import answer
from testbed.analysis.verdicts import judge_all

from .synthetic import write_pair


def test_capacity_is_the_highest_level_that_keeps_the_objective(tmp_path: Path) -> None:
    write_pair(tmp_path, levels=(10, 20, 40, 80))
    (tmp_path / "experiment.yaml").write_text("slo: {p95_ms: 120, failed_share: 0.01}")
    judged = judge_all(load(tmp_path))
    slo = objective.declared(judged.results)
    assert slo is not None
    assert objective.words(slo) == "p95 at most 120 ms, at most 1 % failed"
    found = {system: capacity for _, system, capacity in capacities(judged, slo)}
    # p95 is 1.93 times the median, which is 30, 40, 60, 100 ms for sync and 1.5 times that.
    assert (found["sync"].level, found["async"].level) == (40, 20)
    assert (found["sync"].low, found["sync"].high) == (40, 80)
    assert "`list`, sync | 40 threads | 40 to 80" in answer.answer(judged, comparisons(judged))

"""What is told of users whom a stopped service caught."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from testbed.analysis.figures import operations
from testbed.analysis.samples import load
from testbed.analysis.sections import loops
from testbed.analysis.summary import tabulate
from testbed.analysis.verdicts import judge_all

from .synthetic import EPOCH_MS, write_run


@pytest.mark.parametrize("stopped_s", [0.25, 0.5])
def test_a_disturbed_run_counts_whom_it_caught(tmp_path: Path, stopped_s: float) -> None:
    folder = write_run(tmp_path, median_ms=10, loops=100, record={"wall_s": 100.0})
    begin, end = EPOCH_MS + 1000 * stopped_s, EPOCH_MS + 1000 * stopped_s + 200
    moments = [datetime.fromtimestamp(ms / 1000, UTC).isoformat() for ms in (begin, end)]
    disturbance = {"service": "cinema-ucd", "at_s": stopped_s, "for_s": 0.2}
    disturbance |= dict(zip(("stopped", "started"), moments, strict=True))
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"disturbance": disturbance}))
    judged = judge_all(load(tmp_path))
    with (folder / "samples.csv").open() as file:
        spans = [(int(row["timeStamp"]), int(row["elapsed"])) for row in csv.DictReader(file)]
    caught = sum(start < end and start + elapsed > begin for start, elapsed in spans)
    assert 10 <= caught < 500
    slowest = max(elapsed for _, elapsed in spans)
    words = loops.loops(judged, tabulate(judged.recorded))
    assert f"| cinema-ucd for 0.2 s | 1,000 | {caught} | {caught} | 0 | {slowest} |" in words
    assert len(list(operations.disturbances(judged))) == 1


@pytest.mark.parametrize(
    ("changed", "words", "outcome"),
    [
        ({"for_s": None}, "until the end", "passed"),
        ({"stopped": None, "started": None}, "not reached", "failed"),
    ],
)
def test_tells_a_stop_for_good_from_one_that_the_run_did_not_reach(
    tmp_path: Path, changed: dict[str, object], words: str, outcome: str
) -> None:
    stop = {"service": "cinema-ucd", "at_s": 0.25, "for_s": 2.0}
    stop |= {"stopped": "2026-11-21T00:00:01Z", "started": "2026-11-21T00:00:03Z"}
    write_run(tmp_path, record={"disturbance": {**stop, **changed}, "wall_s": 100.0})
    judged = judge_all(load(tmp_path))
    assert f"| cinema-ucd {words} |" in loops.loops(judged, tabulate(judged.recorded))
    (verdict,) = judged.verdicts.values()
    assert {check.name: check.outcome for check in verdict.checks}["suspension"] == outcome
    assert verdict.status == ("invalid" if outcome == "failed" else "valid")

"""Identical systems tell what chance does."""

from __future__ import annotations

from pathlib import Path

from testbed.analysis.samples import load
from testbed.analysis.sections import twins as twin_section
from testbed.analysis.twins import twin_ratios, twins
from testbed.analysis.verdicts import Judged, judge_all

from .synthetic import write_run


def write_twins(path: Path, runs: int, second: float = 1.0) -> Judged:
    for place, (name, factor) in enumerate((("one", 1.0), ("other", second))):
        for repetition in range(1, runs + 1):
            write_run(
                path / name,
                repetition=repetition,
                median_ms=30 * factor,
                record={"system": name, "wall_s": 100.0},
                seed=2 + place,
            )
            made = path / name / "runs" / f"sync-list-tuned-010-{repetition}"
            (path / "runs").mkdir(exist_ok=True)
            made.rename(path / "runs" / f"{name}-{repetition}")
    return judge_all(load(path))


def test_identical_twins_show_this_machines_false_differences(tmp_path: Path) -> None:
    judged = write_twins(tmp_path, runs=6)
    assert [(first, second) for _, first, second in twins(judged)] == [("one", "other")]
    known = twin_ratios(judged)["p95_ms"]
    assert len(known) == 2  # six runs are two experiments with three
    assert all(one.runs == (3, 3) for one, _ in known)
    text = twin_section.twins(judged)
    assert "one and other" in text
    assert "| p95 | 2 |" in text


def test_systems_that_differ_are_no_twins(tmp_path: Path) -> None:
    write_run(tmp_path, variant="sync")
    write_run(tmp_path, variant="async")
    judged = judge_all(load(tmp_path))
    assert twins(judged) == []
    assert "no identical twins" in twin_section.twins(judged)

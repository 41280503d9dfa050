"""What is decided follows from the runs, and from nothing else."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from testbed.analysis.decisions import DECIDING_RUNS, comparisons
from testbed.analysis.samples import load
from testbed.analysis.sections import answer
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.verdicts import judge_all

from .synthetic import write_pair, write_run


def test_a_clear_difference_is_decided_for_the_faster_system(tmp_path: Path) -> None:
    (one,) = comparisons(write_pair(tmp_path))
    assert (one.first, one.second, one.runs) == ("sync", "async", (3, 3))
    interval = one.ratios["p95_ms"].interval
    assert interval is not None
    assert interval.low < 1.5 < interval.high
    assert one.winner("p95_ms") == one.winner("ok_per_s") == "first"
    assert one.ratios["ok_per_s"].observed == pytest.approx(1 / 1.5, rel=0.1)
    # Costs are the same, so there is nothing to decide.
    assert one.ratios["cpu_ms_per_ok"].observed == pytest.approx(1)
    assert one.winner("cpu_ms_per_ok") is None


def test_fewer_runs_than_three_never_decide(tmp_path: Path) -> None:
    for runs in (1, 2):
        (one,) = comparisons(write_pair(tmp_path / str(runs), runs=runs, second=4.0))
        assert one.winner("p95_ms") is None
        assert (one.ratios["p95_ms"].interval is None) is (runs == 1)
        assert one.ratios["p95_ms"].observed == pytest.approx(4, rel=0.15)
    assert DECIDING_RUNS == 3


def test_an_invalid_run_does_not_count_towards_a_decision(tmp_path: Path) -> None:
    write_pair(tmp_path)
    record = next(tmp_path.glob("runs/async*-3/run.json"))
    record.write_text(json.dumps({**json.loads(record.read_text()), "complete_before": "ucd"}))
    (one,) = comparisons(judge_all(load(tmp_path)))
    assert one.runs == (3, 2)
    assert one.winner("p95_ms") is None


def test_a_run_that_collapsed_counts_and_is_marked(tmp_path: Path) -> None:
    write_pair(tmp_path)
    record = next(tmp_path.glob("runs/async*-3/run.json"))
    record.write_text(json.dumps({**json.loads(record.read_text()), "complete_after": "ucd"}))
    judged = judge_all(load(tmp_path))
    (one,) = comparisons(judged)
    assert (one.runs, one.overloaded, one.not_steady) == ((3, 3), 1, 0)
    words = answer.answer(judged, [one])
    assert "6 of 6 runs are used. 1 did not carry the load (*overloaded*)" in words
    assert "3 runs each, 1 overloaded;" in words


def test_percentiles_within_the_clocks_resolution_are_not_told_apart(tmp_path: Path) -> None:
    for repetition in (1, 2, 3):
        for variant, median_ms in (("sync", 2.5), ("async", 3.5)):
            write_run(
                tmp_path,
                variant=variant,
                repetition=repetition,
                median_ms=median_ms,
                record={"wall_s": 100.0},
            )
    (one,) = comparisons(judge_all(load(tmp_path)))
    ratio = one.ratios["p50_ms"]
    assert ratio.interval is not None
    assert (ratio.figures[1] or 0) - (ratio.figures[0] or 0) == 1
    assert not ratio.interval.contains(1)
    assert one.winner("p50_ms") is None
    assert one.winner("mean_ms") == "first"


@pytest.mark.parametrize(
    ("failed", "winner", "matters"),
    [((0.0, 0.008), "second", False), ((0.0, 0.02), None, True), ((0.2, 0.0), "second", True)],
)
def test_response_times_decide_for_no_system_that_fails_more(
    tmp_path: Path, failed: tuple[float, float], winner: str | None, *, matters: bool
) -> None:
    (known,) = comparisons(write_pair(tmp_path, second=0.5))
    one = replace(known, failed=tuple(Interval(share, share, share) for share in failed))
    assert one.winner("p95_ms") == winner
    assert one.fast_but_failing("p95_ms") == (None if winner else "second")
    assert one.failures_matter is matters
    # Goodput counts failures as they are.
    assert one.winner("ok_per_s") == "second"
    assert one.fast_but_failing("ok_per_s") is None


def test_systems_of_two_presets_are_compared_within_each(tmp_path: Path) -> None:
    for preset in ("thesis", "tuned"):
        for variant in ("sync", "async"):
            name = f"{variant}-{preset}"
            write_run(tmp_path, variant=variant, preset=preset, record={"system": name})
    pairs = [(one.first, one.second) for one in comparisons(judge_all(load(tmp_path)))]
    assert pairs == [("sync-thesis", "async-thesis"), ("sync-tuned", "async-tuned")]


def test_a_change_within_a_variant_is_compared_within_it(tmp_path: Path) -> None:
    names = [f"{variant}-{kind}" for variant in ("sync", "async") for kind in ("watched", "not")]
    for number, name in enumerate(names, start=1):
        variant = name.split("-")[0]
        write_run(tmp_path, variant=variant, repetition=number, record={"system": name})
    declared = ", ".join(f"{name}: {{}}" for name in names)
    (tmp_path / "experiment.yaml").write_text(f"systems: {{{declared}}}")
    pairs = [(one.first, one.second) for one in comparisons(judge_all(load(tmp_path)))]
    assert pairs == [
        ("sync-watched", "sync-not"),
        ("sync-watched", "async-watched"),
        ("async-watched", "async-not"),
    ]


def test_presets_of_one_variant_are_compared_with_one_another(tmp_path: Path) -> None:
    for preset in ("tuned", "thesis"):
        write_run(tmp_path, preset=preset, record={"system": preset})
    (tmp_path / "experiment.yaml").write_text("systems: {tuned: {}, thesis: {}}")
    (one,) = comparisons(judge_all(load(tmp_path)))
    assert (one.first, one.second, one.question.preset) == ("tuned", "thesis", None)


def test_slow_times_are_compared_to_three_digits(tmp_path: Path) -> None:
    for repetition in (1, 2, 3):
        for variant, median_ms in (("sync", 20_000.0), ("async", 30_000.0)):
            write_run(
                tmp_path,
                variant=variant,
                repetition=repetition,
                median_ms=median_ms,
                record={"wall_s": 1e6},
            )
    (one,) = comparisons(judge_all(load(tmp_path)))
    assert one.ratios["p50_ms"].observed == pytest.approx(1.5, rel=0.06)
    assert one.winner("p50_ms") == "first"
    value = one.ratios["p50_ms"].figures[0] or math.nan
    assert value % 50 == pytest.approx(0)

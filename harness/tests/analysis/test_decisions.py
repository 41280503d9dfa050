"""What is decided follows from the runs, and from nothing else."""

from __future__ import annotations

import csv
import json
import math
from datetime import UTC, datetime
from pathlib import Path

import pytest

from testbed.analysis import objective
from testbed.analysis.capacities import capacities
from testbed.analysis.crossover import crossing, crossover
from testbed.analysis.decisions import DECIDING_RUNS, comparisons, questions, stretches
from testbed.analysis.figures import levels, operations
from testbed.analysis.precision import widths
from testbed.analysis.samples import load
from testbed.analysis.scaling import efficiencies, scalability
from testbed.analysis.sections import answer, loops
from testbed.analysis.sections import twins as twin_section
from testbed.analysis.settings import varied_settings
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.summary import tabulate
from testbed.analysis.twins import twin_ratios, twins
from testbed.analysis.verdicts import Judged, judge_all
from testbed.errors import UserError

from .synthetic import EPOCH_MS, write_run


def write_pair(
    path: Path,
    runs: int = 3,
    levels: tuple[int, ...] = (10,),
    second: float = 1.5,
    change: float = 0.0,
) -> Judged:
    """Write sync and async runs; async is so many times slower, less so by ``change`` per level."""
    for place, threads in enumerate(levels):
        for repetition in range(1, runs + 1):
            for variant, factor in (("sync", 1.0), ("async", second - change * place)):
                write_run(
                    path,
                    variant=variant,
                    threads=threads,
                    repetition=repetition,
                    median_ms=20 * factor * (1 + threads / 20),
                    record={"wall_s": 100.0},
                )
    return judge_all(load(path))


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
    record.write_text(json.dumps({**json.loads(record.read_text()), "complete_after": "ucd"}))
    (one,) = comparisons(judge_all(load(tmp_path)))
    assert one.runs == (3, 2)
    assert one.winner("p95_ms") is None


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


def test_stretches_and_crossover_tell_where_each_system_wins(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 30, 40), second=1.45, change=0.3)
    compared = comparisons(judged)
    assert [(s.low, s.high, s.winner) for s in stretches(compared, "p95_ms")] == [
        (10, 20, "first"),
        (30, 40, "second"),
    ]
    crossed = crossing(compared, "p95_ms")
    assert crossed is not None
    # The true ratios are 1.45, 1.15, 0.85 and 0.55.
    assert 20 < crossed.interval.low < crossed.level < crossed.interval.high < 30
    assert crossed.decided
    assert not crossed.rising
    headline = "\n".join(answer.answer(judged, compared).splitlines())
    assert "10 to 20 threads: **sync**; 30 to 40 threads: **async**" in headline


def test_crossover_lies_where_straight_lines_between_logarithms_pass_zero() -> None:
    ratios = [Interval(2.0, 1.9, 2.1), Interval(0.5, 0.45, 0.55), Interval(0.4, 0.35, 0.45)]
    found = crossover([10, 30, 50], ratios)
    assert found is not None
    assert found.level == pytest.approx(20)
    assert (found.likelihood, found.crossings, found.rising) == (1, 1, False)
    assert crossover([10, 30], ratios[1:]) is None


def test_an_uncertain_crossover_is_not_decided() -> None:
    found = crossover([10, 20], [Interval(1.05, 0.7, 1.6), Interval(0.95, 0.6, 1.5)])
    assert found is not None
    # Each side is nearly a coin toss: a fall through 1 has a likelihood near 0.59 * 0.59.
    assert 0.2 < found.likelihood < 0.5
    assert not found.decided


@pytest.mark.parametrize("levels", [[10], [20, 10], [10, 20, 30]])
def test_crossover_refuses_levels_that_do_not_fit(levels: list[float]) -> None:
    with pytest.raises(ValueError, match="ascending levels"):
        crossover(levels, [Interval(1, 0.9, 1.1)] * 2)


def test_widths_are_what_the_schedule_stops_by(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20))
    found = widths(tmp_path, "p95_ms")
    assert list(found) == [("list", 10.0), ("list", 20.0)]
    interval = comparisons(judged)[0].ratios["p95_ms"].interval
    assert interval is not None
    expected = (interval.high - interval.low) / 2 / interval.estimate
    assert found["list", 10.0] == pytest.approx(expected)


def test_widths_are_not_known_before_both_sides_have_two_runs(tmp_path: Path) -> None:
    write_pair(tmp_path)
    write_run(tmp_path, variant="sync", threads=40)
    write_run(tmp_path, variant="sync", threads=40, repetition=2)
    write_run(tmp_path, variant="async", threads=40)
    found = widths(tmp_path, "mean_ms")
    assert found["list", 40.0] is None
    assert found["list", 10.0] is not None
    assert widths(tmp_path / "nothing-yet", "mean_ms") == {}
    with pytest.raises(UserError, match="unknown figure 'p97_ms'"):
        widths(tmp_path, "p97_ms")


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


def test_efficiency_is_relative_to_the_lowest_level(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40), second=1.5)
    ((_, systems),) = questions(judged)
    found = efficiencies(systems["sync"], "mean_ms")
    assert found is not None
    # Response times are as 1.5 : 2 : 3.
    expected = [100, 100 * 2 * 1.5 / 2, 100 * 4 * 1.5 / 3]
    assert [one.estimate for one in found.percents] == pytest.approx(expected, rel=0.03)
    assert found.bands == ("high", "high", "high")
    assert found.until(100) == 40
    assert found.percents[2].low < 200 < found.percents[2].high


def test_scalability_needs_four_levels(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40, 80))
    ((_, systems),) = questions(judged)
    assert scalability(systems["sync"]) is not None
    del systems["sync"][40.0]
    assert scalability(systems["sync"]) is None


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


def test_settings_that_are_varied_make_a_curve(tmp_path: Path) -> None:
    for pause, share in ((0, 0.5), (10, 0.2), (50, 0.0)):
        write_run(
            tmp_path / str(pause),
            variant="async",
            preset="thesis",
            failures={"not_ready": share} if share else None,
            record={"system": f"async-{pause}", "settings": {"pause": str(pause), "fetch": "once"}},
        )
        made = tmp_path / str(pause) / "runs" / "async-list-thesis-010-1"
        (tmp_path / "runs").mkdir(exist_ok=True)
        made.rename(tmp_path / "runs" / f"async-{pause}-1")
    judged = judge_all(load(tmp_path))
    ((_, systems),) = questions(judged)
    (points,) = varied_settings(systems).values()
    assert sorted((point.value, round(point.failed.estimate, 1)) for point in points) == [
        (0, 0.5),
        (10, 0.2),
        (50, 0.0),
    ]
    (plate,) = levels.by_setting(judged)
    assert plate.name == "by-setting-list-thesis-embedded-pause"


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
    assert judged.verdicts[folder.name].truncation is None
    with (folder / "samples.csv").open() as file:
        spans = [(int(row["timeStamp"]), int(row["elapsed"])) for row in csv.DictReader(file)]
    caught = sum(start < end and start + elapsed > begin for start, elapsed in spans)
    assert 10 <= caught < 500
    slowest = max(elapsed for _, elapsed in spans)
    words = loops.loops(judged, tabulate(judged.recorded))
    assert f"| cinema-ucd for 0.2 s | 1,000 | {caught} | {caught} | 0 | {slowest} |" in words
    assert len(list(operations.disturbances(judged))) == 1

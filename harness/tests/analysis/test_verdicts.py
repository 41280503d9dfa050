"""Every run is judged, and what is invalid is not used."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from testbed.analysis.quantities import failed_share
from testbed.analysis.samples import Measurement, load, measure
from testbed.analysis.sections.validity import validity
from testbed.analysis.summary import each_run, tabulate
from testbed.analysis.tables import failures
from testbed.analysis.verdicts import Verdict, in_flight, judge, judge_all
from testbed.model.errors import UserError

from .synthetic import EPOCH_MS, write_blocks, write_run

GOOD: dict[str, object] = {
    "complete_before": True,
    "complete_after": True,
    "generator_cpus": 2,
    "generator_ceiling_per_s": 11_000,
}


def measured(path: Path, **options: Any) -> Measurement:
    record = {**GOOD, **options.pop("record", {})}
    write_run(path, record=record, **options)
    (measurement,) = load(path).measurements
    return measurement


def outcome(verdict: Verdict, name: str) -> str:
    (outcome,) = (check.outcome for check in verdict.checks if check.name == name)
    return outcome


def test_a_good_run_is_valid(tmp_path: Path) -> None:
    write_blocks(tmp_path, record=GOOD)
    (measurement,) = load(tmp_path).measurements
    verdict = judge(measurement, {"usable_cpus": 2})
    assert verdict.status == "valid", verdict
    passed = {check.name for check in verdict.checks if check.outcome == "passed"}
    not_checked = {
        *("users pause", "offered = achieved", "generator late"),
        *("other programs", "suspension"),
    }
    assert passed == {check.name for check in verdict.checks} - not_checked


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"expected_operations": 1001}, "operations: 1,000 of 1,001 (limit: all)"),
        ({"complete_before": "cinema ucd is missing"}, "before: cinema ucd is missing"),
        ({"generator_cpu_s": 15.0}, "generator CPU: 75 % of 2 cores"),
        ({"generator_ceiling_per_s": 700}, "generator ceiling"),
        ({"generator_cpus": 8, "generator_cpu_s": 0.1}, "8 usable cores, 2 at the start"),
    ],
)
def test_each_fault_makes_a_run_invalid_and_is_named(
    tmp_path: Path, changed: dict[str, object], reason: str
) -> None:
    verdict = judge(measured(tmp_path, record=changed), {"usable_cpus": 2})
    assert verdict.status == "invalid"
    assert reason in str(verdict)
    assert len(verdict.reasons) == 1


def test_a_generator_with_a_core_of_its_own_is_judged_by_that_core(tmp_path: Path) -> None:
    # On shared cores that are busy it may use a third, and a ceiling would count.
    record = {
        "cores_apart": 1,
        "generator_ceiling_per_s": 700,
        "generator_cpu_s": 7.0,
        "server_cpu_s": {"gateway": 9.0},
    }
    verdict = judge(measured(tmp_path / "apart", record=record), {"usable_cpus": 2})
    assert verdict.status == "valid", verdict
    record["generator_cpu_s"] = 9.0
    verdict = judge(measured(tmp_path / "full", record=record), {"usable_cpus": 2})
    assert verdict.reasons == ("generator CPU: 90 % of its own cores: 1 (limit: at most 70 %)",)


def test_what_a_record_does_not_tell_is_not_checked(tmp_path: Path) -> None:
    write_run(tmp_path)
    (measurement,) = load(tmp_path).measurements
    verdict = judge(measurement, {})
    assert verdict.status == "valid"
    unknown = ("complete before", "rows", "length", "warm before", "environment")
    assert {outcome(verdict, name) for name in unknown} == {"not checked"}
    assert outcome(verdict, "operations") == "passed"


Rows = list[str]


def row(start_ms: int, elapsed_ms: int = 5, label: str = "list", thread: int = 1) -> str:
    """Return a row of `write_run`'s files; ``start_ms`` since the first."""
    return (
        f"{EPOCH_MS + start_ms},{elapsed_ms},{label},200,,sync list users-1-{thread},text,true,,"
        "1200,130,10,10,http://localhost:8099/,5,0,0"
    )


def moved(rows: Rows, after: int, by_ms: int, thread: str = "") -> Rows:
    """Return rows of which those of a thread (all) from a moment on begin so much later."""
    changed = []
    for row in rows:
        start, rest = row.split(",", 1)
        late = int(start) - EPOCH_MS >= after and (not thread or f"users-1-{thread}," in row)
        changed.append(f"{int(start) + by_ms if late else start},{rest}")
    return changed


@pytest.mark.parametrize(
    ("check", "fault", "figure"),
    [
        ("damaged rows", lambda rows: [*rows[:4], f"{EPOCH_MS},1", *rows[4:]], "line 6"),
        ("labels", lambda rows: [*rows[:7], row(0, 5, "reserve"), *rows[8:]], "1 of reserve"),
        (
            "labels",
            lambda rows: [row.replace(",list,", ",reserve,") for row in rows],
            "no row of list in block-1.csv, but 1,000 of reserve",
        ),
        # Of every thread, or of one only; backwards or forwards; out of the block from the start.
        ("clock", lambda rows: moved(rows, 300, -400), "the first in block-1.csv line "),
        ("clock", lambda rows: moved(rows, 300, -400, "3"), "1, the first in block-1.csv line "),
        ("clock", lambda rows: moved(rows, 300, 1500), "the first in block-1.csv line "),
        ("clock", lambda rows: moved(rows, 300, 1050, "3"), "the first in block-1.csv line "),
        ("clock", lambda rows: moved(rows, 0, 3_600_000), "1,000, the first in block-1.csv line 2"),
        ("doubled rows", lambda rows: [*rows[:9], rows[3], *rows[9:]], "line 11"),
        ("rows", lambda rows: [*rows[:9], *rows[10:]], "999 of 1,000 in block-1.csv"),
        ("rows", lambda rows: [*rows[:9], rows[3], *rows[9:]], "1,001 of 1,000 in block-1.csv"),
        ("length", lambda rows: rows[:400], " s in block-1.csv"),
    ],
)
def test_a_fault_in_a_file_of_one_block_makes_the_run_invalid_and_is_named(
    tmp_path: Path, check: str, fault: Callable[[Rows], Rows], figure: str
) -> None:
    folder = write_blocks(tmp_path, record=GOOD)
    write_blocks(tmp_path, repetition=2, record=GOOD)
    file = folder / "block-1.csv"
    header, *rows = file.read_text().splitlines()
    file.write_text("\n".join([header, *fault(rows)]) + "\n")
    judged = judge_all(load(tmp_path))
    verdict = judged.verdicts[folder.name]
    assert verdict.status == "invalid", verdict
    (shown,) = (of_run.figure for of_run in verdict.checks if of_run.name == check)
    assert outcome(verdict, check) == "failed"
    assert figure in shown
    assert [measurement.run.repetition for measurement in judged.used.measurements] == [2]


def test_rows_that_look_the_same_are_not_doubled_where_their_number_is_right(
    tmp_path: Path,
) -> None:
    folder = write_blocks(tmp_path, record=GOOD)
    file = folder / "block-1.csv"
    header, *rows = file.read_text().splitlines()
    # The clock was set between two operations of a thread that took as long.
    index = next(i for i, row in enumerate(rows) if i > 500 and "users-1-3," in row)
    before = next(row for row in reversed(rows[:index]) if "users-1-3," in row)
    file.write_text("\n".join([header, *rows[:index], before, *rows[index + 1 :]]) + "\n")
    verdict = judge(load(tmp_path).measurements[0], {})
    assert outcome(verdict, "doubled rows") == "passed"
    assert verdict.status == "valid", verdict


def test_warm_up_rows_are_told_and_are_no_fault(tmp_path: Path) -> None:
    folder = write_blocks(tmp_path, record=GOOD)
    file = folder / "block-2.csv"
    header, *rows = file.read_text().splitlines()
    warm_up = [row(i, 5, "warm-up list") for i in range(30)]
    file.write_text("\n".join([header, *warm_up, *rows[30:]]) + "\n")
    verdict = judge(load(tmp_path).measurements[0], {})
    (check,) = (check for check in verdict.checks if check.name == "labels")
    assert (check.outcome, check.figure) == ("passed", "30 of warm-up list")


def test_a_file_whose_rows_are_all_of_others_stops_no_report(tmp_path: Path) -> None:
    folder = write_run(tmp_path, record=GOOD)
    file = folder / "samples.csv"
    file.write_text(file.read_text().replace(",list,", ",reserve,"))
    measurement = load(tmp_path).measurements[0]
    assert (measurement.duration_s, measurement.pace.ok_per_s) == (0, None)
    assert judge(measurement, {}).status == "invalid"
    (summary,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert (summary["operations"], summary["ok_per_s"]) == (0, None)
    (row,) = each_run(judge_all(load(tmp_path))).iter_rows(named=True)
    assert (row["verdict"], row["operations"], row["failed_share"]) == ("invalid", 0, None)


def test_a_run_without_a_file_of_one_block_is_named_and_loses_no_other(tmp_path: Path) -> None:
    (write_blocks(tmp_path) / "block-2.csv").unlink()
    with pytest.raises(UserError, match=r"block-2\.csv.* does not exist"):
        load(tmp_path)
    write_blocks(tmp_path, repetition=2)
    assert len(load(tmp_path).measurements) == 1


def divide(
    folder: Path, fault: Callable[[Rows], Rows] = lambda rows: rows, **of_second: object
) -> None:
    """Make the blocks of 10 threads those of two generators; the second has a fault."""
    record = json.loads((folder / "run.json").read_text())
    for block in record["blocks"]:
        whole, block["generators"] = folder / block["file"], []
        header, *rows = whole.read_text().splitlines()
        whole.unlink()
        for number in (1, 2):
            # Both number their threads from 1.
            own = [
                re.sub(r"users-1-\d+", f"users-1-{thread - 5 * (number - 1)}", row)
                for row in rows
                if ((thread := int(re.findall(r"users-1-(\d+)", row)[0])) > 5) == (number == 2)
            ]
            share = {"threads": 5, "samples": len(own), "cpu_s": 0.2, "clock_offset_ms": 0.0}
            if number == 2:
                own, share = fault(own), share | of_second
            file = whole.with_stem(f"{whole.stem}-{number}")
            file.write_text("\n".join([header, *own]) + "\n")
            block["generators"].append({**share, "file": file.name})
    (folder / "run.json").write_text(json.dumps(record))


def idle(rows: Rows) -> Rows:
    """Return rows with 1 ms more between two operations of a thread."""
    made: dict[str, int] = {}
    changed = []
    for row in rows:
        (thread,) = re.findall(r"users-1-\d+", row)
        changed += moved([row], 0, made.setdefault(thread, 0))
        made[thread] += 1
    return changed


def slowed(rows: Rows) -> Rows:
    """Return rows whose operations take half as long again, one right after the other."""
    cells = [row.split(",", 2) for row in rows]
    first = min(int(start) for start, _, _ in cells)
    return [
        f"{first + 3 * (int(start) - first) // 2},{3 * int(elapsed) // 2},{rest}"
        for start, elapsed, rest in cells
    ]


def test_two_generators_are_read_as_one(tmp_path: Path) -> None:
    for name in ("one", "two"):
        # Each reaches that; together they put on about 965 operations per second.
        write_blocks(tmp_path / name, record=GOOD | {"generator_ceiling_per_s": 800})
    divide(next((tmp_path / "two" / "runs").iterdir()))
    measurement, two = (load(tmp_path / name).measurements[0] for name in ("one", "two"))

    assert two.pace == measurement.pace
    assert two.rows == measurement.rows
    columns = ["start_ms", "elapsed_ms", "block"]
    assert (
        two.operations.select(columns)
        .sort(columns)
        .equals(measurement.operations.select(columns).sort(columns))
    )
    assert two.samples["start_ms"].to_list() == measurement.samples["start_ms"].to_list()
    assert two.operations["thread"].n_unique() == 10
    assert [part.operations.height for part in two.generators] == [
        two.operations.filter(pl.col("thread").cast(pl.String).str.starts_with(start)).height
        for start in ("generator 1 ", "generator 2 ")
    ]
    assert measurement.generators == ()
    verdict = judge(two, {"usable_cpus": 2})
    assert verdict.status == "valid", verdict
    assert outcome(verdict, "generators in step") == "passed"
    assert outcome(verdict, "generators alike") == "passed"
    assert validity(judge_all(load(tmp_path / "two")))


@pytest.mark.parametrize(
    ("fault", "record", "reason"),
    [
        # Of the whole it is 4 %, within the limit.
        (idle, {}, r"Little's law: generator 2: X·R = 4\.\d+ for 5 threads, -[89]\.\d %"),
        # A wait for a processor within operations, which Little's law does not see.
        (slowed, {}, r"generators alike: operations of generator 2 take \+[45]\d %"),
        (
            lambda rows: moved(rows, 0, 600),
            {},
            r"generators in step: generator 2 began 0\.60 s after the first",
        ),
        (lambda rows: rows[1:], {}, r"rows: generator 2: 499 of 500 in block-1-2\.csv \(limit"),
        (lambda rows: rows, {"cpu_s": 17.0}, r"generator CPU: generator 2: 7\d % of 2 cores"),
    ],
)
def test_a_generator_that_fails_is_named_though_the_other_is_well(
    tmp_path: Path, fault: Callable[[Rows], Rows], record: dict[str, object], reason: str
) -> None:
    folder = write_blocks(tmp_path, record=GOOD)
    # What is not of two generators has no such check, and is in the same table.
    write_blocks(tmp_path, repetition=2, record=GOOD)
    divide(folder, fault, **record)
    judged = judge_all(load(tmp_path))

    verdict = judged.verdicts[folder.name]
    assert verdict.status == "invalid", verdict
    assert re.match(rf"invalid: {reason}", str(verdict))
    assert len(verdict.reasons) == 1
    assert re.search(r"✗ [^|]*generator 2", validity(judged))


def test_littles_law_finds_threads_that_spend_their_time_elsewhere(tmp_path: Path) -> None:
    measurement = measured(tmp_path)
    # 1 ms more between operations of 10 ms: 9 % of the time is not spent in the system.
    idle = measurement.operations.with_columns(
        pl.col("start_ms") + pl.int_range(pl.len()).over("thread")
    )
    verdict = judge(replace(measurement, operations=idle), {})
    assert outcome(judge(measurement, {}), "Little's law") == "passed"
    assert outcome(verdict, "Little's law") == "failed"
    assert "-9." in str(verdict) or "-8." in str(verdict)
    # On busy cores users wait for a processor in between.
    busy = tuple(
        replace(block, wall_s=10.0, generator_cpu_s=5.0, server_cpu_s={"gateway": 14.0})
        for block in measurement.run.blocks
    )
    waiting = replace(measurement, operations=idle, run=replace(measurement.run, blocks=busy))
    assert outcome(judge(waiting, {}), "Little's law") == "passed"


def closed_run(path: Path, threads: list[list[int]], between_ms: int = 0) -> Measurement:
    """Write a closed loop: for each thread the times of its operations, ms."""
    folder = write_run(path, threads=len(threads), loops=1, record=GOOD)
    rows = []
    for number, times in enumerate(threads, 1):
        at = 0
        for elapsed in times:
            rows.append(row(at, elapsed, thread=number))
            at += elapsed + between_ms
    header = (folder / "samples.csv").read_text().splitlines()[0]
    (folder / "samples.csv").write_text("\n".join([header, *rows]) + "\n")
    return load(path).measurements[0]


def test_users_of_a_plan_of_the_users_own_may_pause(tmp_path: Path) -> None:
    measurement = closed_run(tmp_path, [[10] * 20] * 4, between_ms=2000)
    paused = measure(replace(measurement.run, users_pause=True))
    verdict = judge(paused, {})

    assert judge(measurement, {}).status == "invalid"
    assert verdict.status == "users pause"
    assert "users pause: 99 % of the time" in str(verdict)
    for check in ("Little's law", "stall", "length"):
        assert outcome(verdict, check) == "not checked"


def test_littles_law_allows_for_what_a_generator_needs_between_short_operations(
    tmp_path: Path,
) -> None:
    # 1 ms after every 6th operation of 2 ms: 7.7 % of the time, less than 0.2 ms per operation.
    quick = [2, 2, 2, 2, 2, 3] * 50
    for name, most in (("quick", "passed"), ("slow", "failed")):
        times = quick if name == "quick" else [10 * time_ms for time_ms in quick]
        measurement = closed_run(tmp_path / name, [times] * 4)
        step = 1 if name == "quick" else 10
        late = step * (pl.int_range(pl.len()).over("thread") // 6)
        idle = measurement.operations.with_columns(pl.col("start_ms") + late)
        verdict = judge(replace(measurement, operations=idle), {})
        assert outcome(verdict, "Little's law") == most


def test_time_in_flight_is_counted_only_while_all_threads_run(tmp_path: Path) -> None:
    measurement = closed_run(tmp_path, [[100, 100], [100, 150]])
    late = measurement.operations.with_columns(
        pl.when(pl.col("thread").cast(pl.String).str.ends_with("-2"))
        .then(pl.col("start_ms") + 50)
        .otherwise("start_ms")
        .alias("start_ms")
    )
    # From 50 to 200 ms, two threads, always busy: N is 2.
    rate, response_s, count = in_flight(replace(measurement, operations=late)) or (0, 0, 0)
    assert count == 4
    assert rate * response_s == pytest.approx(2)
    assert rate == pytest.approx(4 / 0.15)


def test_time_in_flight_is_added_up_over_blocks(tmp_path: Path) -> None:
    write_blocks(tmp_path, medians_ms=(10, 30))
    (measurement,) = load(tmp_path).measurements
    rate, response_s, count = in_flight(measurement) or (0, 0, 0)
    assert rate * response_s == pytest.approx(10, rel=0.01)
    counts = [flow[2] for block in measurement.blocks if (flow := in_flight(block))]
    assert sum(counts) == count


def test_a_loop_that_stalls_is_marked_used_whole_and_decides(tmp_path: Path) -> None:
    steady = [10] * 300
    stalled = closed_run(tmp_path, [[*steady, 1300, *steady]] * 4)
    judged = judge_all(load(tmp_path))
    (verdict,) = judged.verdicts.values()
    assert str(verdict) == ("stalled: stall: 1.30 s (limit: at most 1 s or 10 mean response times)")
    (used,) = judged.deciding
    assert used.operations.height == stalled.operations.height
    # One slow answer among others, and times that are always long, are no stall.
    closed_run(tmp_path / "one", [[*steady, 1300, *steady], steady * 3])
    closed_run(tmp_path / "slow", [[1500] * 60])
    for name in ("one", "slow"):
        (verdict,) = judge_all(load(tmp_path / name)).verdicts.values()
        assert outcome(verdict, "stall") == "passed"


def test_a_run_that_changes_over_its_time_does_not_decide(tmp_path: Path) -> None:
    # Each block is steady by itself.
    changing = write_blocks(tmp_path, medians_ms=(16, 10), loops=200, record=GOOD)
    write_blocks(tmp_path, medians_ms=(10.4, 10), loops=200, repetition=2, record=GOOD)
    judged = judge_all(load(tmp_path))
    verdict = judged.verdicts[changing.name]
    assert verdict.status == "still warming", verdict
    assert "% over 2 blocks" in str(verdict)
    assert [measurement.run.repetition for measurement in judged.used.measurements] == [1, 2]
    assert [measurement.run.repetition for measurement in judged.deciding] == [2]


def test_what_the_machine_does_to_systems_that_take_turns_is_no_trend(tmp_path: Path) -> None:
    def pair(path: Path, second: float) -> list[str]:
        for system, other, times in (("sync", "async", 1.0), ("async", "sync", second)):
            medians = (13 * times, 13 * times ** (2 / 3), 10 * times ** (1 / 3), 10)
            write_blocks(
                path, variant=system, beside=other, medians_ms=medians, loops=200, record=GOOD
            )
        return [verdict.status for verdict in judge_all(load(path)).verdicts.values()]

    assert pair(tmp_path / "alike", 1.0) == ["valid", "valid"]
    # Both became quicker, the second more so than the first.
    assert pair(tmp_path / "apart", 1.6) == ["valid", "still warming"]


def test_where_most_operations_fail_all_of_them_tell_what_is_warm(tmp_path: Path) -> None:
    def status(path: Path, medians: tuple[float, float], *failed: float) -> str:
        shares = tuple({"rejected": share} for share in failed)
        write_blocks(path, medians_ms=medians, loops=200, failures=shares, record=GOOD)
        (verdict,) = judge_all(load(path)).verdicts.values()
        return verdict.status

    # A queue that was full in one block.
    assert status(tmp_path / "full", (10, 10), 0.3, 0.99) == "valid"
    assert status(tmp_path / "cold", (17, 10), 0.9, 0.9) == "still warming"
    assert status(tmp_path / "some", (10, 10), 0.0, 0.5) == "still warming"


def test_a_trend_within_one_block_does_not_decide(tmp_path: Path) -> None:
    times = [round(20 - 10 * i / 500) for i in range(500)]
    measurement = closed_run(tmp_path, [times] * 4)
    verdict = judge(measurement, {})
    assert verdict.status == "still warming", verdict


def test_a_cold_run_does_not_decide_even_if_it_is_overloaded(tmp_path: Path) -> None:
    cold = {**GOOD, "warm": False, "complete_after": "504"}
    write_blocks(tmp_path, record=cold)
    judged = judge_all(load(tmp_path))
    (verdict,) = judged.verdicts.values()
    assert verdict.status == "still warming"
    assert "warm before: no, 60 s after the start" in str(verdict)
    assert judged.deciding == ()
    assert judged.used.measurements[0].overloaded


def test_a_run_whose_load_or_service_was_to_change_has_no_trend(tmp_path: Path) -> None:
    record = {**GOOD, "disturbance": {"service": "gateway", "stopped": None}}
    write_blocks(tmp_path, medians_ms=(20, 10), record=record)
    assert outcome(judge(load(tmp_path).measurements[0], {}), "trend") == "not checked"


def test_an_open_loop_whose_times_change_does_not_decide(tmp_path: Path) -> None:
    measurement = open_run(tmp_path, [0] * 600)
    for last, status in ((40, "still warming"), (22, "valid")):
        times = pl.Series("elapsed_ms", np.linspace(20, last, 600).astype(np.int32))
        changed = replace(measurement, operations=measurement.operations.with_columns(times))
        assert judge(changed, {}).status == status


def test_too_few_operations_have_no_trend(tmp_path: Path) -> None:
    verdict = judge(measured(tmp_path, threads=4, loops=10), {})
    assert verdict.status == "valid"
    assert outcome(verdict, "trend") == "not checked"


def test_the_table_has_the_worst_runs_first_and_what_was_found_of_each(tmp_path: Path) -> None:
    good = write_blocks(tmp_path, record=GOOD)
    cold = write_blocks(tmp_path, repetition=2, record={**GOOD, "warm": False})
    short = write_blocks(tmp_path, repetition=3, record=GOOD)
    rows = (short / "block-2.csv").read_text().splitlines()
    (short / "block-2.csv").write_text("\n".join(rows[:-1]) + "\n")
    text = validity(judge_all(load(tmp_path)))
    table = [line for line in text.splitlines() if line.startswith("|")]
    header, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in table)
    assert header[:3] == ["run", "verdict", "operations"]
    assert [line[:2] for line in lines[1:]] == [
        [f"`{short.name}`", "**invalid**"],
        [f"`{cold.name}`", "**still warming**"],
        [f"`{good.name}`", "valid"],
    ]
    assert [line[header.index("rows")] for line in lines[1:]] == [
        "**✗ 999 of 1,000 in block-2.csv**",
        "2,000",
        "2,000",
    ]
    assert lines[2][header.index("warm before")] == "**✗ no, 60 s after the start**"
    assert "Failed by no run: labels, damaged rows, doubled rows, clock, runs in one file" in text
    unknown = (
        "users pause, offered = achieved, generator late, environment, other programs, suspension"
    )
    assert f"so not checked: {unknown}." in text


def test_a_run_of_which_nothing_counts_is_not_used(tmp_path: Path) -> None:
    write_blocks(tmp_path, record=GOOD)
    # Every operation begins before its block has settled.
    late = write_blocks(tmp_path, repetition=2, settle_s=1_000, record=GOOD)
    judged = judge_all(load(tmp_path))

    assert [measurement.run.repetition for measurement in judged.used.measurements] == [1]
    assert outcome(judged.verdicts[late.name], "operations") == "failed"


def test_invalid_runs_are_recorded_and_not_used(tmp_path: Path) -> None:
    write_run(tmp_path, record=GOOD)
    bad = write_run(tmp_path, repetition=2, record={**GOOD, "complete_before": "ucd"})
    judged = judge_all(load(tmp_path))
    assert [measurement.run.repetition for measurement in judged.used.measurements] == [1]
    assert len(judged.recorded.measurements) == 2
    assert judged.verdicts[bad.name].status == "invalid"


@pytest.mark.parametrize(("ceiling", "status"), [(1_250, "invalid"), (1_500, "valid")])
def test_a_load_is_at_most_70_percent_of_what_its_generator_reaches(
    tmp_path: Path, ceiling: int, status: str
) -> None:
    # About 965 operations per second.
    verdict = judge(measured(tmp_path, record={"generator_ceiling_per_s": ceiling}), {})
    assert verdict.status == status


def open_run(
    path: Path,
    delays: list[int],
    planned: int | None = None,
    record: dict[str, object] | None = None,
) -> Measurement:
    """Write an open-loop run of arrivals 10 ms apart that start so many ms late."""
    count = len(delays)
    run = write_run(
        path,
        threads=1,
        loops=count,
        record={
            **GOOD,
            "expected_operations": count,
            "mode": "open",
            "level": 100,
            "rate": 100,
            "arrivals": {"kind": "constant", "seed": 1, "planned": planned or count},
            "generator_cpu_s": 0.1,
            "server_cpu_s": {"gateway": 0.5},
            **(record or {}),
        },
    )
    rows = pl.read_csv(run / "samples.csv", infer_schema=False)
    intended = np.arange(count) * 10 + 1_760_000_000_000
    rows.with_columns(
        pl.Series("timeStamp", intended + np.array(delays)),
        pl.lit("5").alias("elapsed"),
        pl.Series("intended", intended),
    ).write_csv(run / "samples.csv")
    (measurement,) = load(path).measurements
    return measurement


def test_open_loop_times_count_from_the_intended_start(tmp_path: Path) -> None:
    measurement = open_run(tmp_path, [0] * 98 + [10, 11])
    assert measurement.operations["elapsed_ms"].to_list() == [5] * 98 + [15, 16]
    assert measurement.operations["service_ms"].to_list() == [5] * 100
    assert (measurement.late, measurement.dropped) == (1, 0)
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert (row["mode"], row["level"], row["late"], row["dropped"]) == ("open", 100, 1, 0)
    assert row["service_mean_ms"] == 5
    assert row["mean_ms"] == pytest.approx(5.21)


def test_open_loop_must_achieve_what_it_offers(tmp_path: Path) -> None:
    assert judge(open_run(tmp_path / "good", [0] * 100), {}).status == "valid"
    behind = judge(open_run(tmp_path / "behind", list(range(0, 200, 2))), {})
    assert outcome(behind, "offered = achieved") == "failed"
    dropped = judge(open_run(tmp_path / "dropped", [0] * 100, planned=110), {})
    assert "10 of 110 dropped" in str(dropped)


def test_a_system_that_does_not_carry_its_load_is_overloaded_not_invalid(tmp_path: Path) -> None:
    behind = judge(open_run(tmp_path / "behind", list(range(0, 200, 2))), {})
    assert behind.status == "overloaded"
    assert str(behind).startswith("overloaded: offered = achieved: ")
    stuck = judge(measured(tmp_path / "stuck", record={"complete_after": "504"}), {})
    assert str(stuck) == "overloaded: complete after: 504 (limit: all)"
    # The generator may be what could not.
    slow = {"generator_cpu_s": 15.0}
    starved = judge(open_run(tmp_path / "starved", list(range(0, 200, 2)), record=slow), {})
    assert starved.status == "invalid"
    unready = {"complete_before": "ucd", "complete_after": "ucd"}
    assert judge(measured(tmp_path / "unready", record=unready), {}).status == "invalid"


def test_an_overloaded_run_is_used_and_what_never_began_has_failed(tmp_path: Path) -> None:
    open_run(tmp_path, [100 - 5 * i for i in range(20)] + [0] * 80, planned=125)
    judged = judge_all(load(tmp_path))
    (verdict,) = judged.verdicts.values()
    assert verdict.status == "overloaded"
    (used,) = judged.used.measurements
    assert used.overloaded
    assert used.operations.height == 100
    assert failed_share([used]).estimate == 0.2
    (row,) = tabulate(judged.used).iter_rows(named=True)
    assert (row["operations"], row["ok"], row["failed"]) == (100, 100, 25)
    assert (row["not_begun"], row["not_begun_share"], row["failed_share"]) == (25, 0.2, 0.2)
    assert failures(row) == "not begun 25 (20.0 %)"


def test_an_open_loops_goodput_is_over_the_time_of_its_plan(tmp_path: Path) -> None:
    # 100 arrivals of 1 s; the last of them waits for 5 s.
    plan = {"kind": "constant", "planned": 100, "length_s": 1.0}
    measurement = open_run(tmp_path / "told", [0] * 99 + [5000], record={"arrivals": plan})
    assert (measurement.duration_s, measurement.pace.ok_per_s) == (pytest.approx(5.995), 100)
    unknown = open_run(tmp_path / "unknown", [0] * 99 + [5000])
    assert unknown.pace.ok_per_s == pytest.approx(100 / 5.995)


def test_a_service_that_was_stopped_for_good_explains_what_is_missing_after(tmp_path: Path) -> None:
    stop = {"service": "gateway", "at_s": 1, "for_s": None, "started": "2026-11-21T00:00:11Z"}
    for stopped, expected in (("2026-11-21T00:00:01Z", "not checked"), (None, "failed")):
        record = {"complete_after": "no answer", "disturbance": {**stop, "stopped": stopped}}
        verdict = judge(measured(tmp_path / expected, record=record), {})
        assert outcome(verdict, "complete after") == expected


def test_arrivals_that_begin_late_with_users_free_are_the_generators_fault(tmp_path: Path) -> None:
    # One user, 5 ms per operation, an arrival each 10 ms: one in ten begins 14 ms late, with nobody
    # in the way, and those that follow it wait for the user.
    late = judge(open_run(tmp_path / "late", [14, 9, 4] * 10 + [0] * 70), {})
    assert late.status == "invalid"
    assert late.reasons[0] == (
        "generator late: 10 % began over 10 ms late (limit: at most 5 % of arrivals)"
    )
    # As late, but since the user was busy: the system's.
    slow = open_run(tmp_path / "slow", [12 * i for i in range(100)])
    busy = slow.operations.with_columns(service_ms=pl.lit(22, pl.Int32))
    verdict = judge(replace(slow, operations=busy), {})
    assert outcome(verdict, "generator late") == "passed"
    assert verdict.status == "overloaded"
    few = judge(open_run(tmp_path / "few", [14, 9, 4] * 5 + [0] * 85), {})
    assert outcome(few, "generator late") == "passed"


@pytest.mark.parametrize(
    ("generator_s", "servers_s", "late", "cpu"),
    [
        (0.4, 1.5, "passed", "passed"),
        (0.4, 1.2, "failed", "passed"),
        # The generator itself keeps the cores busy.
        (1.1, 0.8, "passed", "failed"),
    ],
)
def test_arrivals_that_begin_late_on_busy_cores_are_the_loads_fault(
    tmp_path: Path, generator_s: float, servers_s: float, late: str, cpu: str
) -> None:
    # A second of arrivals; before, the generator waited for two.
    used = {
        "wall_s": 3.0,
        "generator_cpu_s": generator_s,
        "server_cpu_s": {"gateway": servers_s},
    }
    verdict = judge(open_run(tmp_path, [14, 9, 4] * 10 + [0] * 70, record=used), {})
    assert (outcome(verdict, "generator late"), outcome(verdict, "generator CPU")) == (late, cpu)


@pytest.mark.parametrize(
    ("ceiling", "generator", "servers", "status"),
    [
        (None, 1.1, 0.5, "valid"),
        (None, 0.6, 1.4, "valid"),
        (None, 0.8, 1.1, "invalid"),
        # Far from its ceiling, it is not what limits the load; but no system shows beyond a half.
        (11_000, 0.8, 1.1, "valid"),
        (11_000, 1.1, 0.8, "invalid"),
        (11_000, 1.5, 0.1, "invalid"),
    ],
)
def test_a_generator_may_not_take_much_of_cores_that_are_all_busy(
    tmp_path: Path, ceiling: float | None, generator: float, servers: float, status: str
) -> None:
    folder = write_blocks(tmp_path, record=GOOD | {"generator_ceiling_per_s": ceiling})
    record = json.loads((folder / "run.json").read_text())
    for block in record["blocks"]:
        # A system that is up beside it takes from the same cores.
        block |= {
            "wall_s": 10,
            "generator_cpu_s": 10 * generator,
            "server_cpu_s": {"gateway": 8 * servers},
            "idle_cpu_s": {"the other": 2 * servers},
        }
    (folder / "run.json").write_text(json.dumps(record))
    assert judge(load(tmp_path).measurements[0], {}).status == status


def test_disturbed_blocks_count_in_no_figure(tmp_path: Path) -> None:
    write_blocks(
        tmp_path,
        medians_ms=(90.0, 10.0, 10.0, 90.0, 10.0, 10.0),
        others=(0.5, 0.0, 0.0, 0.2, 0.0, 0.1),
        record=GOOD | {"planned_blocks": 4},
    )
    (measurement,) = load(tmp_path).measurements
    verdict = judge(measurement, {"usable_cpus": 2})

    assert verdict.status == "valid", verdict
    assert [block.file.name[6] for block in measurement.run.blocks] == ["2", "3", "5", "6"]
    assert [block.file.name[6] for block in measurement.run.left_out] == ["1", "4"]
    assert len(measurement.blocks) == 4
    assert measurement.operations["elapsed_ms"].max() < 60
    (check,) = [check for check in verdict.checks if check.name == "other programs"]
    assert check.outcome == "passed"
    assert check.figure == "up to 50 % (cc1); 4 of 4 planned blocks count"


@pytest.mark.parametrize(
    ("others", "status"),
    [
        ((0.5, 0.0, 0.0, 0.5), "valid"),
        ((0.5, 0.0, 0.5, 0.5), "disturbed"),
        ((0.5, 0.5, 0.5, 0.5), "disturbed"),
        ((0.1, 0.1, 0.1, 0.1), "valid"),
    ],
)
def test_a_run_with_too_few_undisturbed_blocks_is_disturbed(
    tmp_path: Path, others: tuple[float, ...], status: str
) -> None:
    write_blocks(tmp_path, medians_ms=(10.0,) * 4, others=others, record={"planned_blocks": 4})
    judged = judge_all(load(tmp_path))
    (verdict,) = judged.verdicts.values()

    assert verdict.status == status
    assert len(judged.deciding) == (status == "valid")
    assert len(judged.used.measurements) == 1


def test_what_is_wrong_with_a_disturbed_run_may_come_from_it(tmp_path: Path) -> None:
    record = {"complete_after": "the list misses ucd", "warm": False}
    write_blocks(tmp_path / "one", others=(0.5, 0.5), record=record)
    (measurement,) = load(tmp_path / "one").measurements
    verdict = judge(measurement, {})
    assert verdict.status == "disturbed"
    assert "other programs: up to 50 % (cc1); 0 of 2 planned blocks count" in str(verdict)

    write_blocks(tmp_path / "two", others=(0.5, 0.5), record={"complete_before": "no"})
    (measurement,) = load(tmp_path / "two").measurements
    assert judge(measurement, {}).status == "invalid"


def test_a_run_that_was_not_watched_is_not_disturbed(tmp_path: Path) -> None:
    write_blocks(tmp_path)
    (measurement,) = load(tmp_path).measurements
    verdict = judge(measurement, {})
    assert outcome(verdict, "other programs") == "not checked"
    assert not measurement.run.disturbed


@pytest.mark.parametrize(
    ("cpu_s", "outcome", "figure"),
    [
        (0.9, "passed", "not needed: it used 4 % of its cores"),
        (9.0, "not checked", "not measured"),
        (None, "not checked", "not measured"),
    ],
)
def test_an_idle_generator_needs_no_ceiling(
    tmp_path: Path, cpu_s: float | None, outcome: str, figure: str
) -> None:
    record = {"generator_ceiling_per_s": None, "generator_cpu_s": cpu_s}
    verdict = judge(measured(tmp_path, record=record), {})

    (check,) = [check for check in verdict.checks if check.name == "generator ceiling"]
    assert (check.outcome, check.figure) == (outcome, figure)

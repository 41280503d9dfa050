"""With a file of arrivals, the plans are an open loop: each operation has a moment to begin at."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Outcome, Row, RunPlan

PLANS = ("sync-list", "sync-reserve", "async-list", "async-reserve")


def arrivals_file(folder: Path, offsets: list[int]) -> Path:
    file = folder / "arrivals.csv"
    # As the harness writes it: only sessions read the second number.
    file.write_text("".join(f"{offset},{number}\n" for number, offset in enumerate(offsets)))
    return file


def opened(file: Path, **properties: object) -> dict[str, object]:
    return {"ramp": 0, "arrivals": file, "sample_variables": "intended", **properties}


def lateness_ms(rows: list[Row]) -> list[int]:
    return [int(row["timeStamp"]) - int(row["intended"]) for row in rows]


@pytest.mark.parametrize("plan", PLANS)
def test_an_open_loop_begins_each_operation_at_its_moment(
    run_plan: RunPlan, tmp_path: Path, plan: str
) -> None:
    # A few that meet the generator's own start, and then a rest.
    scheduled = [17 * number for number in range(60)] + [500] * 5
    offsets = [0] * 10 + sorted(2000 + offset for offset in scheduled)
    outcome = run_plan(plan, (), opened(arrivals_file(tmp_path, offsets), threads=10))

    rows = outcome.of(plan)
    assert all(row["success"] == "true" for row in rows)
    first = min(int(row["intended"]) for row in rows)
    # Every arrival once, all counted from one moment.
    assert sorted(int(row["intended"]) - first for row in rows) == offsets
    # JMeter's clock of samples follows the one it waits by, but not at once when that is set.
    assert min(lateness_ms(rows)) >= -100
    # The best of many, as most may want the cores on a busy machine.
    assert min(lateness_ms([row for row in rows if int(row["intended"]) > first])) <= 100
    # The parts of an operation carry its moment too.
    assert {row["intended"] for row in outcome.rows} == {row["intended"] for row in rows}


@pytest.mark.parametrize("workload", ["list", "reserve"])
def test_the_wait_for_its_moment_is_no_part_of_an_operation(
    run_plan: RunPlan, tmp_path: Path, workload: str
) -> None:
    file = arrivals_file(tmp_path, [0, 1500, 3000])
    outcome = run_plan(f"async-{workload}", (), opened(file, threads=1))

    waited = outcome.of(f"async-{workload}")[1:]
    assert min(int(row["elapsed"]) for row in waited) < 1500


def test_no_more_are_in_flight_than_there_are_users_and_the_rest_is_late(
    run_plan: RunPlan, tmp_path: Path
) -> None:
    file = arrivals_file(tmp_path, [100 * number for number in range(12)])
    properties = {"threads": 2, "fetch": "immediate", "pause": 400}
    outcome = run_plan("async-list", (), opened(file, **properties))

    rows = outcome.of("async-list")
    assert len(rows) == 12
    late = lateness_ms(sorted(rows, key=lambda row: int(row["intended"])))
    # Two users need 400 ms each: one operation per 200 ms, where one arrives per 100 ms.
    assert late[-1] >= 12 * 200 - 12 * 100 - 2 * 200
    starts = sorted(int(row["timeStamp"]) for row in rows)
    ends = sorted(int(row["timeStamp"]) + int(row["elapsed"]) for row in rows)
    # A third begins only when the first has ended.
    assert all(start >= end - 1 for start, end in zip(starts[2:], ends, strict=False))


def test_when_the_time_is_up_nothing_begins_and_nothing_is_cut_off(
    run_plan: RunPlan, tmp_path: Path
) -> None:
    file = arrivals_file(tmp_path, [100 * number for number in range(40)])
    properties = {"threads": 1, "fetch": "immediate", "pause": 400, "duration": 2}
    outcome = run_plan("async-list", (), opened(file, **properties))

    rows = outcome.of("async-list")
    first = min(int(row["intended"]) for row in rows)
    # One user at 400 ms each: no more than these began in 2 s, and each has a result.
    assert 1 <= len(rows) <= 2000 // 400 + 1
    assert max(int(row["timeStamp"]) for row in rows) < first + 40 * 100
    assert len(outcome.rows) == 3 * len(rows)


def test_a_pause_of_two_seconds_shows_in_an_open_loop_and_hides_in_a_closed_one(
    run_plan: RunPlan, tmp_path: Path
) -> None:
    def slow(outcome: Outcome) -> int:
        rows = outcome.of("sync-list")
        ends = [int(row["timeStamp"]) + int(row["elapsed"]) for row in rows]
        starts = [int(row.get("intended") or row["timeStamp"]) for row in rows]
        # Half of the pause, which is more than any stall of a busy machine.
        return sum(end - start > 1000 for start, end in zip(starts, ends, strict=True))

    pause = (3.0, 2.0)
    closed = run_plan("sync-list", (), {"threads": 10, "ramp": 0, "duration": 8}, pause)
    file = arrivals_file(tmp_path, [5 * number for number in range(1600)])
    opened_ = run_plan("sync-list", (), opened(file, threads=600), pause)

    # What each of the ten users had under way, and perhaps something at the generator's start.
    assert 10 <= slow(closed) <= 30
    # All that arrived in the pause's first second, at 200 per second.
    assert slow(opened_) >= 190


def test_a_missing_file_of_arrivals_is_told(run_plan: RunPlan, tmp_path: Path) -> None:
    missing = opened(tmp_path / "missing.csv", threads=1)
    outcome = run_plan("sync-list", (), missing, stock=True)

    assert outcome.rows == []
    assert outcome.requests == []
    assert "missing.csv must exist" in outcome.log

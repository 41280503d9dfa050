"""Every run is judged, and what is invalid is not used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from testbed.analysis.quantities import failed_share
from testbed.analysis.samples import Measurement, load
from testbed.analysis.statistics.steadiness import mser5
from testbed.analysis.summary import tabulate
from testbed.analysis.tables import failures
from testbed.analysis.verdicts import Verdict, in_flight, judge, judge_all, steady_part, warm_up

from .synthetic import write_run

GOOD: dict[str, object] = {
    "expected_operations": 1000,
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
    (found,) = (check.outcome for check in verdict.checks if check.name == name)
    return found


def test_a_good_run_is_valid(tmp_path: Path) -> None:
    verdict = judge(measured(tmp_path), {"machine": {"cores": 2}})
    assert verdict.status == "valid", verdict
    known = {check.name for check in verdict.checks if check.outcome == "passed"}
    assert known == {check.name for check in verdict.checks} - {"offered = achieved", "disturbance"}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"expected_operations": 1001}, "operations: 1,000 of 1,001 (limit: all)"),
        ({"complete_before": "cinema ucd is missing"}, "before: cinema ucd is missing"),
        ({"generator_cpu_s": 15.0}, "generator CPU: 75 % of 2 cores"),
        ({"generator_ceiling_per_s": 700}, "generator ceiling"),
        ({"generator_cpus": 8, "generator_cpu_s": 0.1}, "environment"),
    ],
)
def test_each_fault_makes_a_run_invalid_and_is_named(
    tmp_path: Path, changed: dict[str, object], reason: str
) -> None:
    verdict = judge(measured(tmp_path, record=changed), {"machine": {"cores": 2}})
    assert verdict.status == "invalid"
    assert reason in str(verdict)
    assert len(verdict.reasons) == 1


def test_a_run_has_the_cores_that_its_experiment_began_with(tmp_path: Path) -> None:
    one = measured(tmp_path, record={"generator_cpus": 1})
    assert judge(one, {"machine": {"cores": 2}, "usable_cpus": 1.0}).status == "valid"
    mixed = judge(one, {"machine": {"cores": 2}, "usable_cpus": 2.0})
    assert mixed.reasons == (
        "environment: 1 usable cores, 2 at the start (limit: that of the results)",
    )
    # Old results do not tell.
    assert judge(one, {"machine": {"cores": 2}}).status == "valid"


def test_an_old_record_is_judged_by_what_it_tells(tmp_path: Path) -> None:
    write_run(tmp_path)
    (measurement,) = load(tmp_path).measurements
    verdict = judge(measurement, {})
    assert verdict.status == "valid"
    assert outcome(verdict, "operations") == "passed"
    assert outcome(verdict, "all cinemas before") == "not known"


def test_a_damaged_row_makes_a_run_invalid(tmp_path: Path) -> None:
    run = write_run(tmp_path, record=GOOD)
    with (run / "samples.csv").open("a") as file:
        file.write("1760000000000,1")
    (measurement,) = load(tmp_path).measurements
    assert judge(measurement, {}).reasons == ("damaged rows: 1 (limit: none)",)


def test_littles_law_finds_threads_that_spend_their_time_elsewhere(tmp_path: Path) -> None:
    measurement = measured(tmp_path)
    # 1 ms more between operations of 10 ms: 9 % of the time is not spent in the system.
    idle = measurement.operations.with_columns(
        pl.col("start_ms") + pl.int_range(pl.len()).over("thread")
    )
    slow = Measurement(measurement.run, measurement.samples, idle)
    verdict = judge(slow, {})
    assert outcome(judge(measurement, {}), "Little's law") == "passed"
    assert outcome(verdict, "Little's law") == "failed"
    assert "-9." in str(verdict) or "-8." in str(verdict)


def test_time_in_flight_is_counted_only_while_all_threads_run() -> None:
    operations = pl.DataFrame(
        {
            "thread": pl.Series(["a", "a", "b", "b"], dtype=pl.Categorical),
            "start_ms": [0, 100, 50, 150],
            "service_ms": [100, 100, 100, 150],
        }
    )
    # From 50 to 200 ms, two threads, always busy: N is 2.
    rate, response_s, count = in_flight(operations) or (0, 0, 0)
    assert count == 4
    assert rate * response_s == pytest.approx(2)
    assert rate == pytest.approx(4 / 0.15)


def test_a_run_that_never_settles_is_marked_and_used_whole(tmp_path: Path) -> None:
    measurement = measured(tmp_path, loops=100)
    # Falls for three quarters of the run.
    count = measurement.operations.height
    times = np.concatenate(
        [np.linspace(900, 20, 3 * count // 4), np.full(count - 3 * count // 4, 9)]
    )
    unsettled = measurement.operations.with_columns(pl.Series("elapsed_ms", times.astype(np.int32)))
    verdict = judge(Measurement(measurement.run, measurement.samples, unsettled), {})
    assert verdict.status == "not steady"
    assert steady_part(measurement, verdict) is measurement


def test_the_warm_up_is_left_out_of_the_numbers_but_not_of_the_cost(tmp_path: Path) -> None:
    measurement = measured(tmp_path)
    slow = measurement.operations.with_columns(
        pl.when(pl.int_range(pl.len()) < 100).then(500).otherwise("elapsed_ms").alias("elapsed_ms")
    )
    recorded = Measurement(measurement.run, measurement.samples, slow)
    part = steady_part(recorded, judge(recorded, {}))
    assert part.operations["elapsed_ms"].max() < 500
    assert 880 <= part.operations.height <= 900
    assert part.whole is recorded
    data = load(tmp_path)
    (row,) = tabulate(type(data)(data.results, (part,))).iter_rows(named=True)
    assert row["server_cpu_ms_per_ok"] == pytest.approx(2000 / 1000)


def test_the_last_threads_alone_do_not_pass_for_the_steady_part(tmp_path: Path) -> None:
    measurement = measured(tmp_path, loops=100)
    recorded = measurement.operations
    # One thread goes on when the others have ended, alone and always as quick.
    last = int((recorded["start_ms"] + recorded["service_ms"]).max())
    alone = pl.concat([recorded[-1:]] * 60).with_columns(
        start_ms=last + 2 * pl.int_range(60, dtype=pl.Int64),
        elapsed_ms=pl.lit(2, pl.Int32),
        service_ms=pl.lit(2, pl.Int32),
    )
    whole = Measurement(measurement.run, measurement.samples, pl.concat([recorded, alone]))
    assert mser5(whole.operations["elapsed_ms"].to_numpy()).steady is False
    found = warm_up(whole)
    assert found is not None
    assert found.steady


def test_too_few_operations_are_kept_whole(tmp_path: Path) -> None:
    measurement = measured(tmp_path, threads=4, loops=10, record={"expected_operations": 40})
    verdict = judge(measurement, {})
    assert verdict.status == "valid"
    assert verdict.truncation is None
    assert steady_part(measurement, verdict) is measurement


def test_invalid_runs_are_recorded_and_not_used(tmp_path: Path) -> None:
    write_run(tmp_path, record=GOOD)
    bad = write_run(tmp_path, repetition=2, record={**GOOD, "complete_before": "ucd"})
    judged = judge_all(load(tmp_path))
    assert [one.run.repetition for one in judged.used.measurements] == [1]
    assert len(judged.recorded.measurements) == 2
    assert judged.verdicts[bad.name].status == "invalid"


def test_nothing_is_used_where_nothing_is_valid(tmp_path: Path) -> None:
    write_run(tmp_path, record={**GOOD, "complete_before": "ucd"})
    assert judge_all(load(tmp_path)).used.measurements == ()


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
    assert str(stuck) == "overloaded: all cinemas after: 504 (limit: all)"
    # The generator may be what could not.
    slow = {"generator_cpu_s": 15.0}
    starved = judge(open_run(tmp_path / "starved", list(range(0, 200, 2)), record=slow), {})
    assert starved.status == "invalid"
    unready = {"complete_before": "ucd", "complete_after": "ucd"}
    assert judge(measured(tmp_path / "unready", record=unready), {}).status == "invalid"


def test_an_overloaded_run_is_used_whole_and_what_never_began_has_failed(tmp_path: Path) -> None:
    # The first arrivals are slow: a warm-up that would be cut.
    open_run(tmp_path, [500] * 10 + [0] * 90, planned=125)
    judged = judge_all(load(tmp_path))
    (verdict,) = judged.verdicts.values()
    assert verdict.truncation is not None
    assert (verdict.status, verdict.truncation.cut > 0) == ("overloaded", True)
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
    told = open_run(tmp_path / "told", [0] * 99 + [5000], record={"arrivals": plan})
    assert (told.duration_s, told.pace.ok_per_s) == (pytest.approx(5.995), 100)
    # Without its first 40 ms.
    kept = told.operations[4:]
    part = replace(told, operations=kept, whole=told)
    assert part.pace.ok_per_s == pytest.approx(96 / 0.96)
    old = open_run(tmp_path / "old", [0] * 99 + [5000], record={"duration_s": 1})
    assert old.pace.ok_per_s == 100
    unknown = open_run(tmp_path / "unknown", [0] * 99 + [5000])
    assert unknown.pace.ok_per_s == pytest.approx(100 / 5.995)


def test_a_service_that_was_stopped_for_good_explains_what_is_missing_after(tmp_path: Path) -> None:
    stop = {"service": "gateway", "at_s": 1, "for_s": None, "started": "2026-11-21T00:00:11Z"}
    for stopped, expected in (("2026-11-21T00:00:01Z", "not known"), (None, "failed")):
        record = {"complete_after": "no answer", "disturbance": {**stop, "stopped": stopped}}
        verdict = judge(measured(tmp_path / expected, record=record), {})
        assert outcome(verdict, "all cinemas after") == expected


def write_usage(run: Path, generator: float, gateway: float, cinema: float) -> None:
    """Write 10 s of readings: each keeps so many cores busy, the generator one at first."""
    lines = ["time_s,service,cpu_s,rss_mb"]
    for second in range(10):
        busy = second if second < 3 else 3 + generator * (second - 3)
        lines += [f"{second},jmeter,{busy},900"]
        lines += [f"{second},gateway,{40 + gateway * second},{300 + second}"]
        lines += [f"{second},cinema-ucd,{50 + cinema * second},100"]
    (run / "usage.csv").write_text("\n".join(lines))


def test_reads_memory_and_the_steady_cpu_of_generator_and_servers(tmp_path: Path) -> None:
    write_usage(write_run(tmp_path, record=GOOD), generator=0.5, gateway=0.2, cinema=0.3)
    (measurement,) = load(tmp_path).measurements
    assert measurement.usage is not None
    assert measurement.usage.peak_rss_mb == 409
    assert measurement.usage.generator_cores == pytest.approx(0.5)
    assert measurement.usage.server_cores == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("generator", "servers", "status"),
    [(1.1, 0.5, "valid"), (0.6, 1.4, "valid"), (0.8, 1.1, "invalid"), (1.5, 0.1, "invalid")],
)
def test_a_generator_may_not_take_much_of_cores_that_are_all_busy(
    tmp_path: Path, generator: float, servers: float, status: str
) -> None:
    write_usage(write_run(tmp_path, record=GOOD), generator, servers / 2, servers / 2)
    (measurement,) = load(tmp_path).measurements
    assert judge(measurement, {}).status == status

"""The way of an operation follows from what timers counted between two readings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from testbed.analysis.hops import (
    OPERATION,
    Journey,
    Series,
    Timed,
    hop_of,
    journeys,
    read_timers,
)
from testbed.analysis.samples import load
from testbed.analysis.sections import times
from testbed.analysis.verdicts import judge_all
from testbed.model.systems import declaration

from .synthetic import write_run

Counted = Mapping[str, Mapping[str, tuple[float, float]]]
"""By service and series: calls and seconds."""

SYNC: Counted = {
    "api-gateway-service": {
        'http_server_requests_seconds{method="GET",status="200",uri="/api/**"}': (900, 18.0),
        # The same hop, answered otherwise.
        'http_server_requests_seconds{method="GET",status="503",uri="/api/**"}': (100, 4.0),
        'http_server_requests_seconds{method="GET",status="200",uri="/actuator/health"}': (70, 7.0),
        'http_client_requests_seconds{uri="/eureka/apps/"}': (50, 5.0),
    },
    "aggregator-service": {
        'http_server_requests_seconds{method="GET",status="200",uri="/api/movie/list"}': (
            1e3,
            18.0,
        ),
        'aggregator_questions_seconds{cinema="dundrum",outcome="answered"}': (1000, 9.0),
        'aggregator_questions_seconds{cinema="ucd",outcome="answered"}': (990, 7.92),
        'aggregator_questions_seconds{cinema="ucd",outcome="late"}': (10, 10.08),
    },
    "cinema-ucd-service": {
        'http_server_requests_seconds{status="200",uri="/cinema/ucd/movie/list"}': (2000, 12.0),
        'cinema_work_seconds{operation="list",outcome="done"}': (2000, 8.0),
        'cinema_work_seconds{operation="reserve",outcome="done"}': (5, 1.0),
        'mongodb_driver_commands_seconds{collection="movies",command="find"}': (2000, 6.0),
        # The harness's look at the product, and pings.
        'mongodb_driver_commands_seconds{collection="movies",command="update"}': (9, 1.0),
        'mongodb_driver_commands_seconds{collection="unknown",command="ping"}': (500, 1.0),
    },
    "eureka-server": {
        'http_server_requests_seconds{method="GET",status="200",uri="UNKNOWN"}': (260, 2.0)
    },
}
ASYNC: Counted = {
    "broker-service": {
        'http_server_requests_seconds{status="202",uri="/api/movie/list"}': (1000, 2.0),
        'http_server_requests_seconds{status="200",uri="/api/movie/list/{id}"}': (2000, 20.0),
        'queue_wait_seconds{queue="responseQueue"}': (3000, 6.0),
        'queue_wait_seconds{queue="presenceQueue"}': (200, 1.0),
    },
    "cinema-ucd-service": {
        'queue_wait_seconds{queue="requestQueue-cinema-ucd-service"}': (3000, 24.0),
        'cinema_work_seconds{operation="list",outcome="done"}': (3000, 9.0),
    },
}


def write_timers(run: Path, counted: Counted) -> None:
    """Write what timers told before and after a run, in which they counted so much more."""
    for when, added in (("before", False), ("after", True)):
        folder = run / f"metrics-{when}"
        folder.mkdir()
        for service, timers in counted.items():
            lines = ["# HELP jvm_threads_live_threads Live.", "jvm_threads_live_threads 40.0"]
            for series, (calls, seconds) in timers.items():
                name, _, labels = series.partition("{")
                base = 40 + (calls if added else 0), 3.0 + (seconds if added else 0)
                lines.append(f"# TYPE {name} histogram")
                lines.append(f'{name}_bucket{{le="0.1",{labels} 7')
                lines += [f"{name}_count{{{labels} {base[0]}", f"{name}_sum{{{labels} {base[1]}"]
            (folder / f"{service}.prom").write_text("\n".join(lines) + "\n")


def journey_of(results: Path) -> Journey:
    (journey,) = journeys(judge_all(load(results)))
    return journey


def times_of(journey: Journey) -> dict[str, tuple[float, float, float]]:
    """Return calls per operation, ms per call and ms per operation by hop, the operation apart."""
    return {
        passage.hop.name: (
            round(passage.calls, 6),
            pytest.approx(passage.call_ms),
            pytest.approx(passage.operation_ms),
        )
        for passage in journey.passages[1:]
    }


def test_each_hop_has_what_its_timers_counted_during_the_run(tmp_path: Path) -> None:
    write_timers(write_run(tmp_path), SYNC)
    journey = journey_of(tmp_path)
    assert list(times_of(journey).items()) == [
        ("gateway", (1.0, 22.0, 22.0)),
        ("aggregator", (1.0, 18.0, 18.0)),
        ("a question to dundrum", (1.0, 9.0, 9.0)),
        ("a question to ucd", (1.0, 18.0, 18.0)),
        ("a cinema, HTTP", (2.0, 6.0, 12.0)),
        ("a cinema's work", (2.0, 4.0, 8.0)),
        ("database, find", (2.0, 3.0, 6.0)),
    ]


def test_the_operation_itself_is_what_the_generator_measured(tmp_path: Path) -> None:
    write_timers(write_run(tmp_path), SYNC)
    (measurement,) = load(tmp_path).measurements
    first = journey_of(tmp_path).passages[0]
    assert (first.hop.place, first.calls) == (OPERATION, 1)
    assert first.call_ms == pytest.approx(measurement.operations["service_ms"].mean())


def test_requests_fetches_and_queues_are_hops_of_their_own(tmp_path: Path) -> None:
    write_timers(write_run(tmp_path, variant="async"), ASYNC)
    assert list(times_of(journey_of(tmp_path)).items()) == [
        ("broker, a request", (1.0, 2.0, 2.0)),
        ("broker, a fetch", (2.0, 10.0, 20.0)),
        ("a request in its queue", (3.0, 8.0, 24.0)),
        ("a cinema's work", (3.0, 3.0, 9.0)),
        ("a response in its queue", (3.0, 2.0, 6.0)),
    ]


def test_instances_of_a_service_are_one_hop(tmp_path: Path) -> None:
    timer = 'http_server_requests_seconds{uri="/api/movie/list"}'
    counted = {
        "aggregator-service": {timer: (600, 3.0)},
        "aggregator-service.2": {timer: (400, 7.0)},
    }
    write_timers(write_run(tmp_path), counted)
    assert times_of(journey_of(tmp_path)) == {"aggregator": (1.0, 10.0, 10.0)}


def test_runs_of_a_cell_count_together_by_their_operations(tmp_path: Path) -> None:
    for repetition, (calls, seconds) in enumerate(((1000, 10.0), (3000, 60.0)), start=1):
        gateway = {'http_server_requests_seconds{uri="/api/**"}': (calls, seconds)}
        write_timers(
            write_run(tmp_path, repetition=repetition, loops=calls // 10),
            {"api-gateway-service": gateway},
        )
    journey = journey_of(tmp_path)
    assert journey.runs == 2
    assert times_of(journey) == {"gateway": (1.0, 17.5, 17.5)}


def test_the_gateway_between_aggregator_and_cinemas_is_a_hop_of_its_own() -> None:
    uri = frozenset({("uri", "/cinema/ucd/**")})
    series = Series("api-gateway-service", "http_server_requests_seconds", uri)
    rules = declaration("sync").hops
    asked, front = hop_of(series, "list", rules), hop_of(series, "reserve", rules)
    assert asked is not None
    assert front is not None
    assert (asked.name, front.name) == ("gateway, asked by the aggregator", "gateway")
    assert asked.place > front.place


def test_a_service_that_began_anew_is_no_hop(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    write_timers(run, SYNC)
    file = run / "metrics-before" / "cinema-ucd-service.prom"
    file.write_text(file.read_text().replace(" 40\n", " 9000\n"))
    assert list(times_of(journey_of(tmp_path))) == [
        "gateway",
        "aggregator",
        "a question to dundrum",
        "a question to ucd",
    ]


@pytest.mark.parametrize("fault", ["none", "after only", "a service less", "damaged", "no timers"])
def test_without_whole_readings_nothing_is_said_of_a_run(tmp_path: Path, fault: str) -> None:
    run = write_run(tmp_path)
    if fault != "none":
        write_timers(run, SYNC)
    service = run / "metrics-before" / "cinema-ucd-service.prom"
    if fault == "after only":
        for file in (run / "metrics-before").iterdir():
            file.unlink()
    elif fault == "a service less":
        service.unlink()
    elif fault == "damaged":
        service.write_text('cinema_work_seconds_count{operation="list" 3 4 5\n')
    elif fault == "no timers":
        for file in run.glob("metrics-*/*.prom"):
            file.write_text("UP\n")
    journey = journey_of(tmp_path)
    assert (journey.runs, journey.passages) == (0, ())
    assert times.hops([journey]) == ""


def test_labels_are_read_as_they_were_written(tmp_path: Path) -> None:
    uri = r"/api/cinema/{cinema}/reservation/make/{id}"
    (tmp_path / "broker-service.prom").write_text(
        f'http_server_requests_seconds_count{{outcome="a \\"b\\", c",uri="{uri}"}} 3\n'
        f'http_server_requests_seconds_sum{{outcome="a \\"b\\", c",uri="{uri}"}} 1.5E-1\n'
    )
    labels = frozenset({("outcome", 'a "b", c'), ("uri", uri)})
    assert read_timers(tmp_path, {"http_server_requests_seconds"}) == {
        Series("broker-service", "http_server_requests_seconds", labels): Timed(3, 0.15)
    }


def test_the_section_has_a_row_per_hop_and_a_column_per_level(tmp_path: Path) -> None:
    write_timers(write_run(tmp_path, threads=10), SYNC)
    write_timers(write_run(tmp_path, threads=20, loops=50), SYNC)
    write_run(tmp_path, variant="async")
    text = times.hops(journeys(judge_all(load(tmp_path))))
    assert "**`list`, preset tuned, embedded backends**" in text
    assert "| system | hop | 10 threads: ms | 20 threads: ms |" in text
    assert "| sync | a cinema's work | 8.00 (2.00 × 4.00) | 8.00 (2.00 × 4.00) |" in text
    assert "| sync | runs | 1 | 1 |" in text
    assert text.endswith("Without timers: async, list, 10 threads.")


def test_a_hop_that_one_level_lacks_is_a_dash_there(tmp_path: Path) -> None:
    write_timers(write_run(tmp_path, threads=10), SYNC)
    fewer = {name: timers for name, timers in SYNC.items() if name != "aggregator-service"}
    write_timers(write_run(tmp_path, threads=20, loops=50), fewer)
    text = times.hops(journeys(judge_all(load(tmp_path))))
    assert "| sync | aggregator | 18.00 (1.00 × 18.00) | – |" in text

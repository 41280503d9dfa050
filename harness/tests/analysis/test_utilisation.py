"""Which of CPU, pools of connections and the database was full in a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from testbed.analysis import utilisation
from testbed.analysis.samples import load
from testbed.analysis.sections import utilisation as section
from testbed.analysis.utilisation import Utilisation
from testbed.analysis.verdicts import judge_all

from .synthetic import write_run
from .test_hops import write_timers

LIMITED = {"settings": {"limits.beans-service.cpus": "0.2", "limits.gateway.cpus": "0.2"}}

BLOCK = {
    "file": "samples.csv",
    "server_cpu_s": {"beans-service": 1.98, "gateway": 0.5, "embedded-backends": 4.0},
    "idle_cpu_s": {"the other": 1.0},
    "generator_cpu_s": 5.0,
    "wall_s": 10.0,
    "others": {"share": 0.01, "cores": 0.02, "of": 2},
}
"""Of 20 s, PostgreSQL had 4 and others 8.68: 1.98 + 0.5 + 1 + 5 + 0.2."""


def write(
    folder: Path,
    block: Mapping[str, Any] = BLOCK,
    record: Mapping[str, Any] | None = None,
    repetition: int = 1,
) -> Path:
    """Write a run of 1,000 operations in 10 s."""
    return write_run(
        folder,
        variant="market-services",
        workload="page",
        repetition=repetition,
        record={**LIMITED, "blocks": [block], **(record or {})},
    )


def write_pool(run: Path, wait_s: float, used_s: float, uses: int = 1000) -> None:
    """Write what Hikari exports before and after a run, in which it counted so much."""
    timers = {
        'hikaricp_connections_acquire_seconds{pool="market"}': (uses, wait_s),
        'hikaricp_connections_usage_seconds{pool="market"}': (uses, used_s),
    }
    write_timers(run, {"beans-service": timers})
    for file in run.glob("metrics-*/beans-service.prom"):
        with file.open("a") as prom:
            prom.write('hikaricp_connections_max{pool="market"} 20.0\n')


def limits(folder: Path) -> dict[tuple[str, str], Utilisation]:
    rows = utilisation.utilisations(judge_all(load(folder)))
    return {(row.kind, row.service): row for row in rows}


def test_each_limit_has_the_share_of_it_that_was_used(tmp_path: Path) -> None:
    write_pool(write(tmp_path), wait_s=12.0, used_s=80.0)
    by_limit = limits(tmp_path)

    assert {limit: row.used for limit, row in by_limit.items()} == {
        ("cpu", "beans-service"): pytest.approx(0.99),
        ("cpu", "gateway"): pytest.approx(0.25),
        ("pool", "beans-service"): pytest.approx(80 / 10 / 20),
        ("database", "embedded-backends"): pytest.approx(4 / (20 - 8.68)),
    }
    pool = by_limit["pool", "beans-service"]
    assert (pool.wait_ms, pool.waiting) == (pytest.approx(12), pytest.approx(1.2))
    assert {limit for limit, row in by_limit.items() if row.full} == {
        ("cpu", "beans-service"),
        ("pool", "beans-service"),
    }


def test_a_pool_is_full_if_a_request_waits_on_average(tmp_path: Path) -> None:
    write_pool(write(tmp_path), wait_s=9.9, used_s=199.0)
    assert not limits(tmp_path)["pool", "beans-service"].full


def test_the_database_is_full_if_it_used_what_the_others_left(tmp_path: Path) -> None:
    busy = {**BLOCK["server_cpu_s"], "embedded-backends": 10.5}
    write(tmp_path, {**BLOCK, "server_cpu_s": busy})
    database = limits(tmp_path)["database", "embedded-backends"]
    assert database.full
    assert database.available == pytest.approx(1.132)


def test_a_generator_with_cores_of_its_own_takes_none_from_the_database(tmp_path: Path) -> None:
    four = {**BLOCK, "others": {**BLOCK["others"], "of": 4}}
    write(tmp_path, four, record={"cores_apart": 2})
    database = limits(tmp_path)["database", "embedded-backends"]
    assert database.available == pytest.approx((20 - 3.68) / 10)


def test_instances_of_a_service_have_a_limit_each_and_a_pool_each(tmp_path: Path) -> None:
    spent = {"beans-service": 1.2, "beans-service.2": 0.6}
    settings = {"limits.beans-service.cpus": "0.2", "replicas.beans-service": "2"}
    run = write(tmp_path, {**BLOCK, "server_cpu_s": spent}, record={"settings": settings})
    write_pool(run, wait_s=1.0, used_s=80.0)
    for folder in run.glob("metrics-*"):
        own = (folder / "beans-service.prom").read_text()
        (folder / "beans-service.2.prom").write_text(own)
    by_limit = limits(tmp_path)

    assert by_limit["cpu", "beans-service"].used == pytest.approx(1.8 / 10 / 0.4)
    assert by_limit["pool", "beans-service"].used == pytest.approx(160 / 10 / 40)
    assert by_limit["pool", "beans-service"].wait_ms == pytest.approx(1)


def test_the_cpu_of_a_search_is_its_allocation(tmp_path: Path) -> None:
    demand = {"system": "services", "cpus": 0.5, "shares": {"beans-service": 0.4}, "met": True}
    demand |= {"wanted": None, "ok_per_s": 10.0}
    write(tmp_path, record={"settings": {}, "demand": demand})
    by_limit = limits(tmp_path)
    assert [limit for limit in by_limit if limit[0] == "cpu"] == [("cpu", "beans-service")]
    assert by_limit["cpu", "beans-service"].used == pytest.approx(1.98 / 10 / 0.4)


def test_blocks_that_do_not_count_are_part_of_the_pools_time(tmp_path: Path) -> None:
    """Their CPU is not, but Hikari's timers cannot be divided."""
    again = {**BLOCK, "file": "block-2.csv", "counts": False, "wall_s": 30.0}
    run = write(tmp_path, record={"blocks": [BLOCK, again]})
    (run / "block-2.csv").write_bytes((run / "samples.csv").read_bytes())
    write_pool(run, wait_s=12.0, used_s=80.0)
    by_limit = limits(tmp_path)
    assert by_limit["pool", "beans-service"].used == pytest.approx(80 / 40 / 20)
    assert by_limit["cpu", "beans-service"].used == pytest.approx(0.99)


def test_an_open_loop_uses_nothing_before_its_first_arrival(tmp_path: Path) -> None:
    """Of 10 s, it waits about 9 for that."""
    plan = {"kind": "constant", "seed": 1, "planned": 1000}
    run = write(tmp_path, record={"mode": "open", "level": 100, "arrivals": plan})
    write_pool(run, wait_s=1.0, used_s=8.0)
    (measurement,) = load(tmp_path).measurements
    by_limit, length_s = limits(tmp_path), measurement.duration_s

    assert length_s < 2
    assert by_limit["cpu", "gateway"].used == pytest.approx(0.5 / length_s / 0.2)
    assert by_limit["pool", "beans-service"].used == pytest.approx(8 / length_s / 20)
    assert by_limit["pool", "beans-service"].waiting == pytest.approx(1 / length_s)
    assert by_limit["database", "embedded-backends"].available == pytest.approx(
        1.98 - 8.48 / length_s
    )


def test_what_was_not_recorded_is_not_full(tmp_path: Path) -> None:
    unwatched = {key: value for key, value in BLOCK.items() if key != "others"}
    write(tmp_path, unwatched)
    assert {kind for kind, _ in limits(tmp_path)} == {"cpu"}


def test_a_pool_that_operations_do_not_use_is_left_out(tmp_path: Path) -> None:
    write_pool(write(tmp_path), wait_s=0.1, used_s=0.1, uses=9)
    assert {kind for kind, _ in limits(tmp_path)} == {"cpu", "database"}


def test_systems_without_limits_and_pools_have_no_such_table(tmp_path: Path) -> None:
    write(tmp_path, record={"settings": {}})
    assert limits(tmp_path) == {}
    assert section.utilised(utilisation.tabulate([])) == ""


def test_the_report_names_what_was_full_in_how_many_runs(tmp_path: Path) -> None:
    for repetition, wait_s in ((1, 12.0), (2, 2.0)):
        run = write(tmp_path, repetition=repetition)
        write_pool(run, wait_s=wait_s, used_s=80.0)
    judged = judge_all(load(tmp_path))
    table = utilisation.tabulate(utilisation.utilisations(judged))

    (row,) = [line for line in section.utilised(table).splitlines() if "10 threads" in line]
    assert [cell.strip() for cell in row.split("|")[4:-1]] == [
        "beans-service 99.0 %, gateway 25.0 %",
        "beans-service 40.0 %",
        "beans-service 7.00",
        "35.3 %",
        "CPU of beans-service, pool of beans-service (1 of 2 runs)",
    ]
    assert table.height == 8
    assert table.filter("full")["kind"].to_list() == ["cpu", "pool", "cpu"]

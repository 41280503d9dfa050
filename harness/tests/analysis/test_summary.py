"""The summary counts operations and keeps failures apart."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from scipy import stats

from testbed.analysis.samples import FAILURES, load
from testbed.analysis.summary import SCHEMA, memory_column, tabulate
from testbed.analysis.tables import markdown_table, percent, print_table, speed

from .synthetic import write_run


def rows_of(folder: Path, label: str) -> list[dict[str, str]]:
    with (folder / "samples.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["label"] == label]


def while_all_run(rows: list[dict[str, str]]) -> tuple[float, int, int]:
    """Return for how many seconds all threads ran, and what ended then: all, and successful."""
    start = np.array([int(row["timeStamp"]) for row in rows])
    end = start + np.array([int(row["elapsed"]) for row in rows])
    threads = np.array([row["threadName"] for row in rows])
    ok = np.array([row["success"] == "true" for row in rows])
    opened = max(start[threads == thread].min() for thread in set(threads))
    closed = min(end[threads == thread].max() for thread in set(threads))
    within = (end > opened) & (end <= closed)
    return (closed - opened) / 1000, int(within.sum()), int((within & ok).sum())


def test_figures_are_geometric_means_over_runs_and_counts_are_sums(tmp_path: Path) -> None:
    shares = {"rejected": 0.05, "not_ready": 0.1}
    runs = []
    # The second run has fewer operations, which are slower: pooled, it would count for less.
    for repetition, loops, median_ms in ((1, 100, 10), (2, 40, 40)):
        folder = write_run(
            tmp_path,
            variant="async",
            repetition=repetition,
            loops=loops,
            median_ms=median_ms,
            failures=shares,
        )
        rows = rows_of(folder, "list")
        elapsed = np.array([int(row["elapsed"]) for row in rows])
        ok = np.array([row["success"] == "true" for row in rows])
        seconds, made, good = while_all_run(rows)
        requests = [int(row["elapsed"]) for row in rows_of(folder, "list request")]
        times = [elapsed[ok].mean(), *np.percentile(elapsed[ok], [50, 95, 99])]
        runs.append([*times, made / seconds, good / seconds, np.mean(requests), 2000 / ok.sum()])
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    names = ("mean_ms", "p50_ms", "p95_ms", "p99_ms", "operations_per_s", "ok_per_s")
    assert [
        row[name] for name in (*names, "acknowledged_mean_ms", "server_cpu_ms_per_ok")
    ] == pytest.approx(stats.gmean(runs, axis=0))
    assert (row["runs"], row["operations"], row["samples"]) == (2, 1400, 2800)
    assert row["ok"] + row["failed"] == 1400


def test_a_cell_with_a_run_without_success_has_no_response_time(tmp_path: Path) -> None:
    write_run(tmp_path)
    write_run(tmp_path, repetition=2, failures={"other": 1.0})
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert (row["ok"], row["failed"], row["ok_per_s"]) == (1000, 1000, 0)
    assert row["p95_ms"] is row["server_cpu_ms_per_ok"] is None


@pytest.mark.parametrize("variant", ["sync", "async"])
def test_counts_failures_by_class(tmp_path: Path, variant: str) -> None:
    possible = [name for name in FAILURES if variant == "async" or name != "not_ready"]
    shares = dict.fromkeys(possible, 0.05)
    folder = write_run(tmp_path, variant=variant, loops=200, failures=shares)
    failed = sum(row["success"] == "false" for row in rows_of(folder, "list"))
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert row["failed"] == failed == sum(row[name] for name in FAILURES)
    assert all(0.02 < row[f"{name}_share"] < 0.08 for name in possible)
    assert row["failed_share"] == pytest.approx(failed / 2000)


def test_charges_cost_to_successful_operations(tmp_path: Path) -> None:
    write_run(tmp_path, failures={"rejected": 0.5})
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert row["server_cpu_ms_per_ok"] == pytest.approx(2000 / row["ok"])
    assert row["server_rss_mb"] == pytest.approx(500)
    assert row["generator_cpu_ms_per_operation"] == pytest.approx(1.0)
    assert row["generator_cores"] == pytest.approx(1.0 / row["duration_s"])


def test_leaves_cost_out_where_a_run_has_none(tmp_path: Path) -> None:
    write_run(tmp_path)
    write_run(tmp_path, repetition=2, record={"server_cpu_s": {}, "generator_cpu_s": None})
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert row["server_cpu_ms_per_ok"] is None
    assert row["generator_cores"] is None
    assert row["server_rss_mb"] == pytest.approx(500)


def test_memory_is_compared_by_pss_where_every_run_has_it(tmp_path: Path) -> None:
    write_run(tmp_path, record={"server_pss_mb": {"gateway": 200.0, "cinema-ucd": 150.0}})
    summary = tabulate(load(tmp_path))
    assert summary["server_pss_mb"].to_list() == [350]
    assert memory_column(summary) == "server_pss_mb"
    # A record from before it was read.
    write_run(tmp_path, repetition=2)
    summary = tabulate(load(tmp_path))
    assert summary["server_pss_mb"].to_list() == [None]
    assert memory_column(summary) == "server_rss_mb"


def test_limits_show_where_every_run_has_recorded_them(tmp_path: Path) -> None:
    limited = {
        "server_throttled_s": {"gateway": 1.5, "cinema.2": 0.5},
        "server_peak_mb": {"gateway": 200.0},
    }
    write_run(tmp_path, record=limited)
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert (row["server_throttled_s"], row["server_peak_mb"]) == (2.0, 200.0)
    # A record from before limits.
    write_run(tmp_path, repetition=2)
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert row["server_throttled_s"] is row["server_peak_mb"] is None


def test_a_cell_without_success_has_no_response_time(tmp_path: Path) -> None:
    write_run(tmp_path, failures={"other": 1.0})
    (row,) = tabulate(load(tmp_path)).iter_rows(named=True)
    assert (row["ok"], row["ok_per_s"], row["failed_share"]) == (0, 0, 1)
    assert row["mean_ms"] is row["p99_ms"] is row["server_cpu_ms_per_ok"] is None


def test_has_one_row_per_cell_sync_first(comparison: Path) -> None:
    summary = tabulate(load(comparison))
    assert summary.columns == list(SCHEMA)
    assert summary.select("workload", "variant", "threads").rows() == [
        (workload, variant, threads)
        for workload in ("list", "reserve")
        for variant in ("sync", "async")
        for threads in (10, 50, 100)
    ]


def test_prints_within_80_columns(comparison: Path) -> None:
    console = Console(file=io.StringIO(), width=80)
    print_table(tabulate(load(comparison)), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for word in ("tuned", "embedded", "p95", "ok/s", "rejected", "partial", "reserve"):
        assert word in text


def test_long_names_of_systems_cut_no_number_off(tmp_path: Path) -> None:
    write_run(tmp_path)
    summary = tabulate(load(tmp_path))
    names = [f"without-a-factor-of-a-long-name-{number}" for number in (1, 2)]
    console = Console(file=io.StringIO(), width=80)
    print_table(pl.concat(summary.with_columns(system=pl.lit(name)) for name in names), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    (_, rows, _) = re.split(r"─ *\n|\nlevel:", text, maxsplit=2)

    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    # No empty line between systems of a row each.
    assert all(line.strip() for line in rows.rstrip().splitlines())


def test_a_small_failure_share_is_not_rounded_to_nothing() -> None:
    assert [percent(part) for part in (0, 0.00001, 0.0004, 0.0604, 1)] == [
        "0 %",
        "<0.01 %",
        "0.04 %",
        "6.0 %",
        "100.0 %",
    ]


def test_markdown_table_shows_a_dash_for_no_figure(tmp_path: Path) -> None:
    write_run(tmp_path, failures={"other": 1.0})
    rows = map(speed, tabulate(load(tmp_path)).iter_rows(named=True))
    lines = markdown_table(rows, ("system", "workload")).splitlines()
    assert lines[1] == "| :--- | :--- |" + " ---: |" * 7
    assert lines[2] == "| sync | list | 10 | 0 | – | – | – | – | 100.0 % |"

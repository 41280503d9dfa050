"""The thesis's own result files give its own figures."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from testbed.analysis.samples import load
from testbed.analysis.summary import tabulate


def test_gives_the_published_mean_and_failure_share_per_sample(reference: Path) -> None:
    published = pl.read_csv(reference / "thesis-measured.csv")
    summary = tabulate(load(reference))
    joined = summary.join(published, on=["variant", "workload", "threads"], how="left")
    assert joined.height == 3
    assert joined["sample_mean_ms"].to_list() == pytest.approx(
        joined["mean_elapsed_ms_per_sample"].to_list(), abs=0.0005
    )
    assert joined["failed_sample_share"].to_list() == pytest.approx(
        joined["failed_sample_share_right"].to_list(), abs=0.000005
    )


def test_agrees_with_plain_numpy(reference: Path) -> None:
    summary = tabulate(load(reference))
    for row in summary.iter_rows(named=True):
        name = f"{row['variant']}-{row['workload']}-{row['threads']}-threads.jtl"
        with (reference / name).open(newline="") as file:
            rows = list(csv.DictReader(file))
        elapsed = np.array([int(sample["elapsed"]) for sample in rows])
        failed = np.array([sample["success"] == "false" for sample in rows])
        assert row["samples"] == len(rows)
        assert row["sample_mean_ms"] == pytest.approx(elapsed.mean())
        assert row["failed_sample_share"] == pytest.approx(failed.mean())
        if row["variant"] == "sync":
            assert row["p95_ms"] == pytest.approx(np.percentile(elapsed[~failed], 95))


def test_pairs_the_asynchronous_samples_into_operations(reference: Path) -> None:
    with (reference / "async-list-10-threads.jtl").open(newline="") as file:
        rows = list(csv.DictReader(file))
    requests: dict[str, int] = {}
    elapsed, correct = [], []
    for row in rows:
        start = int(row["timeStamp"])
        if row["URL"].endswith("/list"):
            requests[row["threadName"]] = start
        else:
            elapsed.append(start + int(row["elapsed"]) - requests.pop(row["threadName"]))
            # All three cinemas; 48 bytes of keep-alive headers give way to 19 when it closes.
            correct.append(row["success"] == "true" and row["bytes"] in ("1197", "1168"))
    cell = tabulate(load(reference)).row(by_predicate=pl.col("variant") == "async", named=True)
    good = np.array(elapsed)[np.array(correct)]
    assert (cell["operations"], cell["ok"]) == (10_000, good.size)
    assert cell["mean_ms"] == pytest.approx(good.mean())
    assert [cell["p50_ms"], cell["p95_ms"], cell["p99_ms"]] == pytest.approx(
        np.percentile(good, [50, 95, 99])
    )
    assert cell["other"] == sum(row["success"] == "false" for row in rows)

"""The figures by which runs are compared, and how each is computed from a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval, mean_interval, wilson

QUANTILES: Mapping[str, float | None] = {
    "mean_ms": None,
    "p50_ms": 0.50,
    "p95_ms": 0.95,
    "p99_ms": 0.99,
}
"""Quantiles of the response times of successful operations; None is the mean."""

FIGURES = (*QUANTILES, "ok_per_s", "cpu_ms_per_ok")
"""Figures whose ratios are compared."""

WORDS = {
    "mean_ms": "mean",
    "p50_ms": "median",
    "p95_ms": "p95",
    "p99_ms": "p99",
    "ok_per_s": "goodput",
    "cpu_ms_per_ok": "CPU time per successful operation",
}

CLOCK_MS = 1.0
"""The resolution of JMeter's times; a time of 0 counts as half of it, so that ratios exist."""

MORE_IS_BETTER = frozenset({"ok_per_s"})


def run_figure(measurement: Measurement, figure: str) -> float | None:
    """Return one figure of a run: the geometric mean over its blocks; None if one lacks it."""
    return geometric_mean(block_figures(measurement, figure))


def cell_figure(runs: Sequence[Measurement], figure: str) -> float | None:
    """Return one figure of a cell: the geometric mean over its runs; None if a run lacks it."""
    return geometric_mean([run_figure(measurement, figure) for measurement in runs])


def block_figures(measurement: Measurement, figure: str) -> list[float | None]:
    """Return one figure of each block of a run; None for blocks that lack it."""
    return [_figure(block, figure) for block in measurement.blocks]


def geometric_mean(values: Sequence[float | None]) -> float | None:
    """Return the geometric mean; None if a value is missing or there are none."""
    present = [value for value in values if value is not None]
    if not present or len(present) < len(values):
        return None
    if len(present) == 1:
        return present[0]
    return float(stats.gmean(present)) if min(present) > 0 else 0.0


def _figure(block: Measurement, figure: str) -> float | None:
    if figure in QUANTILES:
        elapsed = np.maximum(block.operations.filter("ok")["elapsed_ms"].to_numpy(), CLOCK_MS / 2)
        share = QUANTILES[figure]
        if not elapsed.size:
            return None
        return float(elapsed.mean() if share is None else np.quantile(elapsed, share))
    if figure == "ok_per_s":
        return block.pace.ok_per_s
    charged, cpu_s = int(block.recorded.operations["ok"].sum()), block.run.server_cpu_s
    return 1000 * cpu_s / charged if cpu_s and charged else None


def failed_share(runs: Sequence[Measurement]) -> Interval:
    """Return the share of a cell's arrivals that failed or never began, with its interval.

    At least one of the runs has arrivals that count.
    """
    return share_over_runs(
        [
            (measurement.arrivals - int(measurement.operations["ok"].sum()), measurement.arrivals)
            for measurement in runs
            if measurement.arrivals
        ]
    )


def share_over_runs(runs: Sequence[tuple[int, int]]) -> Interval:
    """Return the share of failures over all runs, with an interval.

    The interval is the wider of Wilson's and Student's. Failures come in bursts, so runs differ by
    more than chance among operations: Wilson's takes operations, Student's the shares of single
    runs, from two runs on. ``runs`` holds the failed and all operations of each run, at least one
    each.
    """
    pooled = wilson(sum(bad for bad, _ in runs), sum(whole for _, whole in runs))
    if len(runs) < 2:
        return pooled
    over = mean_interval([bad / whole for bad, whole in runs])
    low, high = min(pooled.low, max(over.low, 0)), max(pooled.high, min(over.high, 1))
    return Interval(pooled.estimate, low, high)

"""The figures that runs are compared by, and how each is computed from a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from testbed.analysis.arrays import Floats
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval, mean_interval, wilson

QUANTILES: Mapping[str, float | None] = {
    "mean_ms": None,
    "p50_ms": 0.50,
    "p95_ms": 0.95,
    "p99_ms": 0.99,
}
"""Figures of the response times of successful operations; None is the mean."""

FIGURES = (*QUANTILES, "ok_per_s", "cpu_ms_per_ok")
"""Figures whose ratio is formed."""

WORDS = {
    "mean_ms": "mean",
    "p50_ms": "median",
    "p95_ms": "p95",
    "p99_ms": "p99",
    "ok_per_s": "goodput",
    "cpu_ms_per_ok": "CPU time per successful operation",
}

CLOCK_MS = 1.0
"""The resolution of JMeter's times."""

MORE_IS_BETTER = frozenset({"ok_per_s"})


def run_figure(measurement: Measurement, figure: str) -> float | None:
    """Return one figure of one run, None where it has none."""
    elapsed = successful_ms(measurement)
    if figure in QUANTILES:
        return figure_of(elapsed, figure) if elapsed.size else None
    if figure == "ok_per_s":
        return measurement.pace.ok_per_s
    whole = int((measurement.whole or measurement).operations["ok"].sum())
    cpu_s = sum(measurement.run.server_cpu_s.values())
    return 1000 * cpu_s / whole if cpu_s and whole else None


def failed_share(runs: Sequence[Measurement]) -> Interval:
    """Return the share of a cell's arrivals that failed or never began, with its interval."""
    return share_over_runs(
        [
            (
                one.operations.height + one.dropped - int(one.operations["ok"].sum()),
                one.operations.height + one.dropped,
            )
            for one in runs
        ]
    )


def share_over_runs(runs: Sequence[tuple[int, int]]) -> Interval:
    """Return the share of all runs' operations, with the wider of Wilson's interval and Student's.

    Failures come in bursts, so that runs differ by more than chance among operations: Wilson's
    takes operations, Student's the shares of single runs; from two runs on.

    Parameters
    ----------
    runs
        Failed and all operations of each run, at least one operation each.
    """
    pooled = wilson(sum(bad for bad, _ in runs), sum(whole for _, whole in runs))
    if len(runs) < 2:
        return pooled
    over = mean_interval([bad / whole for bad, whole in runs])
    low, high = min(pooled.low, max(over.low, 0)), max(pooled.high, min(over.high, 1))
    return Interval(pooled.estimate, low, high)


def successful_ms(measurement: Measurement) -> Floats:
    """Return the times of successful operations, ms, from 1000 on to three significant digits.

    A time of 0 ms is taken for half of the clock's resolution, so that ratios exist.
    A histogram with three digits (Tene, HdrHistogram) keeps the bootstrap's cost that of a
    thousand times or two, however slow a system is.
    """
    known = measurement.operations.filter("ok")["elapsed_ms"].to_numpy().astype(float)
    elapsed: Floats = np.maximum(known, CLOCK_MS / 2)
    if not elapsed.size or elapsed.max() < 1000:
        return elapsed
    unit = 10.0 ** np.clip(np.floor(np.log10(np.maximum(elapsed, 1))) - 2, 0, None)
    coarse: Floats = np.round(elapsed / unit) * unit
    return coarse


def figure_of(elapsed: Floats, figure: str) -> float:
    """Return one of `QUANTILES` of response times, at least one, in their unit."""
    quantile = QUANTILES[figure]
    return float(elapsed.mean() if quantile is None else np.quantile(elapsed, quantile))

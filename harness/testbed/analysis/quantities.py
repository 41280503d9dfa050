"""The figures by which runs are compared, and how each is computed from a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval, mean_interval, wilson

CLOCK_MS = 1.0
"""The resolution of JMeter's times; a time of 0 counts as half of it, so that ratios exist."""


@dataclass(frozen=True)
class Quantity:
    """A figure by which runs are compared."""

    name: str
    """Its column in ``runs.csv``, and its name in experiments and decisions."""
    label: str
    unit: str
    words: str
    """What it is called in a sentence."""
    decimals: int = 0
    more_is_better: bool = False
    heading: str = ""
    """The title of a figure of it alone; by default `words`."""
    column: str = ""
    """Its column in ``summary.csv``; by default the name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "heading", self.heading or self.words)
        object.__setattr__(self, "column", self.column or self.name)

    @property
    def title(self) -> str:
        """The title of a column of a report: ``p95, ms``."""
        return f"{self.label}, {self.unit}"


MEAN = Quantity("mean_ms", "mean", "ms", "mean", 1, heading="response time, mean")
P50 = Quantity("p50_ms", "p50", "ms", "median", heading="response time, p50")
P95 = Quantity("p95_ms", "p95", "ms", "p95", heading="response time, p95")
P99 = Quantity("p99_ms", "p99", "ms", "p99", heading="response time, p99")
GOODPUT = Quantity("ok_per_s", "goodput", "1/s", "goodput", more_is_better=True)
CPU = Quantity(
    *("cpu_ms_per_ok", "CPU", "ms", "CPU time per successful operation", 2),
    heading="CPU time of an operation",
    column="server_cpu_ms_per_ok",
)

QUANTITIES = {quantity.name: quantity for quantity in (MEAN, P50, P95, P99, GOODPUT, CPU)}
"""The quantities whose ratios are compared, by name."""

QUANTILES: Mapping[str, float | None] = {
    MEAN.name: None,
    P50.name: 0.50,
    P95.name: 0.95,
    P99.name: 0.99,
}
"""Quantiles of the response times of successful operations; None is the mean."""

HEADLINE = (GOODPUT.name, P95.name, CPU.name)
"""Quantities that a comparison decides by."""

AT_RATES = (P95.name, P99.name, CPU.name)
"""Those of an open loop in blocks: its goodput is that of the arrivals."""

COMPARED = (GOODPUT.name, P95.name, P99.name, CPU.name)
"""The quantities of both, in the order in which they are told."""


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
    if figure == GOODPUT.name:
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

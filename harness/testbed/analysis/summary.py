"""One row per cell: speed, failures and cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from testbed.analysis.per_run import columns_of
from testbed.analysis.quantities import (
    CPU,
    QUANTILES,
    QUANTITIES,
    cell_figure,
    failed_share,
    geometric_mean,
    run_figure,
)
from testbed.analysis.results import Cell, total
from testbed.analysis.samples import CLASSES, NOT_BEGUN, Measured, Measurement
from testbed.analysis.verdicts import Judged

SCHEMA: dict[str, type[pl.DataType]] = {
    "system": pl.String,
    "variant": pl.String,
    "workload": pl.String,
    "preset": pl.String,
    "backends": pl.String,
    "mode": pl.String,
    "level": pl.Float64,
    "threads": pl.Int64,
    "runs": pl.Int64,
    "duration_s": pl.Float64,
    "samples": pl.Int64,
    "sample_mean_ms": pl.Float64,
    "failed_sample_share": pl.Float64,
    "operations": pl.Int64,
    "ok": pl.Int64,
    "failed": pl.Int64,
    "failed_share": pl.Float64,
    "ok_per_s": pl.Float64,
    "operations_per_s": pl.Float64,
    **dict.fromkeys(QUANTILES, pl.Float64),
    "service_mean_ms": pl.Float64,
    "late": pl.Int64,
    "dropped": pl.Int64,
    "acknowledged_mean_ms": pl.Float64,
    "acknowledged_p95_ms": pl.Float64,
    CPU.column: pl.Float64,
    "server_rss_mb": pl.Float64,
    "server_pss_mb": pl.Float64,
    "server_throttled_s": pl.Float64,
    "server_peak_mb": pl.Float64,
    "generator_cpu_ms_per_operation": pl.Float64,
    "generator_cores": pl.Float64,
    **dict.fromkeys(CLASSES, pl.Int64),
    **{f"{failure}_share": pl.Float64 for failure in CLASSES},
}
"""Columns of the summary. Times are milliseconds; shares are of 1.

``service_mean_ms`` is from the actual start of an operation; in an open loop the other times are
from the intended start. ``late`` and ``dropped`` count arrivals of an open loop, and are null in a
closed one. ``server_throttled_s`` and ``server_peak_mb`` are means over the runs of the sum over
servers with limits, and null unless every run has such. ``failed`` includes dropped
ones as ``not_begun``; failed shares are of all planned arrivals.
"""


def tabulate(measured: Measured) -> pl.DataFrame:
    """Return one row per cell, in order, with the columns of `SCHEMA`.

    Times, rates and CPU per operation are geometric means over the runs, each of which is one over
    its blocks (`run_figure`). Counts are sums, and shares are of these. Times are of successful
    operations, and null if a run has none; ``ok_per_s`` is the goodput. CPU and memory are null
    unless every run recorded them. ``server_rss_mb`` counts a page that several processes share in
    each, ``server_pss_mb`` divides it among them. If only a part of a run counts, CPU time is
    charged to the operations of the whole.
    """
    rows = [_row(cell, measurements) for cell, measurements in measured.by_cell().items()]
    return pl.DataFrame(rows, schema=SCHEMA)


def each_run(judged: Judged) -> pl.DataFrame:
    """Return a row for each readable run, so that runs can be judged again without the samples.

    ``pair`` is of starts, ``place`` is after the start, and ``age_s`` is of the stack. ``why``
    gives the reasons of the verdict. ``operations``, ``failed_share`` and `QUANTITIES` are of what
    counts of the run.
    """
    counted = {measurement.run.id: measurement for measurement in judged.used.measurements}
    rows = []
    for recorded in judged.recorded.measurements:
        run = recorded.run
        measurement, verdict = counted.get(run.id, recorded), judged.verdicts[run.id]
        rows.append(
            {
                **columns_of(run),
                "place": run.place,
                "age_s": run.age_s,
                "verdict": verdict.status,
                "why": "; ".join(verdict.reasons),
                "operations": measurement.operations.height,
                "failed_share": failed_share([measurement]).estimate
                if measurement.arrivals
                else None,
                **{figure: run_figure(measurement, figure) for figure in QUANTITIES},
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _row(cell: Cell, measurements: Sequence[Measurement]) -> dict[str, Any]:
    runs = [measurement.run for measurement in measurements]
    samples = pl.concat([measurement.samples for measurement in measurements])
    operations = pl.concat([measurement.operations for measurement in measurements])
    arrivals = sum(measurement.arrivals for measurement in measurements)
    ok = int(operations["ok"].sum())
    counts = dict(operations["failure"].drop_nulls().value_counts().iter_rows())
    counts[NOT_BEGUN] = arrivals - operations.height
    is_open = cell.mode == "open"
    loaded_s = sum(measurement.recorded.duration_s for measurement in measurements)
    made = sum(measurement.recorded.operations.height for measurement in measurements)
    generator_cpu_s = total(run.generator_cpu_s for run in runs)
    acknowledged = [
        measurement.samples.filter(pl.col("ok") & (pl.col("step") == "request"))
        for measurement in measurements
    ]
    good = [measurement.operations.filter("ok") for measurement in measurements]

    return {
        "system": cell.system,
        "variant": cell.variant,
        "workload": cell.workload,
        "preset": cell.preset,
        "backends": cell.backends,
        "mode": cell.mode,
        "level": cell.level,
        "threads": cell.threads,
        "runs": len(runs),
        "duration_s": sum(measurement.duration_s for measurement in measurements),
        "samples": samples.height,
        "sample_mean_ms": _mean_over([measurement.samples for measurement in measurements]),
        "failed_sample_share": (~samples["ok"]).mean(),
        "operations": operations.height,
        "ok": ok,
        "failed": arrivals - ok,
        "failed_share": _ratio(arrivals - ok, arrivals),
        "operations_per_s": geometric_mean(
            [measurement.pace.operations_per_s for measurement in measurements]
        ),
        **{
            quantity.column: cell_figure(measurements, name)
            for name, quantity in QUANTITIES.items()
        },
        "service_mean_ms": _mean_over(good, "service_ms"),
        "late": sum(measurement.late for measurement in measurements) if is_open else None,
        "dropped": counts[NOT_BEGUN] if is_open else None,
        "acknowledged_mean_ms": _mean_over(acknowledged),
        "acknowledged_p95_ms": geometric_mean(
            [table["elapsed_ms"].quantile(0.95, "linear") for table in acknowledged]
        ),
        "server_rss_mb": _mean_of_sums(run.server_rss_mb for run in runs),
        "server_pss_mb": _mean_of_sums(run.server_pss_mb for run in runs),
        "server_throttled_s": _mean_of_sums(run.server_throttled_s for run in runs),
        "server_peak_mb": _mean_of_sums(run.server_peak_mb for run in runs),
        "generator_cpu_ms_per_operation": _ratio(generator_cpu_s, made, 1000),
        "generator_cores": _ratio(generator_cpu_s, loaded_s),
        **{failure: counts.get(failure, 0) for failure in CLASSES},
        **{f"{failure}_share": _ratio(counts.get(failure, 0), arrivals) for failure in CLASSES},
    }


def memory_column(summary: pl.DataFrame) -> str:
    """Return the column of a summary to compare memory by: PSS if every row has it, else RSS."""
    return "server_rss_mb" if summary["server_pss_mb"].has_nulls() else "server_pss_mb"


def _mean_of_sums(figures: Iterable[Mapping[str, float]]) -> float | None:
    """Return the mean over runs of the sum over servers; None if a run has none."""
    every = list(figures)
    return _ratio(
        total(sum(servers.values()) if servers else None for servers in every), len(every)
    )


def _mean_over(runs: Sequence[pl.DataFrame], column: str = "elapsed_ms") -> float | None:
    """Return the geometric mean over runs of their arithmetic mean times."""
    means = [table[column].to_numpy().mean() if table.height else None for table in runs]
    return geometric_mean(means)


def _ratio(part: float | None, whole: float, unit: float = 1) -> float | None:
    return None if part is None or not whole else unit * part / whole

"""One row per cell: how fast, how often it failed, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from testbed.analysis.results import Cell
from testbed.analysis.samples import CLASSES, NOT_BEGUN, Measured, Measurement, load

PERCENTILES = {"p50_ms": 0.50, "p95_ms": 0.95, "p99_ms": 0.99}

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
    "mean_ms": pl.Float64,
    **dict.fromkeys(PERCENTILES, pl.Float64),
    "service_mean_ms": pl.Float64,
    "late": pl.Int64,
    "dropped": pl.Int64,
    "acknowledged_mean_ms": pl.Float64,
    "acknowledged_p95_ms": pl.Float64,
    "server_cpu_ms_per_ok": pl.Float64,
    "server_rss_mb": pl.Float64,
    "server_peak_rss_mb": pl.Float64,
    "generator_cpu_ms_per_operation": pl.Float64,
    "generator_cores": pl.Float64,
    **dict.fromkeys(CLASSES, pl.Int64),
    **{f"{failure}_share": pl.Float64 for failure in CLASSES},
}
"""Columns of the summary. Times are milliseconds; shares are of 1.

``service_mean_ms`` is from the actual start of an operation; in an open loop the other times are
from the intended one. ``late`` and ``dropped`` count arrivals of an open loop, and are null in a
closed one. ``failed`` counts dropped ones too, as ``not_begun``: failed shares are of all planned
arrivals, those that never became an operation included.
"""


def summarise(results: Path) -> pl.DataFrame:
    """Summarise a results directory, or a plain directory of sample files.

    Returns
    -------
    pl.DataFrame
        One row per cell (system, workload, preset, backends, mode, level), in order, with the
        columns of `SCHEMA`: every run as it was recorded, warm-up and invalid ones included;
        `testbed.analysis.verdicts.usable` leaves these out. Runs of a cell are pooled: percentiles
        are of all their operations, rates are of what was done while the load was whole
        (`testbed.analysis.samples.Pace`), in the sum of these times. Response times are of
        successful operations; ``ok_per_s`` is the goodput. CPU and memory are null where they were
        not recorded in each run.

    Raises
    ------
    UserError
        If there is nothing to summarise; see `testbed.analysis.results.find_results`.
    """
    return tabulate(load(results))


def tabulate(measured: Measured) -> pl.DataFrame:
    """Summarise runs that have been read; see `summarise`.

    Of a run that was cut to its steady part, CPU time is charged to the operations of the whole.
    """
    rows = [_row(cell, measurements) for cell, measurements in measured.by_cell().items()]
    return pl.DataFrame(rows, schema=SCHEMA)


def write_csv(summary: pl.DataFrame, file: Path) -> Path:
    """Write a summary as CSV, with six decimals, and return the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    summary.write_csv(file, float_precision=6)
    return file


def _row(cell: Cell, measurements: Sequence[Measurement]) -> dict[str, Any]:
    runs = [measurement.run for measurement in measurements]
    samples = pl.concat([measurement.samples for measurement in measurements])
    operations = pl.concat([measurement.operations for measurement in measurements])
    acknowledged = samples.filter(pl.col("ok") & (pl.col("step") == "request"))["elapsed_ms"]
    elapsed = operations.filter("ok")["elapsed_ms"]
    duration_s = sum(measurement.duration_s for measurement in measurements)
    paces = [measurement.pace for measurement in measurements]
    seconds = sum(pace.seconds for pace in paces)
    ok, total = elapsed.len(), operations.height
    loaded_s = sum((measurement.whole or measurement).duration_s for measurement in measurements)
    whole = [(measurement.whole or measurement).operations["ok"] for measurement in measurements]
    charged, made = sum(int(one.sum()) for one in whole), sum(one.len() for one in whole)
    is_open = cell.mode == "open"
    not_begun = sum(measurement.dropped for measurement in measurements)
    arrivals = total + not_begun
    counts = dict(operations["failure"].drop_nulls().value_counts().iter_rows())
    counts[NOT_BEGUN] = not_begun
    server_cpu_s = _total(sum(run.server_cpu_s.values()) or None for run in runs)
    server_rss_mb = _total(sum(run.server_rss_mb.values()) or None for run in runs)
    generator_cpu_s = _total(run.generator_cpu_s for run in runs)
    peaks = [one.usage.peak_rss_mb if one.usage else None for one in measurements]
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
        "duration_s": duration_s,
        "samples": samples.height,
        "sample_mean_ms": samples["elapsed_ms"].mean(),
        "failed_sample_share": (~samples["ok"]).mean(),
        "operations": total,
        "ok": ok,
        "failed": arrivals - ok,
        "failed_share": _ratio(arrivals - ok, arrivals),
        "ok_per_s": _ratio(sum(pace.ok for pace in paces), seconds),
        "operations_per_s": _ratio(sum(pace.operations for pace in paces), seconds),
        "mean_ms": elapsed.mean(),
        **{name: elapsed.quantile(share, "linear") for name, share in PERCENTILES.items()},
        "service_mean_ms": operations.filter("ok")["service_ms"].mean(),
        "late": sum(measurement.late for measurement in measurements) if is_open else None,
        "dropped": not_begun if is_open else None,
        "acknowledged_mean_ms": acknowledged.mean(),
        "acknowledged_p95_ms": acknowledged.quantile(0.95, "linear"),
        "server_cpu_ms_per_ok": _ratio(server_cpu_s, charged, 1000),
        "server_rss_mb": _ratio(server_rss_mb, len(runs)),
        "server_peak_rss_mb": _ratio(_total(peaks), len(runs)),
        "generator_cpu_ms_per_operation": _ratio(generator_cpu_s, made, 1000),
        "generator_cores": _ratio(generator_cpu_s, loaded_s),
        **{failure: counts.get(failure, 0) for failure in CLASSES},
        **{f"{failure}_share": _ratio(counts.get(failure, 0), arrivals) for failure in CLASSES},
    }


def _total(figures: Iterable[float | None]) -> float | None:
    """Add up the figures of a cell's runs; None unless each run has one."""
    known = list(figures)
    present = [figure for figure in known if figure is not None]
    return sum(present) if len(present) == len(known) else None


def _ratio(part: float | None, whole: float, unit: float = 1) -> float | None:
    return None if part is None or not whole else unit * part / whole

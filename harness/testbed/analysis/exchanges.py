"""The times of the exchanges that operations are made of."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from testbed.analysis import per_run
from testbed.analysis.results import Run
from testbed.analysis.samples import Measurement
from testbed.analysis.verdicts import Judged

ALL = "all exchanges"


@dataclass(frozen=True)
class Exchanged:
    """What a run did of one exchange of its operations; times are of successful ones."""

    run: Run
    exchange: str
    """Its name in the workload, or `ALL`."""
    count: int
    per_operation: float
    per_s: float | None
    """Exchanges per second under full load, failed ones included; None if no time passed."""
    failed_share: float
    """Of 1."""
    min_ms: int | None
    mean_ms: float | None
    p95_ms: float | None
    max_ms: int | None


def exchanged(judged: Judged) -> list[Exchanged]:
    """Return the exchanges of each usable run whose operations have several, in their order."""
    return [each for measurement in judged.used.measurements for each in _of_run(measurement)]


def tabulate(judged: Judged) -> pl.DataFrame:
    """Return the table of ``exchanges.csv``: a row for each run and exchange."""
    return per_run.tabulate(exchanged(judged))


def _of_run(measurement: Measurement) -> list[Exchanged]:
    samples = measurement.samples
    names = samples["step"].unique(maintain_order=True).to_list()
    if names == ["exchange"] or not measurement.operations.height:
        return []
    parts = {name: samples.filter(pl.col("step") == name) for name in names}
    return [_row(measurement, name, part) for name, part in {**parts, ALL: samples}.items()]


def _row(measurement: Measurement, name: str, part: pl.DataFrame) -> Exchanged:
    per_operation = part.height / measurement.operations.height
    rate, elapsed = measurement.pace.operations_per_s, pl.col("elapsed_ms")
    least, mean, p95, most = (
        part.filter("ok")
        .select(
            elapsed.min().alias("min"),
            elapsed.mean().alias("mean"),
            elapsed.quantile(0.95, "linear").alias("p95"),
            elapsed.max().alias("max"),
        )
        .row(0)
    )
    return Exchanged(
        measurement.run,
        name,
        part.height,
        per_operation,
        None if rate is None else per_operation * rate,
        part.filter(~pl.col("ok")).height / part.height,
        least,
        mean,
        p95,
        most,
    )

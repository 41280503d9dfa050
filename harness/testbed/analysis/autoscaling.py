"""The instances of runs with an autoscaler, beside those of runs with a fixed number."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from testbed.analysis.results import Run
from testbed.experiment.autoscaling import COLUMNS, FILE
from testbed.model.errors import UserError

_TYPES = (pl.String, pl.Float64, pl.Int64, pl.Int64, pl.String, pl.Float64, pl.Int64, pl.Int64)

SCHEMA = dict(zip(COLUMNS, _TYPES, strict=True))


@dataclass(frozen=True)
class Instances:
    """How many instances of a service a run had."""

    mean: float
    """Over the time of the load."""
    most: int
    instance_s: float
    """Seconds added up over instances, each from the decision to start it."""
    asked_s: float | None = None
    """When the first further one was requested, in seconds since the load began; None if none was.
    """
    ready_s: float | None = None
    """When a further one was ready."""


def instances(run: Run, service: str) -> Instances | None:
    """Return the instances of a service in a run; None if the run has no length."""
    if not run.wall_s:
        return None
    scaled = next((scaled for scaled in run.scaling if scaled.service == service), None)
    if scaled is None:
        count = run.replicas(service)
        return Instances(count, count, count * run.wall_s)
    rows, least = decisions(run, service), scaled.least
    return Instances(
        mean=scaled.instance_s / run.wall_s,
        most=max(rows["wanted"].to_list(), default=least),
        instance_s=scaled.instance_s,
        asked_s=_first(rows.filter(pl.col("wanted") > least)),
        ready_s=_first(rows.filter(pl.col("ready") > least)),
    )


def decisions(run: Run, service: str) -> pl.DataFrame:
    """Return the decisions of the autoscaler of a service by time, with the columns of `SCHEMA`.

    Raises `UserError` if their file cannot be read.
    """
    file = run.folder / FILE
    try:
        rows = pl.read_csv(file, schema_overrides=SCHEMA)
        if "service" not in rows.columns:
            # Of a run from before there could be several.
            rows = rows.with_columns(service=pl.lit(service))
        return rows.filter(pl.col("service") == service).select(*SCHEMA)
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise UserError(f"{file} holds no decisions: {problem}") from problem


def _first(rows: pl.DataFrame) -> float | None:
    return None if rows.is_empty() else float(rows["at_s"][0])

"""The instances of runs with an autoscaler, beside those of runs with a fixed number."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from testbed.analysis.results import Run
from testbed.experiment.autoscaling import COLUMNS, FILE
from testbed.model.errors import UserError

_TYPES = (pl.Float64, pl.Int64, pl.Int64, pl.String, pl.Float64, pl.Int64, pl.Int64)

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
    if run.scaling is None or run.scaling.service != service:
        count = run.replicas(service)
        return Instances(count, count, count * run.wall_s)
    rows, least = decisions(run), run.scaling.least
    return Instances(
        mean=run.scaling.instance_s / run.wall_s,
        most=max(rows["wanted"].to_list(), default=least),
        instance_s=run.scaling.instance_s,
        asked_s=_first(rows.filter(pl.col("wanted") > least)),
        ready_s=_first(rows.filter(pl.col("ready") > least)),
    )


def decisions(run: Run) -> pl.DataFrame:
    """Return the decisions of a run with an autoscaler by time, with the columns of `SCHEMA`.

    Raises `UserError` if their file cannot be read.
    """
    file = run.folder / FILE
    try:
        return pl.read_csv(file, schema=SCHEMA)
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise UserError(f"{file} holds no decisions: {problem}") from problem


def _first(rows: pl.DataFrame) -> float | None:
    return None if rows.is_empty() else float(rows["at_s"][0])

"""What became of open-loop arrivals, and how a stopped service affected users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from testbed.analysis.quantities import P95
from testbed.analysis.samples import Measurement
from testbed.analysis.tables import Row, cell, columns, markdown_table, number
from testbed.analysis.verdicts import Judged
from testbed.model.loads import LATE_MS

DISTURBANCE_NOTE = (
    "In these runs a service was stopped. *Caught* counts the operations that were under way, or "
    "were due to begin, while it was stopped. In a closed loop that is about one per thread, "
    "because each user waits for its answer; in an open loop it is everyone who arrived in that "
    "time. *Caught by the actual start* misses those who had to wait for a free user of the load "
    "generator and began later."
)


def loops(judged: Judged, recorded: pl.DataFrame) -> str:
    """Return the tables of open-loop arrivals and of stopped services; empty without either.

    ``recorded`` is the summary of all runs, including invalid ones.
    """
    parts = []
    arrivals = recorded.filter(pl.col("mode") == "open")
    if not arrivals.is_empty():
        parts += [
            f"A late arrival started over {LATE_MS} ms after its intended time; a dropped one never"
            " did. Response times count from the intended start; the mean from the actual start "
            "stands beside them. All recorded runs are counted, invalid ones too.",
            markdown_table(map(_arrived, arrivals.iter_rows(named=True)), ("system", "workload")),
        ]
    disturbed = [
        measurement for measurement in judged.recorded.measurements if measurement.run.disturbance
    ]
    if disturbed:
        parts += [
            DISTURBANCE_NOTE,
            markdown_table(map(_disturbed, disturbed), ("run", "stopped")),
        ]
    return "\n\n".join(parts)


def _arrived(row: Row) -> Row:
    return {
        **cell(row),
        "operations": number(row["operations"]),
        "late": number(row["late"]),
        "dropped": number(row["dropped"]),
        "mean from the intended start, ms": number(row["mean_ms"], 1),
        "mean from the actual start, ms": number(row["service_mean_ms"], 1),
        **columns(row, P95),
    }


def _disturbed(measurement: Measurement) -> Row:
    run, operations = measurement.run, measurement.operations
    what = run.disturbance or {}
    intended, began = pl.coalesce("intended_ms", "start_ms"), pl.col("start_ms")
    return {
        "run": f"{run.cell.system}, {run.cell.workload}, {run.cell.mode}, {run.cell.load}",
        "stopped": f"{what.get('service')} {_lasting(what)}",
        "operations": number(operations.height),
        "caught": number(_overlapping(measurement, intended, intended + pl.col("elapsed_ms"))),
        "caught by the actual start": number(
            _overlapping(measurement, began, began + pl.col("service_ms"))
        ),
        "failed": number(int((~operations["ok"]).sum())),
        "slowest, ms": number(operations.select(pl.col("elapsed_ms").max()).item()),
        "late": number(measurement.late if run.cell.mode == "open" else None),
    }


def _lasting(what: Mapping[str, Any]) -> str:
    if "stopped" in what and what["stopped"] is None:
        return "not reached"
    return "until the end" if what.get("for_s") is None else f"for {float(what['for_s']):g} s"


def _overlapping(measurement: Measurement, start: pl.Expr, end: pl.Expr) -> int | None:
    """Count the operations that overlap the time in which a service was stopped."""
    if (away := measurement.run.away_ms) is None:
        return None
    stopped, started = away
    return measurement.operations.filter((start < started) & (end > stopped)).height

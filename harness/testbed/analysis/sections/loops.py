"""What an open loop did with its arrivals, and what a service that was stopped did to users."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from testbed.analysis.samples import Measurement
from testbed.analysis.tables import CELL, Column, markdown_table, number, word
from testbed.analysis.verdicts import Judged
from testbed.load import LATE_MS

SLOW_TIMES, SLOW_MS = 5, 50
"""What is slow where a service was stopped: so many times the median, and so many ms."""

DISTURBANCE_NOTE = (
    "In these runs a service was stopped for a while. Slow is an operation that took over "
    f"{SLOW_TIMES} times the run's median, and over {SLOW_MS} ms. A closed loop counts about one "
    "per thread for each time that the service is away, because its users stop asking; an open "
    "loop counts everyone who came meanwhile. Counted from the actual start, the time that an "
    "arrival waited for a free user is missed."
)

ARRIVALS = (
    *CELL,
    Column("operations", number("operations")),
    Column("late", number("late")),
    Column("dropped", number("dropped")),
    Column("mean from the intended start, ms", number("mean_ms", 1)),
    Column("mean from the actual start, ms", number("service_mean_ms", 1)),
    Column("p95, ms", number("p95_ms")),
)
DISTURBED = (
    Column("run", word("run"), numeric=False),
    Column("stopped", word("what"), numeric=False),
    Column("operations", number("operations")),
    Column("slow", number("slow")),
    Column("slow from the actual start", number("hidden")),
    Column("failed", number("failed")),
    Column("late", number("late")),
)


def loops(judged: Judged, recorded: pl.DataFrame) -> str:
    """Return what became of the arrivals of open loops, and open against closed loops.

    ``recorded`` is the summary of all runs: it is the invalid ones that drop arrivals.
    """
    parts = []
    arrivals = recorded.filter(pl.col("mode") == "open")
    if arrivals.is_empty():
        parts.append(
            "All loops were closed: a thread starts its next operation when the last one has "
            "ended, so that a slow answer slows the load down too, and response times say less of "
            "what users who arrive on their own would wait."
        )
    else:
        parts += [
            f"A late arrival started over {LATE_MS} ms after its intended time; a dropped one never"
            " did. Response times count from the intended start; the mean from the actual start "
            "stands beside them. All recorded runs are counted, invalid ones too.",
            markdown_table(arrivals.iter_rows(named=True), ARRIVALS),
        ]
    disturbed = [one for one in judged.recorded.measurements if one.run.disturbance]
    if disturbed:
        parts += [
            DISTURBANCE_NOTE,
            markdown_table((_disturbed(one) for one in disturbed), DISTURBED),
        ]
    return "\n\n".join(parts)


def _disturbed(measurement: Measurement) -> dict[str, Any]:
    """Return what a run counted of a service that was stopped."""
    run, operations = measurement.run, measurement.operations
    what = run.disturbance or {}
    for_s = float(what.get("for_s") or 0)
    times = operations["elapsed_ms"].to_numpy()
    limit = max(SLOW_MS, SLOW_TIMES * float(np.median(times))) if times.size else SLOW_MS
    slow = int((times > limit).sum())
    hidden = int((operations["service_ms"] > limit).sum())
    return {
        "run": f"{run.cell.system}, {run.cell.workload}, {run.cell.mode}, {run.cell.load}",
        "what": f"{what.get('service')} for {for_s:g} s",
        "operations": operations.height,
        "slow": slow,
        "hidden": hidden,
        "failed": int((~operations["ok"]).sum()),
        "late": measurement.late if run.cell.mode == "open" else None,
    }

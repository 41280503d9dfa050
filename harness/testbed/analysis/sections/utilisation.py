"""How much of each limit was used, and which were full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from testbed.analysis.grouping import grouped
from testbed.analysis.tables import MISSING, markdown_table, mean_known, number, share
from testbed.analysis.utilisation import FULL, WAITING
from testbed.model.loads import load_words

NOTE = (
    f"*Full* is a service that used {FULL:.0%} of its CPU limit or more, the database if it used "
    "as much of the processors' time that everything else left it, and a pool for which "
    f"{WAITING:g} request or more waited on average. Connections are held for longer where CPU "
    "or database are full: such a pool may be a symptom. Their time in use is counted in whole "
    "milliseconds, rounded down. Figures are arithmetic means over runs."
)

CELL = ("system", "workload", "mode", "level")

CPU, POOL, WAIT, DATABASE = ("CPU of limit", "connections in use", "wait for one, ms", "database")


Row = Mapping[str, Any]
"""A row of ``utilisation.csv``."""


def utilised(table: pl.DataFrame) -> str:
    """Return a table with a row for each cell, compared systems together; empty without limits.

    ``table`` is that of ``utilisation.csv``.
    """
    if table.is_empty():
        return ""
    rows = table.sort("workload", "mode", "level", maintain_order=True).iter_rows(named=True)
    cells = grouped(rows, lambda row: tuple(row[key] for key in CELL))
    columns = ("system", "workload", "load", CPU, POOL, WAIT, DATABASE, "full")
    return f"{NOTE}\n\n{markdown_table(map(_row, cells.values()), columns)}"


def _row(part: Sequence[Row]) -> dict[str, str]:
    runs = len({row["run"] for row in part})
    limits = grouped(part, lambda row: (row["kind"], row["service"], row["pool"]))
    pools = [service for kind, service, _ in limits if kind == "pool"]
    parts: dict[str, list[tuple[float, str]]] = {CPU: [], POOL: [], WAIT: [], DATABASE: []}
    full = []
    for (kind, service, pool), uses in limits.items():
        name = f"{service}/{pool}" if kind == "pool" and pools.count(service) > 1 else service
        used = mean_known([row["used"] for row in uses])
        column = {"cpu": CPU, "pool": POOL, "database": DATABASE}[kind]
        text = share(used) if kind == "database" else f"{name} {share(used)}"
        parts[column].append((used or 0.0, text))
        if kind == "pool":
            wait_ms = mean_known([row["wait_ms"] for row in uses])
            parts[WAIT].append((wait_ms or 0.0, f"{name} {number(wait_ms, 2)}"))
        if times := sum(row["full"] for row in uses):
            what = {"cpu": f"CPU of {name}", "pool": f"pool of {name}", "database": "database"}
            full.append(what[kind] if times == runs else f"{what[kind]} ({times} of {runs} runs)")
    return {
        **{key: part[0][key] for key in ("system", "workload")},
        "load": load_words(part[0]["mode"], part[0]["level"]),
        **{
            column: ", ".join(text for _, text in sorted(texts, reverse=True)) or MISSING
            for column, texts in parts.items()
        },
        "full": ", ".join(full) or "none",
    }

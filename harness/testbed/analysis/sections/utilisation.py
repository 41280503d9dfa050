"""How much of each limit was used, and which were full."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis.grouping import grouped
from testbed.analysis.tables import MISSING, markdown_table, mean_known, number, of_cell, share
from testbed.analysis.utilisation import FULL, WAITING, Utilisation

NOTE = (
    f"*Full* is a service that used {FULL:.0%} of its CPU limit or more, the database if it used "
    "as much of the processors' time that everything else left it, and a pool for which "
    f"{WAITING:g} request or more waited on average. Connections are held for longer where CPU "
    "or database are full: such a pool may be a symptom. Their time in use is counted in whole "
    "milliseconds, rounded down. Figures are arithmetic means over runs."
)

CPU, POOL, WAIT, DATABASE = ("CPU of limit", "connections in use", "wait for one, ms", "database")


def utilised(every: Sequence[Utilisation]) -> str:
    """Return a table with a row for each cell, compared systems together; empty without limits."""
    cells = grouped(every, lambda each: each.run.cell)
    order = sorted(cells, key=lambda cell: (cell.workload, cell.mode, cell.level))
    if not cells:
        return ""
    columns = ("system", "workload", "load", CPU, POOL, WAIT, DATABASE, "full")
    return f"{NOTE}\n\n{markdown_table([_row(cells[cell]) for cell in order], columns)}"


def _row(part: Sequence[Utilisation]) -> dict[str, str]:
    runs = len({each.run.id for each in part})
    limits = grouped(part, lambda each: (each.kind, each.service, each.pool))
    pools = [service for kind, service, _ in limits if kind == "pool"]
    parts: dict[str, list[tuple[float, str]]] = {CPU: [], POOL: [], WAIT: [], DATABASE: []}
    full = []
    for (kind, service, pool), uses in limits.items():
        name = f"{service}/{pool}" if kind == "pool" and pools.count(service) > 1 else service
        used = mean_known([each.used for each in uses])
        column = {"cpu": CPU, "pool": POOL, "database": DATABASE}[kind]
        text = share(used) if kind == "database" else f"{name} {share(used)}"
        parts[column].append((used or 0.0, text))
        if kind == "pool":
            wait_ms = mean_known([each.wait_ms for each in uses])
            parts[WAIT].append((wait_ms or 0.0, f"{name} {number(wait_ms, 2)}"))
        if times := sum(each.full for each in uses):
            what = {"cpu": f"CPU of {name}", "pool": f"pool of {name}", "database": "database"}
            full.append(what[kind] if times == runs else f"{what[kind]} ({times} of {runs} runs)")
    return {
        **of_cell(part[0].run.cell),
        **{
            column: ", ".join(text for _, text in sorted(texts, reverse=True)) or MISSING
            for column, texts in parts.items()
        },
        "full": ", ".join(full) or "none",
    }

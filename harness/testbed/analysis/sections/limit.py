"""How far each system is from servers that give the same answers without any work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from testbed.analysis.quantities import CPU, GOODPUT
from testbed.analysis.tables import MISSING, markdown_table, number, percent
from testbed.analysis.verdicts import Judged
from testbed.model.systems import Work, declarations

SERVERS = ("static", "netty", "spring")

NOTE = (
    "The same plan against servers that give the declared answers from memory: *static* is a "
    "process of the harness, *netty* is Netty alone, *spring* a controller of Spring MVC, both in "
    "a warm JVM. Each shares the machine with the load generator, as the system does. Goodput is "
    "the highest over the levels; *of* a server is its share of what the plan reaches against that "
    "server. CPU is the least over the levels; *needs* is the CPU of that server as a share of it. "
    "What an operation causes is as the system declares it: HTTP requests, conversions of JSON or "
    "BSON where nothing is remembered, database commands, and messages taken from a queue."
)


def limit(judged: Judged, summary: pl.DataFrame) -> str:
    """Return a table with a row for each system and workload; empty without bare servers."""
    bare: Mapping[str, Any] = judged.results.environment.get("bare_servers") or {}
    rows = list(_rows(bare, summary.filter(pl.col("mode") == "closed"))) if bare else []
    if not rows:
        return ""
    return f"{NOTE}\n\n{markdown_table(rows, ('system', 'workload'))}"


def _rows(bare: Mapping[str, Any], summary: pl.DataFrame) -> Iterator[dict[str, str]]:
    for part in summary.partition_by("system", "workload", maintain_order=True):
        variant, workload = part["variant"][0], part["workload"][0]
        servers = bare.get(f"{variant}-{workload}.jmx")
        if servers is None:
            continue
        goodput, cpu_ms = part[GOODPUT.column].max(), part[CPU.column].min()
        work = declarations()[variant].work.get(workload) if variant in declarations() else None
        yield {
            "system": part["system"][0],
            "workload": workload,
            GOODPUT.title: number(_float(goodput)),
            **{
                f"of {name}": _share(_float(goodput), servers[name]["operations_per_s"])
                for name in SERVERS
            },
            CPU.title: number(_float(cpu_ms), 3),
            **{
                f"{name} needs": _share(servers[name]["cpu_ms"], _float(cpu_ms)) for name in SERVERS
            },
            **{
                name: MISSING if work is None else str(getattr(work, name))
                for name in Work.model_fields
            },
        }


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _share(part: float | None, whole: float | None) -> str:
    return percent(part / whole) if part is not None and whole else MISSING

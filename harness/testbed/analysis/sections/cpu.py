"""The CPU time of operations, by service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import polars as pl

from testbed.analysis.quantities import CPU, cell_figure
from testbed.analysis.results import Cell
from testbed.analysis.samples import Measurement
from testbed.analysis.tables import markdown_table, number, of_cell
from testbed.analysis.verdicts import Judged
from testbed.model.systems import declarations

NOTE = (
    "ms per successful operation, of all servers together and of each. Instances of a service are "
    "counted together, and so are services of one kind."
)

LEAST_MS = 0.005
"""What would be shown as 0.00 is left out."""

Spent = Mapping[Cell, Mapping[str, float]]
"""The CPU time of each service in each cell, ms per successful operation, most first."""


def spent(judged: Judged) -> Spent:
    """Return what each service needed, without cells whose CPU time was not recorded."""
    cells = {cell: _by_service(runs) for cell, runs in judged.used.by_cell().items()}
    return {cell: services for cell, services in cells.items() if services}


def tabulate(spent_ms: Spent) -> pl.DataFrame:
    """Return the table of ``cpu.csv``: a row for each cell and service."""
    return pl.DataFrame(
        {
            "system": cell.system,
            "workload": cell.workload,
            "mode": cell.mode,
            "level": cell.level,
            "preset": cell.preset,
            "backends": cell.backends,
            "service": service,
            CPU.name: ms,
        }
        for cell, services in spent_ms.items()
        for service, ms in services.items()
    )


def by_service(spent_ms: Spent) -> str:
    """Return what each service needed in each cell; empty without a cell."""
    rows = [
        {
            **of_cell(cell),
            CPU.title: number(sum(services.values()), CPU.decimals),
            "by service": ", ".join(
                f"{service} {number(ms, 2)}" for service, ms in services.items() if ms >= LEAST_MS
            ),
        }
        for cell, services in spent_ms.items()
    ]
    if not rows:
        return ""
    return f"{NOTE}\n\n{markdown_table(rows, ('system', 'workload', 'load', 'by service'))}"


def _by_service(runs: Sequence[Measurement]) -> Mapping[str, float]:
    if not (whole_ms := cell_figure(runs, CPU.name)):
        return {}
    variant = runs[0].run.cell.variant
    kinds = declarations()[variant].kinds if variant in declarations() else {}
    kind_of = {service: kind for kind, services in kinds.items() for service in services.services}
    spent_s: dict[str, float] = defaultdict(float)
    for measurement in runs:
        for service, seconds in measurement.run.cpu_s_by_service.items():
            spent_s[kind_of.get(service, service)] += seconds
    whole_s = sum(spent_s.values())
    most_first = sorted(spent_s.items(), key=lambda each: each[1], reverse=True)
    return {service: whole_ms * seconds / whole_s for service, seconds in most_first}

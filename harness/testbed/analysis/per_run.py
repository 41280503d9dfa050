"""Tables with a row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import polars as pl

from testbed.analysis.results import Run


class OfRun(Protocol):
    """A dataclass with results of one run."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def run(self) -> Run: ...


def tabulate(of_runs: Sequence[OfRun], *properties: str) -> pl.DataFrame:
    """Return a row for each, with the run, its cell, the fields, and the named properties."""
    rows = []
    for row in of_runs:
        cell, names = row.run.cell, (*row.__dataclass_fields__, *properties)
        place = {key: getattr(cell, key) for key in ("system", "workload", "mode", "level")}
        values = {name: getattr(row, name) for name in names if name != "run"}
        rows.append({"run": row.run.id, **place, "pair": row.run.repetition, **values})
    return pl.DataFrame(rows, infer_schema_length=None)

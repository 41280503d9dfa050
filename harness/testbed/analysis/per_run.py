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


def columns_of(run: Run) -> dict[str, Any]:
    """Return the columns that say which run a row is of."""
    cell = {key: getattr(run.cell, key) for key in ("system", "workload", "mode", "level")}
    return {"run": run.id, **cell, "pair": run.repetition}


def tabulate(of_runs: Sequence[OfRun], *properties: str) -> pl.DataFrame:
    """Return a row for each, with the run, its cell, the fields, and the named properties."""
    rows = []
    for row in of_runs:
        names = (*row.__dataclass_fields__, *properties)
        values = {name: getattr(row, name) for name in names if name != "run"}
        rows.append({**columns_of(row.run), **values})
    return pl.DataFrame(rows, infer_schema_length=None)

"""Tables with a row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import polars as pl

from testbed.analysis.results import Run


class OfRun(Protocol):
    """A dataclass of what was found about a run."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def run(self) -> Run: ...


def tabulate(found: Sequence[OfRun], *properties: str) -> pl.DataFrame:
    """Return a row for each, with the run, its cell, the fields, and the named properties."""
    rows = []
    for one in found:
        cell, names = one.run.cell, (*one.__dataclass_fields__, *properties)
        known = {"system": cell.system, "workload": cell.workload, "level": cell.level}
        told = {name: getattr(one, name) for name in names if name != "run"}
        rows.append({"run": one.run.id, **known, "pair": one.run.repetition, **told})
    return pl.DataFrame(rows, infer_schema_length=None)

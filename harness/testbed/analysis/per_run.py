"""Tables with a row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
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
        fields, cell = asdict(one), one.run.cell
        del fields["run"]
        known = {"system": cell.system, "workload": cell.workload, "level": cell.level}
        told = {name: getattr(one, name) for name in properties}
        rows.append({"run": one.run.id, **known, "pair": one.run.repetition, **fields, **told})
    return pl.DataFrame(rows, infer_schema_length=None)

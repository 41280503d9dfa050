"""What one figure or table is about: cells that differ in system and level only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from testbed.analysis.results import Cell
from testbed.analysis.samples import Measured, Measurement
from testbed.analysis.tables import condition
from testbed.model.loads import Mode


@dataclass(frozen=True)
class Study:
    """What one figure or table is about: cells that differ in system and level only."""

    workload: str
    preset: str
    backends: str
    mode: Mode = "closed"

    @classmethod
    def of(cls, cell: Cell) -> Study:
        """Return what a cell is part of."""
        return cls(cell.workload, cell.preset, cell.backends, cell.mode)

    @property
    def conditions(self) -> str:
        """The words for its preset and backends."""
        words = condition(self.preset, self.backends)
        return words if self.mode == "closed" else f"{words}, open loop"

    @property
    def axis(self) -> str:
        """What its level is."""
        return "threads" if self.mode == "closed" else "arrivals per second"


def measured_studies(measured: Measured) -> Iterator[tuple[Study, list[Measurement]]]:
    """Sort runs by what one figure is about."""
    studies: dict[Study, list[Measurement]] = {}
    for measurement in measured.measurements:
        studies.setdefault(Study.of(measurement.run.cell), []).append(measurement)
    yield from studies.items()


def summarised_studies(summary: pl.DataFrame) -> Iterator[tuple[Study, pl.DataFrame]]:
    """Sort the rows of a summary by what one figure is about."""
    keys = ("workload", "preset", "backends", "mode")
    for part in summary.partition_by(keys, maintain_order=True):
        yield Study(*(part[key][0] for key in keys)), part


def by_system(runs: Iterable[Measurement]) -> dict[str, dict[float, list[Measurement]]]:
    """Sort runs by system and level, systems in order of their first run."""
    systems: dict[str, dict[float, list[Measurement]]] = {}
    for one in runs:
        levels = systems.setdefault(one.run.cell.system, {})
        levels.setdefault(one.run.cell.level, []).append(one)
    return systems

"""Studies: groups of cells that differ only in system and level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from testbed.analysis.grouping import grouped
from testbed.analysis.results import Cell
from testbed.analysis.samples import Measured, Measurement
from testbed.analysis.tables import condition
from testbed.model.loads import Mode


@dataclass(frozen=True)
class Study:
    """Cells that differ only in system and level: the subject of one figure or table."""

    workload: str
    preset: str
    backends: str
    mode: Mode = "closed"

    @classmethod
    def of(cls, cell: Cell) -> Study:
        return cls(cell.workload, cell.preset, cell.backends, cell.mode)

    @property
    def conditions(self) -> str:
        """Preset and backends in words, and the loop if it is open."""
        words = condition(self.preset, self.backends)
        return words if self.mode == "closed" else f"{words}, open loop"

    @property
    def axis(self) -> str:
        return "threads" if self.mode == "closed" else "arrivals per second"


def measured_studies(measured: Measured) -> dict[Study, list[Measurement]]:
    return grouped(measured.measurements, lambda measurement: Study.of(measurement.run.cell))


def by_system(runs: Iterable[Measurement]) -> dict[str, dict[float, list[Measurement]]]:
    """Group runs by system and level, systems in order of their first run."""
    return {
        system: grouped(measurements, lambda measurement: measurement.run.cell.level)
        for system, measurements in grouped(
            runs, lambda measurement: measurement.run.cell.system
        ).items()
    }

"""Sources of figures for claims: results, or the data that the thesis published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from testbed.analysis.arrays import Floats
from testbed.analysis.claims.claim import Cells, Count, NoFigureError
from testbed.analysis.results import Cell, Run
from testbed.analysis.verdicts import Judged

PRESET = "thesis"
"""The preferred preset: it is configured as the thesis describes it."""


class MeasuredFigures:
    """Results as a source: a variant's first system, of the thesis's preset if there is one."""

    def __init__(self, judged: Judged, count: Count) -> None:
        self.judged = judged
        self.count = count

    def cells(self, variant: str, workload: str) -> Cells | None:
        cell = self._cell(variant, workload)
        if cell is None:
            return None
        times: dict[float, list[Floats]] = {}
        failed: dict[float, list[tuple[int, int]]] = {}
        pairs: dict[float, list[int]] = {}
        for measurement in self.judged.used.measurements:
            if not _counts(measurement.run, cell):
                continue
            whole = self.count == "sample"
            rows = measurement.recorded.samples if whole else measurement.operations
            counted = rows if whole else rows.filter("ok")
            level = measurement.run.cell.level
            elapsed = counted["elapsed_ms"].to_numpy().astype(float)
            times.setdefault(level, []).append(elapsed)
            failed.setdefault(level, []).append((int((~rows["ok"]).sum()), rows.height))
            pairs.setdefault(level, []).append(measurement.run.repetition)
        tried = {run.cell.level for run in self.judged.results.runs if _counts(run, cell)}
        return Cells(times, failed, tried, pairs)

    def chosen(self, variant: str, workload: str) -> str | None:
        """Return in words which cells represent a variant; None if there are none."""
        cell = self._cell(variant, workload)
        if cell is None:
            return None
        return f"system {cell.system} (preset {cell.preset}, {cell.backends} backends)"

    def _cell(self, variant: str, workload: str) -> Cell | None:
        """Return one of the cells that represent a variant; None if none has a usable run."""
        every = [
            run.cell
            for run in (measurement.run for measurement in self.judged.used.measurements)
            if (run.cell.variant, run.cell.workload, run.cell.mode) == (variant, workload, "closed")
            and not run.disturbance
        ]
        preferred = [cell for cell in every if cell.preset == PRESET] or every
        order = self.judged.results.systems
        return min(preferred, key=lambda cell: order.index(cell.system), default=None)


def _counts(run: Run, cell: Cell) -> bool:
    """Return whether a run equals a cell in all but the level, and no service was stopped."""
    return replace(run.cell, threads=cell.threads, level=cell.level) == cell and not run.disturbance


class PublishedFigures:
    """The thesis's published means and shares as a source: one figure per cell, per sample."""

    count: Count = "sample"

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = rows

    @property
    def judged(self) -> Judged:
        raise NoFigureError("needs runs")

    def cells(self, variant: str, workload: str) -> Cells | None:
        rows = [row for row in self._rows if (row[0], row[1]) == (variant, workload)]
        if not rows:
            return None
        return Cells(
            {float(row[2]): [np.array([float(row[3])])] for row in rows},
            {float(row[2]): [(round(1_000_000 * row[4]), 1_000_000)] for row in rows},
            [float(row[2]) for row in rows],
        )

"""Where the figures of claims come from: results, or the data that the thesis published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from testbed.analysis.arrays import Floats
from testbed.analysis.claims.claim import Cells, Count
from testbed.analysis.samples import Measurement
from testbed.analysis.verdicts import Judged

PRESET = "thesis"
"""Preferred: it is configured as the thesis describes it."""


class MeasuredFigures:
    """Results as a source: of the variants' cells those of the thesis's preset, else the first."""

    def __init__(self, judged: Judged) -> None:
        self._judged = judged

    def cells(self, variant: str, workload: str, count: Count) -> Cells | None:
        times: dict[float, list[Floats]] = {}
        failed: dict[float, list[tuple[int, int]]] = {}
        for one in self._runs(variant, workload):
            rows = (one.whole or one).samples if count == "sample" else one.operations
            counted = rows if count == "sample" else rows.filter("ok")
            level = one.run.cell.level
            elapsed = counted["elapsed_ms"].to_numpy().astype(float)
            times.setdefault(level, []).append(elapsed)
            failed.setdefault(level, []).append((int((~rows["ok"]).sum()), rows.height))
        return Cells(times, failed) if times else None

    def chosen(self, variant: str, workload: str) -> str | None:
        """Return in words which cells stand for a variant."""
        runs = self._runs(variant, workload)
        if not runs:
            return None
        cell = runs[0].run.cell
        return f"system {cell.system} (preset {cell.preset}, {cell.backends} backends)"

    def _runs(self, variant: str, workload: str) -> list[Measurement]:
        every = [
            one
            for one in self._judged.used.measurements
            if (one.run.cell.variant, one.run.cell.workload, one.run.cell.mode)
            == (variant, workload, "closed")
        ]
        preferred = [one for one in every if one.run.cell.preset == PRESET] or every
        if not preferred:
            return []
        order = self._judged.results.systems
        system = min((one.run.cell.system for one in preferred), key=order.index)
        chosen = [one for one in preferred if one.run.cell.system == system]
        # One preset and one set of backends: cells of others are other cells.
        first = chosen[0].run.cell
        return [
            one
            for one in chosen
            if (one.run.cell.preset, one.run.cell.backends) == (first.preset, first.backends)
        ]


class PublishedFigures:
    """The thesis's published means and shares as a source: one figure per cell, per sample."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._rows = rows

    def cells(self, variant: str, workload: str, count: Count) -> Cells | None:
        known = [row for row in self._rows if (row[0], row[1]) == (variant, workload)]
        if count != "sample" or not known:
            return None
        return Cells(
            {float(row[2]): [np.array([float(row[3])])] for row in known},
            {float(row[2]): [(round(1_000_000 * row[4]), 1_000_000)] for row in known},
        )

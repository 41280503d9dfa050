"""Compares a run with what users are promised."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from testbed.experiment import Slo


@dataclass(frozen=True)
class Reached:
    """What a run reached.

    Parameters
    ----------
    p95_ms
        95 % of the right answers came within this, from the intended start; None without any.
    failed_share
        The share of arrivals, of 1, that failed or were dropped.
    met
        Whether that is what was promised.
    """

    p95_ms: float | None
    failed_share: float
    met: bool


def reached(
    slo: Slo, response_ms: npt.NDArray[np.float64], ok: npt.NDArray[np.bool_], planned: int
) -> Reached:
    """Compare the operations of a run with an objective.

    Parameters
    ----------
    slo
        The objective.
    response_ms, ok
        Of each operation: the time from its intended start to its end, in ms, and whether the
        answer was right; both of shape (n,).
    planned
        The arrivals that were planned, n or more: those that did not begin have failed.
    """
    right = response_ms[ok]
    p95 = float(np.quantile(right, 0.95)) if right.size else None
    failed = 1.0 if planned == 0 else 1 - right.size / planned
    met = p95 is not None and p95 <= slo.p95_ms and failed <= slo.failed_share
    return Reached(None if p95 is None else round(p95, 3), round(failed, 6), met)


def of_run(slo: Slo, samples: Path, label: str, planned: int | None) -> Reached:
    """Compare a result file with an objective.

    Parameters
    ----------
    samples
        JMeter's result file.
    label
        The label of the rows that are operations.
    planned
        Planned arrivals; None for a closed loop, whose operations are all that began.
    """
    rows = list(_operations(samples, label))
    response = np.array([row[0] for row in rows], dtype=float)
    ok = np.array([row[1] for row in rows], dtype=bool)
    return reached(slo, response, ok, len(rows) if planned is None else planned)


def _operations(samples: Path, label: str) -> Iterator[tuple[float, bool]]:
    with samples.open(newline="", encoding="utf-8", errors="replace") as file:
        for row in csv.DictReader(file):
            if row["label"] != label:
                continue
            start, elapsed = int(row["timeStamp"]), int(row["elapsed"])
            intended = int(row.get("intended") or start)
            response = start + elapsed - intended
            yield (response if response >= 0 else math.nan), row["success"] == "true"

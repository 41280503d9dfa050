"""The arrival times of an open loop: drawn from a seed, the same for every system of a round."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]
Curve = tuple[Sequence[float], Sequence[float]]
"""Points in time, in seconds, and the expected number of arrivals up to each."""


@dataclass(frozen=True)
class Planned:
    """The arrivals of a run."""

    offsets: Offsets
    """When each operation is to begin: sorted milliseconds from the start of the load."""
    length_s: float
    """How long the arrivals last; all offsets are below it."""
    kind: str
    """How the rate changes; if it does not, the process."""
    process: str
    seed: int
    patience_s: int
    """How long after them an operation may begin that waits for a free user."""

    def write(self, file: Path) -> None:
        """Write the arrivals for the plans: one offset in milliseconds per line."""
        lines = "".join(f"{offset_ms}\n" for offset_ms in self.offsets)
        file.write_text(lines, encoding="ascii")

    def describe(self) -> dict[str, Any]:
        """Return the entry of a run record."""
        return {
            "kind": self.kind,
            "process": self.process,
            "seed": self.seed,
            "planned": len(self.offsets),
            "length_s": self.length_s,
        }


def seed_of(seed: int | None, workload: str, level: float, repetition: int, block: int = 0) -> int:
    """Return the seed of a block's arrivals: the same for every system, so that runs are paired.

    `seed` is that of the experiment. Blocks of a run count from 0.
    """
    where = zlib.crc32(f"{workload}/{level:g}".encode())
    sequence = np.random.SeedSequence([seed or 0, repetition, where, *([block] if block else [])])
    return int(sequence.generate_state(1)[0])


def along(curve: Curve, process: str, seed: int) -> Offsets:
    """Return when each operation is to begin if the rate changes as a curve says.

    Parameters
    ----------
    process
        ``poisson`` or ``constant``, which does not use the seed.

    Returns
    -------
    ndarray of int64, shape (n,)
        Milliseconds from the start of the load, sorted, all below the length of the load.

    Notes
    -----
    A Poisson process of changing rate is a process of rate 1 on a stretched time axis. Its arrivals
    lie where the expected number of arrivals reaches the points of the process of rate 1 (Çinlar
    1975, inversion).
    """
    times, expected = curve
    total = float(expected[-1])
    if process == "constant":
        points = np.arange(math.floor(total + 1e-9), dtype=float)
    else:
        points = _unit_poisson(total, np.random.default_rng(seed))
    seconds = np.interp(points, expected, times)
    offsets: Offsets = np.floor(seconds * 1000 + 1e-6).astype(np.int64)
    return offsets[offsets < times[-1] * 1000]


def _unit_poisson(total: float, random: np.random.Generator) -> npt.NDArray[np.float64]:
    points: list[npt.NDArray[np.float64]] = []
    reached = 0.0
    while reached < total:
        # Gaps from uniform numbers, which are the same in every version of NumPy.
        gaps = -np.log1p(-random.random(max(16, int(total - reached) + 16)))
        block = reached + np.cumsum(gaps)
        points.append(block)
        reached = float(block[-1])
    every = np.concatenate(points)
    return every[every < total]

"""What the kinds of open loop have in common: arrivals that do not wait for answers.

They are drawn from a seed, the same for every system of a round.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from testbed.experiment.declaration import Experiment
from testbed.experiment.runs import OPEN, Cell, Level, Offsets, Planned, Run, Start

FEWEST_ARRIVALS = 10
"""Of a load, as expected. A Poisson process of so many has none once in 22,000 loads."""


@dataclass(frozen=True)
class Ramp:
    """A time in which the rate changes linearly, or is constant."""

    first: float
    """Arrivals per second at the beginning."""
    last: float
    """Arrivals per second at the end."""
    seconds: float

    @property
    def arrivals(self) -> float:
        """The expected number of arrivals."""
        return (self.first + self.last) / 2 * self.seconds

    def __str__(self) -> str:
        rates = f"{self.first:g}" if self.first == self.last else f"{self.first:g} to {self.last:g}"
        return f"{rates} arrivals/s for {self.seconds:g} s"


class OpenLoop(Experiment):
    """Arrivals that do not wait for answers; beside them, a closed loop may be measured.

    The rate is constant unless a kind has other ramps.
    """

    @model_validator(mode="after")
    def _check_loops(self) -> OpenLoop:
        if self.loops is not None and not self.threads:
            raise ValueError(f"loops: {self.loops}: an open loop has none; its end is the duration")
        return self

    def require_arrivals(self, rate: float) -> None:
        """Raise `ValueError` if a load at a rate has too few arrivals to measure anything."""
        expected = sum(ramp.arrivals for ramp in self.ramps(rate))
        if expected < FEWEST_ARRIVALS:
            raise ValueError(
                f"{rate:g} arrivals/s are {expected:.2g} in the {self.arrivals_s:g} s of a load; "
                f"at least {FEWEST_ARRIVALS} are needed"
            )

    @property
    def changing(self) -> str | None:
        """How the rate changes during a run, in its record; None for a constant rate."""
        return None

    @property
    def arrivals_s(self) -> float:
        """How long the arrivals last, in seconds."""
        assert self.duration is not None, "a kind without a duration knows its length"
        return float(self.duration)

    @property
    def patience_s(self) -> int:
        """How long after the arrivals an operation may begin that waits for a free user."""
        return 0

    def at_rate(self, rate: float) -> Level:
        """Return the level of a rate, or of a mean rate, in arrivals per second."""
        return Level(OPEN, rate, self.max_in_flight, changing=self.changing is not None)

    def ramps(self, rate: float) -> Sequence[Ramp]:
        return (Ramp(rate, rate, self.arrivals_s),)

    def offsets(self, rate: float, seed: int) -> Offsets:
        """Return when each operation is to begin, in milliseconds from the start of the load."""
        return along(self.ramps(rate), self.arrivals, seed)

    def length_s(self, level: Level) -> float:
        return self.arrivals_s if level.mode == OPEN else super().length_s(level)

    def arrivals_of(self, run: Run, block: int = 0) -> Planned | None:
        if run.level.mode != OPEN:
            return None
        seed = seed_of(self.seed, run.workload, run.level.value, run.repetition, block)
        return Planned(
            self.offsets(run.level.value, seed),
            self.arrivals_s,
            self.changing or self.arrivals,
            self.arrivals,
            seed,
            self.patience_s,
        )

    def words(self, start: Start, cell: Cell) -> str:
        words = super().words(start, cell)
        return f"{words}, {self.arrivals}" if cell.level.mode == OPEN else words


def seed_of(seed: int | None, workload: str, level: float, repetition: int, block: int = 0) -> int:
    """Return the seed of a block's arrivals: the same for every system, so that runs are paired.

    `seed` is that of the experiment. Blocks of a run count from 0.
    """
    where = zlib.crc32(f"{workload}/{level:g}".encode())
    sequence = np.random.SeedSequence([seed or 0, repetition, where, *([block] if block else [])])
    return int(sequence.generate_state(1)[0])


def along(ramps: Sequence[Ramp], process: str, seed: int) -> Offsets:
    """Return when each operation is to begin if the rate follows ramps, one after another.

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
    first, last, length = np.array([(ramp.first, ramp.last, ramp.seconds) for ramp in ramps]).T
    begins = np.cumsum(length) - length
    expected = np.cumsum([ramp.arrivals for ramp in ramps])
    if process == "constant":
        points = np.arange(math.floor(expected[-1] + 1e-9), dtype=float)
    else:
        points = _unit_poisson(float(expected[-1]), np.random.default_rng(seed))
    # A point at the end of a ramp belongs to the next one in which anybody arrives.
    ramp = np.searchsorted(expected, points, side="right")
    into = points - np.concatenate([[0.0], expected])[ramp]
    # The root of first * t + (last - first) / length * t**2 / 2 = into, for equal rates too.
    slope = ((last - first) / length)[ramp]
    rates = first[ramp] + np.sqrt(np.maximum(first[ramp] ** 2 + 2 * slope * into, 0))
    seconds = begins[ramp] + np.divide(2 * into, rates, out=np.zeros_like(into), where=rates > 0)
    offsets: Offsets = np.floor(seconds * 1000 + 1e-6).astype(np.int64)
    return offsets[offsets < 1000 * float(length.sum())]


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

"""An open loop of a number of arrivals within a short time."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from testbed.experiment.open_loop import OpenLoop
from testbed.experiment.parts import Nothing, Section
from testbed.experiment.runs import Cell, Level, Offsets, Start


class Burst(Section):
    """A number of arrivals within a short time, and none after them."""

    arrivals: Annotated[int, Field(ge=2, le=100_000, strict=True)]
    """How many."""
    over: Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]
    """Seconds within which they come: at random times, or evenly (``arrivals: constant``)."""


class InBurst(OpenLoop):
    """An open loop of a number of arrivals within a short time; their rate is the level."""

    burst: Burst
    threads: Nothing = ()
    loops: None = None
    duration: None = None

    @property
    def changing(self) -> str:
        return "burst"

    @property
    def levels(self) -> tuple[Level, ...]:
        return (self.at_rate(self.burst.arrivals / self.burst.over),)

    @property
    def arrivals_s(self) -> float:
        return self.burst.over

    @property
    def patience_s(self) -> int:
        # Of a burst, what waits for a free user of the generator is late, not dropped.
        return self.drain or 0

    def offsets(self, rate: float, seed: int) -> Offsets:
        """Return the arrivals: their number is given, so Poisson ones are uniform and sorted."""
        shares = np.arange(self.burst.arrivals) / self.burst.arrivals
        if self.arrivals == "poisson":
            shares = np.sort(np.random.default_rng(seed).random(self.burst.arrivals))
        return np.floor(shares * self.burst.over * 1000).astype(np.int64)

    def words(self, start: Start, cell: Cell) -> str:
        return f"{cell.workload}, {self.burst.arrivals:,} arrivals over {self.burst.over:g} s"

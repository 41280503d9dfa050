"""What the kinds of open loop have in common: arrivals that do not wait for answers."""

from __future__ import annotations

from typing import ClassVar

from pydantic import model_validator

from testbed.experiment import arrivals
from testbed.experiment.arrivals import Curve, Offsets, Planned
from testbed.experiment.declaration import Experiment
from testbed.experiment.runs import OPEN, Cell, Level, Run, Start


class OpenLoop(Experiment):
    """Arrivals that do not wait for answers; beside them, a closed loop may be measured.

    The rate is constant unless a kind has another curve.
    """

    changing: ClassVar[str | None] = None
    """How the rate changes during a run, in its record; None for a constant rate."""

    @model_validator(mode="after")
    def _check_loops(self) -> OpenLoop:
        if self.loops is not None and not self.threads:
            raise ValueError(f"loops: {self.loops}: an open loop has none; its end is the duration")
        return self

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

    def curve(self, rate: float) -> Curve:
        return (0.0, self.arrivals_s), (0.0, rate * self.arrivals_s)

    def offsets(self, rate: float, seed: int) -> Offsets:
        """Return when each operation is to begin, in milliseconds from the start of the load."""
        return arrivals.along(self.curve(rate), self.arrivals, seed)

    def length_s(self, level: Level) -> float:
        return self.arrivals_s if level.mode == OPEN else super().length_s(level)

    def arrivals_of(self, run: Run, block: int = 0) -> Planned | None:
        if run.level.mode != OPEN:
            return None
        seed = arrivals.seed_of(self.seed, run.workload, run.level.value, run.repetition, block)
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

"""An open loop whose rate changes in steps."""

from __future__ import annotations

import itertools
from typing import ClassVar, Literal

from pydantic import Field

from testbed.experiment.open_loop import Curve, OpenLoop
from testbed.experiment.parts import Nothing, Rate, Seconds, Section
from testbed.experiment.runs import Cell, Level, Start


class Steps(Section):
    """A rate that rises or falls in steps within one run."""

    kind: Literal["steps"]
    first: Rate = Field(alias="from")
    """The first rate, in arrivals per second."""
    last: Rate = Field(alias="to")
    """The last rate, in arrivals per second."""
    step: Rate
    """The difference between two steps, in arrivals per second."""
    every: Seconds
    """Seconds per step."""

    @property
    def rates(self) -> tuple[float, ...]:
        """The rate of each step, arrivals per second."""
        count = int(abs(self.last - self.first) / self.step + 1e-9) + 1
        sign = 1 if self.last >= self.first else -1
        return tuple(self.first + sign * self.step * number for number in range(count))


class Stepped(OpenLoop):
    """An open loop whose rate changes in steps, which say how long a run lasts."""

    changing: ClassVar[str] = "steps"

    schedule: Steps
    threads: Nothing = ()
    loops: None = None
    duration: None = None

    @property
    def levels(self) -> tuple[Level, ...]:
        rates = self.schedule.rates
        return (self.at_rate(sum(rates) / len(rates)),)

    @property
    def arrivals_s(self) -> float:
        return float(len(self.schedule.rates) * self.schedule.every)

    def curve(self, rate: float) -> Curve:
        every, rates = self.schedule.every, self.schedule.rates
        times = [float(step * every) for step in range(len(rates) + 1)]
        return times, list(itertools.accumulate((rate * every for rate in rates), initial=0.0))

    def words(self, start: Start, cell: Cell) -> str:
        return f"{cell.workload}, steps, {cell.level.value:g} arrivals/s on average"

"""An open loop whose rate follows a schedule of phases."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from testbed.experiment.open_loop import FEWEST_ARRIVALS, OpenLoop, Ramp
from testbed.experiment.parts import Nothing, RateOrNone, Seconds, Section
from testbed.experiment.runs import Cell, Level, Start


class Phase(Section):
    """A constant rate, or a linear ramp from one rate to another; a rate of 0 is a pause."""

    rate: RateOrNone | None = None
    """Arrivals per second, in place of ``from`` and ``to``."""
    first: RateOrNone | None = Field(default=None, alias="from")
    """Arrivals per second at the beginning."""
    last: RateOrNone | None = Field(default=None, alias="to")
    """Arrivals per second at the end."""
    seconds: Seconds = Field(alias="for")

    @model_validator(mode="after")
    def _check_rate(self) -> Phase:
        ends = {"from": self.first, "to": self.last}
        given = {"rate": self.rate, **ends}
        shown = ", ".join(f"{key}: {rate:g}" for key, rate in given.items() if rate is not None)
        one_rate = self.rate is not None and all(rate is None for rate in ends.values())
        if not one_rate and (self.rate is not None or None in ends.values()):
            raise ValueError(f"{shown or 'no rate'}: give rate, or from and to")
        return self

    @property
    def ramp(self) -> Ramp:
        first, last = (self.rate if rate is None else rate for rate in (self.first, self.last))
        assert first is not None and last is not None
        return Ramp(first, last, self.seconds)


class Phases(Section):
    """Phases that follow each other within one run."""

    kind: Literal["phases"] = "phases"
    phases: Annotated[tuple[Phase, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_arrivals(self) -> Phases:
        expected = sum(ramp.arrivals for ramp in self.ramps)
        if expected < FEWEST_ARRIVALS:
            raise ValueError(
                f"phases: {expected:.2g} arrivals; at least {FEWEST_ARRIVALS} are needed"
            )
        return self

    @property
    def ramps(self) -> tuple[Ramp, ...]:
        return tuple(phase.ramp for phase in self.phases)

    @property
    def words(self) -> str:
        return ", ".join(map(str, self.ramps))


class Scheduled(OpenLoop):
    """An open loop whose rate follows a schedule, which says how long a run lasts."""

    schedule: Phases
    threads: Nothing = ()
    loops: None = None
    duration: None = None

    @property
    def changing(self) -> str:
        return self.schedule.kind

    @property
    def levels(self) -> tuple[Level, ...]:
        arrivals = sum(ramp.arrivals for ramp in self.schedule.ramps)
        return (self.at_rate(arrivals / self.arrivals_s),)

    @property
    def arrivals_s(self) -> float:
        return float(sum(ramp.seconds for ramp in self.schedule.ramps))

    def ramps(self, rate: float) -> tuple[Ramp, ...]:
        return self.schedule.ramps

    def words(self, start: Start, cell: Cell) -> str:
        average = f"{cell.level.value:g} arrivals/s on average"
        return f"{cell.workload}, {self.schedule.words}, {average}"

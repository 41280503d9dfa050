"""An open loop at constant rates."""

from __future__ import annotations

from testbed.experiment.open_loop import OpenLoop
from testbed.experiment.parts import Rate, Seconds, Several
from testbed.experiment.runs import Level


class AtRates(OpenLoop):
    """An open loop at constant rates, in arrivals per second."""

    duration: Seconds
    rates: Several[Rate]

    @property
    def levels(self) -> tuple[Level, ...]:
        return (*super().levels, *map(self.at_rate, self.rates))

"""An open loop at constant rates."""

from __future__ import annotations

from pydantic import model_validator

from testbed.experiment.open_loop import OpenLoop
from testbed.experiment.parts import Rate, Seconds, Several
from testbed.experiment.runs import Level


class AtRates(OpenLoop):
    """An open loop at constant rates, in arrivals per second."""

    duration: Seconds
    rates: Several[Rate]

    @model_validator(mode="after")
    def _check_rates(self) -> AtRates:
        self.require_arrivals(min(self.rates))
        return self

    @property
    def levels(self) -> tuple[Level, ...]:
        return (*super().levels, *map(self.at_rate, self.rates))

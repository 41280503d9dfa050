"""A search for the highest rate of an open loop that meets the objective."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from testbed.experiment.open_loop import OpenLoop
from testbed.experiment.parts import Grid, Nothing, Repetitions, Seconds, Slo
from testbed.experiment.runs import Cell, Level, Records, Start
from testbed.experiment.search import most_tries, next_rate


class Search(Grid):
    """A search for the highest rate that meets the objective, in arrivals per second."""

    repetitions: Repetitions = 3
    """Searches, each after a new start of every system."""


class Searched(OpenLoop):
    """Searches for the highest rate of an open loop that meets the objective."""

    searches: ClassVar[bool] = True

    duration: Seconds
    search: Search
    slo: Slo
    threads: Nothing = ()
    repetitions: Annotated[Literal[1], Field(exclude=True)] = 1
    precision: None = None

    @model_validator(mode="after")
    def _check_lowest(self) -> Searched:
        self.require_arrivals(self.search.first)
        return self

    @property
    def opens(self) -> bool:
        return True

    @property
    def rounds(self) -> int:
        return self.search.repetitions

    def next_cell(self, start: Start, done: Records, last: Cell | None = None) -> Cell | None:
        names = start.workloads
        if last is not None:
            # The workloads alternate.
            turn = names.index(last.workload) + 1
            names = (*names[turn:], *names[:turn])
        for workload in names:
            rate = next_rate(self.search, tried(start, workload, done))
            if rate is not None:
                return Cell(workload, self.at_rate(rate))
        return None

    def remaining(self, start: Start, done: Records) -> list[Level]:
        most = most_tries(partial(next_rate, self.search))
        tries = sum(
            max(0, most - len(tried(start, workload, done))) for workload in start.workloads
        )
        return [self.at_rate(self.search.last)] * tries

    def lines(self, start: Start, done: Records) -> list[str]:
        return [
            f"search between {self.search.first:g} and {self.search.last:g} arrivals/s: "
            f"{', '.join(start.workloads)}"
        ]


def tried(start: Start, workload: str, done: Records) -> dict[float, bool]:
    """Return whether each rate that a search has tried met the objective."""
    (system,) = start.systems
    return {
        record["level"]: bool(record["slo"]["met"])
        for record in done.values()
        if (record["system"], record["workload"], record["repetition"])
        == (system.name, workload, start.repetition)
    }

"""Short blocks of load, which alternate between systems that are up together."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from testbed.experiment.open_loop import FEWEST_ARRIVALS, OpenLoop
from testbed.experiment.parts import (
    DESIGNS,
    Nothing,
    RateOrShare,
    Section,
    Several,
    Threads,
    Together,
)
from testbed.experiment.runs import CLOSED, OPEN, Allocation, Cell, Level, Records, Run, Start

SERVED = "served_per_s"
"""The goodput of a run of which rates are shares, in its record."""


class Blocks(Section):
    """Measures a cell in short blocks, in balanced order, on systems that are up together."""

    seconds: Annotated[int, Field(ge=2, le=3600, strict=True)] = 8
    """The length of a block."""
    settle: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 2
    """Seconds at the start of each block that are not counted."""
    each: Annotated[int, Field(ge=2, le=1000, multiple_of=2, strict=True)] = 2
    """Blocks per system and cell. Even, because every order is followed by its mirror image."""

    @model_validator(mode="after")
    def _check_settle(self) -> Blocks:
        if self.settle >= self.seconds:
            raise ValueError(f"settle: {self.settle:g} s leaves nothing of {self.seconds} s")
        return self


class InBlocks(OpenLoop):
    """Short blocks of a closed or an open loop, which alternate between systems up together.

    With every other kind, systems are started one after another. In an open loop, a block has the
    same arrivals on every system. A rate may be a share of what the slower system serves at the
    most threads in the first pair of starts.
    """

    in_turns: ClassVar[bool] = True

    threads: Several[Threads] | Nothing = ()
    rates: Several[RateOrShare] | Nothing = ()
    """The levels of an open loop: arrivals per second, or shares such as ``50%``."""
    blocks: Blocks
    ramp: Annotated[int, Field(ge=0, le=1, strict=True)] = 1
    loops: None = None
    duration: None = None
    disturb: None = None
    drain: None = None

    @model_validator(mode="after")
    def _check_rates(self) -> InBlocks:
        for level in self.levels:
            if level.mode == OPEN:
                self.require_arrivals(level.value)
        return self

    @model_validator(mode="after")
    def _check_shares(self) -> InBlocks:
        if self.shares and not self.threads:
            given = ", ".join(map(str, self.rates))
            raise ValueError(f"rates: {given}: a share is of what is served at threads: give some")
        if self.together not in self.designs:
            raise ValueError(
                f"together: {self.together!r}: a share is of what the slower of systems that are "
                "up together serves"
            )
        return self

    @property
    def designs(self) -> tuple[Together, ...]:
        # Alone, each system would have shares of its own, at which nothing is compared.
        return DESIGNS[:-1] if self.shares and len(self.compared) > 1 else DESIGNS

    @property
    def shares(self) -> tuple[str, ...]:
        """The rates that the results decide."""
        return tuple(rate for rate in self.rates if isinstance(rate, str))

    @property
    def levels(self) -> tuple[Level, ...]:
        rates = (rate for rate in self.rates if not isinstance(rate, str))
        return (*super().levels, *map(self.at_rate, rates))

    @property
    def opens(self) -> bool:
        return bool(self.rates)

    @property
    def load_s(self) -> int:
        return self.blocks.seconds

    @property
    def arrivals_s(self) -> float:
        return float(self.blocks.seconds)

    @property
    def each(self) -> int:
        return self.blocks.each

    @property
    def settle_s(self) -> float:
        return self.blocks.settle

    def next_cell(self, start: Start, done: Records, last: Cell | None = None) -> Cell | None:
        left = (cell for _, cell in self._at_shares(start, done))
        return super().next_cell(start, done, last) or next(left, None)

    def remaining(self, start: Start, done: Records) -> list[Level]:
        at_shares = self._at_shares(start, done)
        return super().remaining(start, done) + [
            cell.level for _, cell in at_shares for _ in start.systems
        ]

    def lines(self, start: Start, done: Records) -> list[str]:
        return super().lines(start, done) + [
            f"{cell.workload}, {share} of what the slower system serves: {self._order(start, cell)}"
            for share, cell in self._at_shares(start, done)
        ]

    def words(self, start: Start, cell: Cell) -> str:
        return f"{super().words(start, cell)}: {self._order(start, cell)}"

    def _order(self, start: Start, cell: Cell) -> str:
        order = itertools.chain.from_iterable(start.turns(cell, self.each))
        return " ".join(system.name for system in order)

    def _at_shares(self, start: Start, done: Records) -> Iterator[tuple[str, Cell]]:
        """Yield each share that is not measured after a start, with its cell.

        Its rate is 0 as long as it is not known what the systems serve. Where one of them serves so
        little that nobody arrives in a block, there is no share of it.
        """
        for share, workload in itertools.product(self.shares, start.workloads):
            served = _served(start, workload, done)
            rate = 0.0 if served is None else float(share.rstrip("%")) / 100 * served
            if served is not None and rate * self.arrivals_s < FEWEST_ARRIVALS:
                continue
            cell = Cell(workload, self.at_rate(float(f"{rate:.2g}")))
            if not all(run.id in done for run in start.runs(cell)):
                yield share, cell

    def entries(
        self,
        run: Run,
        allocation: Allocation | None,
        record: Mapping[str, Any],
        goodput: Callable[[], float],
    ) -> dict[str, Any]:
        most = run.level.mode == CLOSED and run.level.threads == max(self.threads)
        return {SERVED: goodput()} if self.shares and most else {}


def _served(start: Start, workload: str, done: Records) -> float | None:
    """Return the goodput of the slower system in their first pair; None before it is measured."""
    names = {system.name for system in start.systems}
    served: dict[int, dict[str, float]] = {}
    for record in done.values():
        if record["workload"] == workload and record["system"] in names and SERVED in record:
            served.setdefault(record["repetition"], {})[record["system"]] = record[SERVED]
    first = min((pair for pair, of in served.items() if of.keys() == names), default=None)
    return None if first is None else min(served[first].values())

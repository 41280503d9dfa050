"""A closed loop in short blocks, which alternate between systems that are up together."""

from __future__ import annotations

import itertools
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from testbed.experiment.declaration import Experiment
from testbed.experiment.parts import Section, Several, Threads
from testbed.experiment.runs import Cell, Start


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


class InBlocks(Experiment):
    """A closed loop in short blocks, which alternate between systems that are up together.

    With every other kind, systems are started one after another.
    """

    in_turns: ClassVar[bool] = True

    threads: Several[Threads]
    blocks: Blocks
    ramp: Annotated[int, Field(ge=0, le=1, strict=True)] = 1
    loops: None = None
    duration: None = None
    disturb: None = None
    drain: None = None
    local_ports: None = None

    @property
    def load_s(self) -> int:
        return self.blocks.seconds

    @property
    def each(self) -> int:
        return self.blocks.each

    @property
    def settle_s(self) -> float:
        return self.blocks.settle

    def words(self, start: Start, cell: Cell) -> str:
        order = itertools.chain.from_iterable(start.turns(cell, self.each))
        return f"{super().words(start, cell)}: {' '.join(system.name for system in order)}"

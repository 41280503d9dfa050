"""What is measured: systems, levels, cells, runs with their arrivals, and starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from testbed.experiment.parts import SCALES, STORED, Autoscale, ServiceLimits

CLOSED = "closed"
OPEN = "open"

Offsets = npt.NDArray[np.int64]

Records = Mapping[str, Mapping[str, Any]]
"""The records of finished runs, by name."""


@dataclass(frozen=True)
class System:
    """One of the compared systems, with everything that makes it differ from the others."""

    name: str
    """Unique in the experiment."""
    variant: str
    preset: str
    settings: Mapping[str, str]
    """Environment settings of its services: those under which the system is measured, those of the
    experiment, its own, and factor values.
    """
    properties: Mapping[str, str]
    """Properties of the plan that say what is sent, and how results are fetched."""
    scrape: int | None = None
    """Seconds between two scrapes of every service's metrics; None for no scraping."""
    replicas: Mapping[str, int] = field(default_factory=dict)
    """Instances of each service; one where it is not named."""
    limits: Mapping[str, ServiceLimits] = field(default_factory=dict)
    """The limits of each instance, by service."""
    stored: int = 0
    """Documents that are stored before each run."""
    jars: str | None = None
    """The folder with the jars of its services; None for those that the project builds."""
    generators: int = 1
    """Load generators that put each load on it together."""
    autoscale: tuple[Autoscale, ...] = ()
    """Each changes the instances of a service under load; `replicas` has the most of them."""
    target: str | None = None
    """The front door of a system that runs already; None for one that is started."""
    command: str | None = None
    """What starts it; None for a system of services."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Images in place of those of the user's compose file, by service."""

    @property
    def deployed(self) -> dict[str, str]:
        """What it is besides its settings, by key, such as ``limits.SERVICE.cpus``."""
        limits = {
            f"limits.{service}.{key}": f"{value:g}"
            for service, limits in self.limits.items()
            for key, value in limits.model_dump(exclude={"since"}, exclude_none=True).items()
        }
        counts = {name: str(count) for name, count in self.replicas.items()}
        for rule in self.autoscale:
            counts[rule.service] = f"{rule.least} to {rule.most} by {rule.rule}"
        return {
            **{f"{SCALES}{name}": text for name, text in counts.items()},
            **limits,
            **({STORED: str(self.stored)} if self.stored else {}),
            **({} if self.jars is None else {"jars": self.jars}),
            **({} if self.target is None else {"target": self.target}),
            **({} if self.command is None else {"command": self.command}),
            **{f"image.{service}": image for service, image in self.images.items()},
        }

    @property
    def cpus(self) -> float:
        """The sum of the CPU limits of all instances, in cores."""
        return sum(
            (limits.cpus or 0) * self.replicas.get(name, 1) for name, limits in self.limits.items()
        )

    @property
    def measured_cpus(self) -> dict[str, float]:
        """The CPU limits of instances, in cores, that hold during each run only, by service."""
        return {
            name: limits.cpus
            for name, limits in self.limits.items()
            if limits.cpus is not None and limits.since == "measurement"
        }

    @property
    def fetch(self) -> str | None:
        """How results are fetched; None if the system answers at once."""
        return self.properties.get("fetch")


@dataclass(frozen=True)
class Level:
    mode: str
    """``closed`` or ``open``."""
    value: float
    """Threads (closed) or mean arrivals per second (open)."""
    threads: int
    """Users (closed) or the most operations in flight (open)."""
    changing: bool = False
    """Whether the rate follows the experiment's schedule, or is that of a burst."""
    cpus: float | None = None
    """The CPU of all services of the system together, in cores; None for no such limit."""


@dataclass(frozen=True)
class Cell:
    """One workload at one level."""

    workload: str
    level: Level


@dataclass(frozen=True)
class Run:
    """One cell of one system, measured after start number `repetition`, from 1."""

    system: str
    variant: str
    preset: str
    workload: str
    level: Level
    repetition: int

    @property
    def id(self) -> str:
        return f"{self.system}-{self.workload}-{_shown(self.level)}-{self.repetition}"


SESSIONS = 1
"""Tells the numbers of sessions from the arrival times of the same seed."""


@dataclass(frozen=True)
class Planned:
    """The arrivals of a run."""

    offsets: Offsets
    """When each operation is to begin: sorted milliseconds from the start of the load."""
    length_s: float
    """How long the arrivals last; all offsets are below it."""
    kind: str
    """How the rate changes; if it does not, the process."""
    process: str
    seed: int
    patience_s: int
    """How long after them an operation may begin that waits for a free user."""

    @property
    def sessions(self) -> list[int]:
        """A number of 32 bits for each arrival, from which follows all that its session chooses."""
        # Raw numbers, which are the same in every version of NumPy.
        numbers = np.random.PCG64([self.seed, SESSIONS]).random_raw(len(self.offsets))
        return [int(number) >> 32 for number in numbers]

    def write(self, file: Path) -> None:
        """Write the arrivals for the plans: an offset in milliseconds and a number per line."""
        pairs = zip(self.offsets, self.sessions, strict=True)
        lines = "".join(f"{offset_ms},{session}\n" for offset_ms, session in pairs)
        file.write_text(lines, encoding="ascii")

    def describe(self) -> dict[str, Any]:
        """Return the entry of a run record."""
        return {
            "kind": self.kind,
            "process": self.process,
            "seed": self.seed,
            "planned": len(self.offsets),
            "length_s": self.length_s,
        }


@dataclass(frozen=True)
class Start:
    """One start of the systems that are up together, and what is measured until they stop."""

    round: int
    """From 1."""
    repetition: int
    """The number of the start, from 1. Runs of one number are compared with each other."""
    systems: tuple[System, ...]
    """The reference first."""
    workloads: tuple[str, ...]
    """What is warmed up."""
    cells: tuple[Cell, ...]
    """In measuring order; empty if a search decides it."""

    @property
    def id(self) -> str:
        return "-".join([*(system.name for system in self.systems), str(self.repetition)])

    @property
    def name(self) -> str:
        return " and ".join(system.name for system in self.systems)

    def run(self, system: System, cell: Cell) -> Run:
        return Run(
            system.name, system.variant, system.preset, cell.workload, cell.level, self.repetition
        )

    def runs(self, cell: Cell) -> tuple[Run, ...]:
        return tuple(self.run(system, cell) for system in self.systems)

    def left(self, done: Records) -> tuple[Cell, ...]:
        """Return the cells with a missing run, in order."""
        return tuple(
            cell for cell in self.cells if any(run.id not in done for run in self.runs(cell))
        )

    def turns(self, cell: Cell, each: int) -> list[list[System]]:
        """Return the systems in the order of their blocks, by turns.

        In a turn every order is followed by its mirror image. The first system changes from turn to
        turn, from cell to cell and, in each cell, from round to round. `each` is the number of
        blocks per system, an even number.
        """
        # Not by the cell's place in this round, which changes with the round.
        fixed = sorted(
            self.cells, key=lambda cell: (cell.workload, cell.level.mode, cell.level.value)
        )
        # A cell that the results decide comes after these.
        first = self.round + [*fixed, cell].index(cell)
        starts = [(first + turn) % len(self.systems) for turn in range(each // 2)]
        orders = [(*self.systems[start:], *self.systems[:start]) for start in starts]
        return [[*order, *reversed(order)] for order in orders]


@dataclass(frozen=True)
class Allocation:
    """The CPU of a system in one run."""

    cpus: float | None
    """Of all services together, in cores; None without a limit."""
    shares: Mapping[str, float]
    """Of each instance, in cores, by service."""
    wanted: float | None
    """The goodput that is enough, in operations per second; None if this run decides it."""


def _shown(level: Level) -> str:
    """Return a level as part of a name; names sort by it."""
    if level.changing:
        return "schedule"
    if level.mode == CLOSED:
        cores = "" if level.cpus is None else f"-{level.cpus:g}-cores"
        return f"{level.threads:03d}-threads{cores}"
    whole, _, part = f"{level.value:.6f}".rstrip("0").partition(".")
    return f"{int(whole):04d}{'.' + part if part else ''}-per-s"

"""A search for the least CPU with which a closed loop reaches a goodput.

A search is of one system, workload and level after one start. Its records have a key ``demand``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from testbed.experiment.declaration import Experiment
from testbed.experiment.parts import (
    Grid,
    Name,
    Rate,
    Repetitions,
    Seconds,
    Section,
    ServiceLimits,
    Several,
    Threads,
)
from testbed.experiment.runs import CLOSED, Allocation, Cell, Level, Records, Run, Start, System
from testbed.experiment.search import most_tries, next_amount
from testbed.model import systems

UNLIMITED = ServiceLimits.model_construct(cpus=None, memory_mb=None)
"""The limits of a service that may be limited later, while it runs."""

Search = tuple[str, str, int, int]
"""The system, workload and threads of a search, and the number of its start."""

LEAST_CPUS = 0.01
"""The least cores of a service, however little CPU an operation costs it."""


class Target(Section):
    """The goodput that a system must reach: a number, or that of one of the systems."""

    ok_per_s: Rate | None = None
    """Successful operations per second, at every level."""
    goodput_of: Name | None = None
    """The system that reaches the target, at each level, with `cpus`."""
    cpus: Rate | None = None
    """The cores of all services of that system together."""
    within: Annotated[float, Field(ge=0, lt=1)] = 0.03
    """The tolerated shortfall from that system's goodput, as a share: 0.03 is 3 %."""

    @model_validator(mode="after")
    def _check_target(self) -> Target:
        measured = [part for part in (self.goodput_of, self.cpus) if part is not None]
        if len(measured) not in (0, 2) or bool(measured) == (self.ok_per_s is not None):
            raise ValueError("give ok_per_s, or goodput_of and cpus")
        return self


class Demand(Section):
    """A search for the least CPU with which a system reaches a goodput, at each level.

    CPU is that of all services of the system together. Each service gets its part in proportion to
    the CPU time that one operation of a single thread costs it.
    """

    cpus: Grid
    """The cores to try."""
    target: Target
    """What must be reached."""
    repetitions: Repetitions = 2
    """Searches, each after a new start of every system. How far two of them are apart says how
    exact one is.
    """


class Demanded(Experiment):
    """Searches for the least CPU with which a closed loop reaches a goodput.

    Systems start and warm up without a limit of CPU. It is set for each run, on running systems: a
    JVM that starts with a part of a core needs minutes to be warm.
    """

    searches: ClassVar[bool] = True
    limiting: ClassVar[tuple[str, ...]] = ("demand",)

    threads: Several[Threads]
    demand: Demand
    duration: Seconds
    loops: None = None
    repetitions: Annotated[Literal[1], Field(exclude=True)] = 1
    precision: None = None
    disturb: None = None
    drain: None = None

    @model_validator(mode="after")
    def _check_reference(self) -> Demanded:
        reference, names = self.measured_first, [system.name for system in self.compared]
        if reference is not None and reference not in names:
            raise ValueError(
                f"demand.target.goodput_of: {reference!r}: choose from: {', '.join(names)}"
            )
        if any(system.cpus for system in self.compared):
            raise ValueError("limits: cpus and demand exclude each other: give one")
        return self

    @property
    def compared(self) -> tuple[System, ...]:
        """The systems; each service can be limited while it runs."""
        return tuple(
            replace(
                system,
                limits={
                    name: system.limits.get(name, UNLIMITED)
                    for name in systems.declaration(system.variant).services
                },
            )
            for system in super().compared
        )

    @property
    def levels(self) -> tuple[Level, ...]:
        return ()

    @property
    def fewest_users(self) -> int:
        # What an operation costs is measured with a single user.
        return 1

    @property
    def rounds(self) -> int:
        return self.demand.repetitions

    @property
    def measured_first(self) -> str | None:
        # The others need the goodput of this one.
        return self.demand.target.goodput_of

    def next_cell(self, start: Start, done: Records, last: Cell | None = None) -> Cell | None:
        """Return the next cell: of each workload a single thread, then the levels one by one."""
        (system,) = start.systems
        for workload in start.workloads:
            if _alone((system.name, workload, 1, start.repetition), done) is None:
                return Cell(workload, Level(CLOSED, 1, 1))
            for threads in self.threads:
                search = (system.name, workload, threads, start.repetition)
                if (cpus := self._next_cpus(search, done)) is not None:
                    return Cell(workload, Level(CLOSED, threads, threads, cpus=cpus))
        return None

    def remaining(self, start: Start, done: Records) -> list[Level]:
        tries = most_tries(partial(next_amount, self.demand.cpus))
        cells = len(start.workloads) * (1 + len(self.threads) * tries)
        made = sum(
            (record["demand"]["system"], record["repetition"])
            == (start.systems[0].name, start.repetition)
            for record in done.values()
        )
        return [Level(CLOSED, 1, 1)] * max(0, cells - made)

    def lines(self, start: Start, done: Records) -> list[str]:
        grid, threads = self.demand.cpus, ", ".join(map(str, self.threads))
        return [
            f"{workload}, 1 thread; search between {grid.first:g} and {grid.last:g} cores at "
            f"{threads} threads"
            for workload in start.workloads
        ]

    def most_cpus(self, system: System) -> float:
        target = self.demand.target
        own = target.cpus if system.name == target.goodput_of else None
        return max(self.demand.cpus.last, own or 0)

    def allocation(self, start: Start, cell: Cell, done: Records) -> Allocation | None:
        if (cpus := cell.level.cpus) is None:
            return None
        (system,) = start.systems
        search = (system.name, cell.workload, cell.level.threads, start.repetition)
        alone = _alone(search, done)
        assert alone is not None, "it is measured first"
        return Allocation(
            cpus, shares(system, cpus, alone["server_cpu_s"]), self._wanted(search, done)
        )

    def entries(
        self,
        run: Run,
        allocation: Allocation | None,
        record: Mapping[str, Any],
        goodput: Callable[[], float],
    ) -> dict[str, Any]:
        ok_per_s = goodput()
        given = allocation or Allocation(None, {}, None)
        reached = given.wanted is None or ok_per_s >= given.wanted
        entry = {
            "system": run.system,
            **asdict(given),
            "ok_per_s": round(ok_per_s, 6),
            "met": reached and ("slo" not in record or record["slo"]["met"]),
        }
        return {"demand": entry}

    def _next_cpus(self, search: Search, done: Records) -> float | None:
        """Return the next number of cores to try; None if the search is over."""
        target = self.demand.target
        if self._wanted(search, done) is None:
            return target.cpus if search[0] == target.goodput_of else None
        tried = {entry["cpus"]: entry["met"] for entry in _tries(search, done)}
        return next_amount(self.demand.cpus, tried)

    def _wanted(self, search: Search, done: Records) -> float | None:
        """Return the goodput that a search wants, operations per second; None if not known yet."""
        target = self.demand.target
        if target.ok_per_s is not None or target.goodput_of is None:
            return target.ok_per_s
        for entry in _tries((target.goodput_of, *search[1:]), done):
            if entry["wanted"] is None:
                return float(entry["ok_per_s"]) * (1 - target.within)
        return None


def shares(system: System, cpus: float, spent_s: Mapping[str, float]) -> dict[str, float]:
    """Return the cores of each instance, by service, in proportion to the demands of services.

    `cpus` are those of all services together. `spent_s` is the CPU time of each instance in a run
    of a single thread without limits, in seconds.
    """
    spent = dict.fromkeys(system.limits, 0.0)
    for instance, seconds in spent_s.items():
        if (service := systems.service_of(instance)) in spent:
            spent[service] += seconds
    whole = sum(spent.values())
    return {
        service: max(cpus * (seconds / whole if whole else 1 / len(spent)), LEAST_CPUS)
        / system.replicas.get(service, 1)
        for service, seconds in spent.items()
    }


def _alone(search: Search, done: Records) -> Mapping[str, Any] | None:
    """Return the record that shows what an operation costs each service; None before that run."""
    system, workload, _, repetition = search
    records = _of((system, workload, 1, repetition), done)
    return next((record for record in records if record["demand"]["cpus"] is None), None)


def _tries(search: Search, done: Records) -> list[Mapping[str, Any]]:
    """Return the entries of the finished runs of a search with limited CPU."""
    entries = (record["demand"] for record in _of(search, done))
    return [entry for entry in entries if entry["cpus"] is not None]


def _of(search: Search, done: Records) -> Iterator[Mapping[str, Any]]:
    for record in done.values():
        where = record["workload"], record["threads"], record["repetition"]
        if (record["demand"]["system"], *where) == search:
            yield record

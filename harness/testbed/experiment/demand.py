"""What a search for the least CPU measures next, and how CPU is split among services.

A search is of one system, workload and level after one start. Its records have a key ``demand``,
see `testbed.measure.session`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from testbed.experiment import search
from testbed.experiment.declaration import Demanded, System
from testbed.model import systems

Records = Mapping[str, Mapping[str, Any]]
"""The records of finished runs, by name."""

LEAST_CPUS = 0.01
"""The least cores of a service, however little CPU an operation costs it."""


@dataclass(frozen=True)
class Search:
    """The search of one system, workload and level after one start."""

    system: str
    workload: str
    threads: int
    repetition: int

    def records(self, done: Records) -> list[Mapping[str, Any]]:
        """Return the finished runs with limited CPU."""
        return [
            record
            for record in done.values()
            if (what := record.get("demand"))
            and what["cpus"] is not None
            and (what["system"], record["workload"], record["threads"], record["repetition"])
            == (self.system, self.workload, self.threads, self.repetition)
        ]

    def tried(self, done: Records) -> dict[float, bool]:
        """Return whether each number of cores that was tried was enough."""
        return {one["demand"]["cpus"]: one["demand"]["met"] for one in self.records(done)}


@dataclass(frozen=True)
class Allocation:
    """The CPU of a system in one run."""

    cpus: float
    """Of all services together, in cores."""
    shares: Mapping[str, float]
    """Of each instance, in cores, by service."""
    wanted: float | None
    """The goodput that is enough, in operations per second; None if this run decides it."""


def next_cpus(plan: Demanded, one: Search, done: Records) -> float | None:
    """Return the next number of cores to try; None if the search is over."""
    target = plan.demand.target
    if wanted(plan, one, done) is None:
        return target.cpus if one.system == target.goodput_of else None
    return search.next_amount(plan.demand.cpus, one.tried(done))


def wanted(plan: Demanded, one: Search, done: Records) -> float | None:
    """Return the goodput that a search wants, operations per second; None if not known yet."""
    target = plan.demand.target
    if target.ok_per_s is not None or target.goodput_of is None:
        return target.ok_per_s
    reference = Search(target.goodput_of, one.workload, one.threads, one.repetition)
    for record in reference.records(done):
        if record["demand"]["wanted"] is None:
            return float(record["demand"]["ok_per_s"]) * (1 - target.within)
    return None


def allocation(
    plan: Demanded,
    system: System,
    one: Search,
    cpus: float,
    alone: Mapping[str, Any],
    done: Records,
) -> Allocation:
    """Return how CPU is split among the services of a system, in proportion to their demands.

    `alone` is the record of the run of a single thread without limits.
    """
    spent = dict.fromkeys(systems.declaration(system.variant).services, 0.0)
    for instance, seconds in alone["server_cpu_s"].items():
        if (service := systems.service_of(instance)) in spent:
            spent[service] += seconds
    whole = sum(spent.values())
    return Allocation(
        cpus,
        {
            service: max(cpus * (seconds / whole if whole else 1 / len(spent)), LEAST_CPUS)
            / system.replicas.get(service, 1)
            for service, seconds in spent.items()
        },
        wanted(plan, one, done),
    )

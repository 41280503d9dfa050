"""The least CPU with which each system reaches a goodput, and what an operation costs it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from testbed.analysis.grouping import grouped
from testbed.analysis.results import Run
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.queueing import Station
from testbed.analysis.verdicts import Judged
from testbed.experiment.search import Bracket, contradicted, least_bracket
from testbed.model.systems import service_of

MIB = 2**20 / 1e6
"""A MiB in MB (10^6 bytes). A GB of a price list is 1024 MiB."""


@dataclass(frozen=True)
class Alone:
    """Operations of a single thread without limits, in one start: the demand of each service.

    ``cpu_ms`` is the CPU time of one operation, by service whose CPU the search limits.
    """

    system: str
    workload: str
    repetition: int
    cpu_ms: Mapping[str, float]

    @property
    def total_ms(self) -> float:
        """The CPU time of one operation in all services."""
        return sum(self.cpu_ms.values())

    def highest_rate(self, shares: Mapping[str, float]) -> float:
        """Return the goodput that a split of CPU allows: X ≤ cores/D of the tightest service.

        ``shares`` are cores by service.
        """
        return min(
            (
                Station.of_cpu(cpu_ms / 1000, shares[service]).highest_rate
                for service, cpu_ms in self.cpu_ms.items()
                if service in shares
            ),
            default=math.inf,
        )


@dataclass(frozen=True)
class LeastCpu:
    """The least CPU that one search found at one level."""

    system: str
    variant: str
    workload: str
    threads: int
    repetition: int
    bracket: Bracket
    """In cores: ``passed`` is the least that was enough."""
    contradicted: bool
    """Whether an amount of CPU was enough although a larger one was not."""
    wanted: float | None
    """The goodput that was enough; None where it is that of the first try."""
    parts: Mapping[str, tuple[float, float]]
    """Cores and MB of memory (PSS, or RSS where that is missing) of each service with the least
    CPU; empty without it.
    """
    utilisation: float | None
    """The share of that CPU that was used."""
    throttled_s: float | None
    """Seconds that its services waited for CPU, added up over processors."""

    @property
    def cpus(self) -> float | None:
        return self.bracket.passed

    @property
    def memory_mb(self) -> float | None:
        return sum(memory for _, memory in self.parts.values()) if self.parts else None

    @property
    def parts_gb(self) -> list[tuple[float, float]]:
        """Cores and memory of each service, in the GB of price lists."""
        return [(cores, memory_mb / MIB / 1024) for cores, memory_mb in self.parts.values()]


def alone(judged: Judged) -> list[Alone]:
    """Return what operations of a single thread cost in each start of a demand search."""
    starts: list[Alone] = []
    for measurements in grouped(_searched(judged), lambda run: _demand(run)["system"]).values():
        limited = sorted({service for run in measurements for service in _demand(run)["shares"]})
        for measurement in measurements:
            if not _demand(measurement)["shares"]:
                run, operations = measurement.run, measurement.recorded.operations.height
                spent = run.cpu_s_by_service
                cpu_ms = {service: 1000 * spent[service] / operations for service in limited}
                starts.append(Alone(run.cell.system, run.cell.workload, run.repetition, cpu_ms))
    return starts


def _searched(judged: Judged) -> list[Measurement]:
    """Return the undisturbed runs of a search."""
    return [
        measurement
        for measurement in judged.used.measurements
        if measurement.run.demand and not measurement.run.disturbed
    ]


def mean_cpu_ms(starts: Sequence[Alone]) -> dict[str, float]:
    """Return the CPU time of one operation over starts of one system, by service."""
    services = starts[0].cpu_ms if starts else ()
    return {name: sum(start.cpu_ms[name] for start in starts) / len(starts) for name in services}


def searches(judged: Judged) -> list[LeastCpu]:
    """Return what each search found; empty without a demand search.

    Invalid and disturbed runs do not count.
    """
    tries = [run for run in _searched(judged) if _demand(run)["cpus"] is not None]
    return [_least_cpu(part) for part in grouped(sorted(tries, key=_search), _search).values()]


def tabulate(judged: Judged) -> pl.DataFrame:
    """Return the table of ``searches.csv``: a row for each search, with the fields of `LeastCpu`.

    ``too_little`` and ``enough`` are cores. ``cores.SERVICE`` and ``memory_mb.SERVICE`` are those
    of a service with the least CPU. ``cpu_ms.SERVICE`` is the CPU time of an operation of a single
    thread.
    """
    rows = []
    demands = grouped(alone(judged), lambda start: (start.system, start.workload))
    for search in searches(judged):
        starts = demands.get((search.system, search.workload), [])
        rows.append(
            {
                "system": search.system,
                "workload": search.workload,
                "threads": search.threads,
                "pair": search.repetition,
                "wanted_per_s": search.wanted,
                "too_little": search.bracket.failed,
                "enough": search.bracket.passed,
                "contradicted": search.contradicted,
                "utilisation": search.utilisation,
                "throttled_s": search.throttled_s,
                **{f"cores.{name}": cores for name, (cores, _) in search.parts.items()},
                **{f"memory_mb.{name}": memory for name, (_, memory) in search.parts.items()},
                **{f"cpu_ms.{name}": cpu_ms for name, cpu_ms in mean_cpu_ms(starts).items()},
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _least_cpu(runs: Sequence[Measurement]) -> LeastCpu:
    tries = {_demand(run)["cpus"]: _demand(run) for run in runs}
    met = {cpus: bool(demand["met"]) for cpus, demand in tries.items()}
    bracket = least_bracket(met)
    best = next((run for run in runs if _demand(run)["cpus"] == bracket.passed), None)
    targets = (demand["wanted"] for demand in tries.values())
    cell = runs[0].run.cell
    return LeastCpu(
        system=_demand(runs[0])["system"],
        variant=cell.variant,
        workload=cell.workload,
        threads=cell.threads,
        repetition=runs[0].run.repetition,
        bracket=bracket,
        contradicted=contradicted(met),
        wanted=next((wanted for wanted in targets if wanted is not None), None),
        parts={} if best is None else _parts(best.run),
        utilisation=None if best is None else utilisation(best.run),
        throttled_s=None if best is None else sum(best.run.server_throttled_s.values()),
    )


def utilisation(run: Run) -> float | None:
    """Return the share of its CPU that a run used; None without limits of CPU."""
    shares = (run.demand or {}).get("shares") or {}
    if not shares or not run.wall_s:
        return None
    used = sum(seconds for service, seconds in run.cpu_s_by_service.items() if service in shares)
    cpus: float = (run.demand or {})["cpus"]
    return used / run.wall_s / cpus


def _parts(run: Run) -> dict[str, tuple[float, float]]:
    shares = (run.demand or {})["shares"]
    parts: dict[str, tuple[float, float]] = {}
    for instance, memory in (run.server_pss_mb or run.server_rss_mb).items():
        if (service := service_of(instance)) in shares:
            cores, before = parts.get(service, (0.0, 0.0))
            parts[service] = (cores + shares[service], before + memory)
    return parts


def _demand(measurement: Measurement) -> Mapping[str, Any]:
    assert measurement.run.demand is not None
    return measurement.run.demand


def _search(measurement: Measurement) -> tuple[Any, ...]:
    run, cell = measurement.run, measurement.run.cell
    return (cell.workload, cell.threads, _demand(measurement)["system"], run.repetition)

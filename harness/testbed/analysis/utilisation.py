"""How much of each limit was used: CPU of services, pools of connections, and the database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from testbed.analysis import per_run
from testbed.analysis.autoscaling import instances
from testbed.analysis.grouping import grouped
from testbed.analysis.hops import SELDOM, Series, Timed, counted, read_series
from testbed.analysis.prediction import STAND_IN
from testbed.analysis.results import Run, total
from testbed.analysis.samples import Measurement
from testbed.analysis.verdicts import Judged
from testbed.model.systems import service_of

FULL = 0.9
"""The share of its processor time from which on a service or the database is full."""

WAITING = 1.0
"""How many requests wait for a pool on average from which on it is full."""

ACQUIRE = "hikaricp_connections_acquire_seconds"
USAGE = "hikaricp_connections_usage_seconds"
SIZE = "hikaricp_connections_max"

Kind = Literal["cpu", "pool", "database"]


@dataclass(frozen=True)
class Utilisation:
    """How much of one limit a run used."""

    run: Run
    kind: Kind
    service: str
    """Its instances count together."""
    available: float | None
    """Cores or connections. Of the database, which no experiment limits: the cores that everything
    else left it.
    """
    used: float | None
    """The mean share of these in use, of 1; None if not known."""
    pool: str | None = None
    wait_ms: float | None = None
    """Of a pool: the mean wait for a connection."""
    waiting: float | None = None
    """Of a pool: how many requests waited, on average."""

    @property
    def full(self) -> bool:
        if self.kind == "pool":
            return self.waiting is not None and self.waiting >= WAITING
        return self.used is not None and self.used >= FULL


def utilisations(judged: Judged) -> list[Utilisation]:
    """Return the limits of each usable run that has any; the database only beside others."""
    rows = []
    for measurement in judged.used.measurements:
        if own := [*_cpus(measurement), *_pools(measurement)]:
            rows += [*own, *_database(measurement)]
    return rows


def tabulate(rows: Sequence[Utilisation]) -> pl.DataFrame:
    """Return the table of ``utilisation.csv``: a row for each run and limit."""
    return per_run.tabulate(rows, "full")


def _cpus(measurement: Measurement) -> Iterator[Utilisation]:
    run, loaded_s = measurement.run, measurement.loaded_s
    spent_s = run.cpu_s_by_service
    for service, cores in _limits(run, spent_s).items():
        there = instances(run, service)
        if there is None or not loaded_s:
            continue
        available = cores * there.mean
        yield Utilisation(run, "cpu", service, available, spent_s[service] / loaded_s / available)


def _limits(run: Run, services: Mapping[str, float]) -> dict[str, float]:
    """Return the CPU limit of an instance of each service that has one, in cores."""
    if run.demand is not None:
        return {name: cores for name, cores in run.demand["shares"].items() if name in services}
    given = {service: run.cpu_limit(service) for service in services}
    return {service: cores for service, cores in given.items() if cores is not None}


def _pools(measurement: Measurement) -> Iterator[Utilisation]:
    """Yield the pools that operations used. Their timers counted in all blocks of the run."""
    run, timers = measurement.run, counted(measurement.run, {ACQUIRE, USAGE})
    wall_s = total(block.wall_s for block in (*run.blocks, *run.left_out))
    loaded_s = _loaded(measurement, wall_s)
    if not timers or not loaded_s:
        return
    by_pool = grouped(timers.items(), lambda timer: _pool(timer[0]))
    sizes = grouped(
        read_series(run.folder / "metrics-after", {SIZE}).items(), lambda gauge: _pool(gauge[0])
    )
    for (service, name), parts in by_pool.items():
        acquired, used = (
            sum((timed for series, timed in parts if series.metric == metric), Timed())
            for metric in (ACQUIRE, USAGE)
        )
        if acquired.calls < max(1.0, SELDOM * measurement.recorded.operations.height):
            continue
        size = sum(size for _, size in sizes.get((service, name), ()))
        yield Utilisation(
            run,
            "pool",
            service,
            size or None,
            used.total_s / loaded_s / size if size else None,
            name,
            1000 * acquired.total_s / acquired.calls,
            acquired.total_s / loaded_s,
        )


def _pool(series: Series) -> tuple[str, str]:
    """Return the service of a series of Hikari, and the name of its pool."""
    return service_of(series.service), dict(series.labels).get("pool", "")


def _loaded(measurement: Measurement, wall_s: float | None) -> float | None:
    """Return the seconds under load of blocks that took so long; None if they are not known."""
    whole_s, loaded_s = measurement.run.wall_s, measurement.loaded_s
    return wall_s * loaded_s / whole_s if wall_s and whole_s and loaded_s else None


def _database(measurement: Measurement) -> Iterator[Utilisation]:
    """Yield the stand-in for databases. In containers it has a limit that is not recorded."""
    run, loaded_s = measurement.run, measurement.loaded_s
    spent_s = run.cpu_s_by_service
    if run.cell.backends != "embedded" or STAND_IN not in spent_s or not loaded_s:
        return
    left_s = 0.0
    for block in run.blocks:
        block_s = _loaded(measurement, block.wall_s)
        if block.others is None or block_s is None or block.generator_cpu_s is None:
            return
        others = sum(s for name, s in block.server_cpu_s.items() if name != STAND_IN)
        others += sum(block.idle_cpu_s.values())
        others += 0.0 if run.cores_apart else block.generator_cpu_s
        cores = block.others.of - run.cores_apart - block.others.cores
        left_s += cores * block_s - others
    used = spent_s[STAND_IN] / left_s if left_s > 0 else None
    yield Utilisation(run, "database", STAND_IN, left_s / loaded_s, used)

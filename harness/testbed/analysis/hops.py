"""Where the time of operations went, from the timers of the services.

A timer counts calls and adds up their time. The runner saves all timers before and after each run
in Prometheus's format; the difference belongs to the run. The outermost hop is the operation
itself, as the load generator measured it.

Hops are nested in the order of the system's declaration: each waits for those after it. Means of
nested hops can be compared, percentiles cannot. Times add up only if nothing runs in parallel.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from testbed.analysis.results import Cell, Run
from testbed.analysis.samples import Measurement
from testbed.analysis.verdicts import Judged
from testbed.model.systems import HopRule, declarations, service_of

SELDOM = 0.01
"""Calls per operation below which a hop is left out: monitoring makes a few calls."""


OPERATION = -1
"""The place of the operation itself, outside all hops."""

_NAME = re.compile(r"\w+")


@dataclass(frozen=True, order=True)
class Hop:
    """One step of an operation: its place from the outside in, and its name."""

    place: int
    name: str


@dataclass(frozen=True)
class Timed:
    """The calls that a timer counted, and their total time in seconds."""

    calls: float = 0.0
    total_s: float = 0.0

    def __add__(self, other: Timed) -> Timed:
        return Timed(self.calls + other.calls, self.total_s + other.total_s)

    def __sub__(self, earlier: Timed) -> Timed:
        return Timed(self.calls - earlier.calls, self.total_s - earlier.total_s)


@dataclass(frozen=True)
class Series:
    """One series of one instance of a service; a timer's ``metric`` has no suffix ``_count`` or
    ``_sum``.
    """

    service: str
    metric: str
    labels: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Passage:
    """One hop of a cell: the mean calls per operation, and the mean time of a call in ms."""

    hop: Hop
    calls: float
    call_ms: float

    @property
    def operation_ms(self) -> float:
        """Time per operation, ms: the sum of its calls, even if they overlap."""
        return self.calls * self.call_ms


@dataclass(frozen=True)
class Journey:
    """The hops of one cell's operations, as means over ``runs`` runs.

    ``passages`` go from the outside in, the operation itself first; empty if no run has timers.
    """

    cell: Cell
    runs: int
    passages: tuple[Passage, ...]


def journeys(judged: Judged) -> list[Journey]:
    """Return the hops of each cell, cells in order.

    Every run that is not invalid counts completely, because timers cannot be split.
    """
    journeys = []
    for cell, runs in judged.used.by_cell().items():
        timed = [
            hops for measurement in runs if (hops := hops_of(measurement.recorded)) is not None
        ]
        journeys.append(Journey(cell, len(timed), _passages(timed)))
    return journeys


def hops_of(measurement: Measurement) -> dict[Hop, Timed] | None:
    """Return what each hop of a complete run counted, the operation itself included.

    None if timers were not saved, cannot be read, or are of other services before than after.
    """
    variant = measurement.run.cell.variant
    rules = declarations()[variant].hops if variant in declarations() else ()
    if (timers := counted(measurement.run, {rule.metric for rule in rules})) is None:
        return None
    hops: dict[Hop, Timed] = {}
    for series, spent in timers.items():
        if (hop := hop_of(series, measurement.run.cell.workload, rules)) is not None:
            hops[hop] = hops.get(hop, Timed()) + spent
    if not hops:
        return None
    operations = measurement.operations
    whole = Timed(operations.height, float(operations["service_ms"].sum()) / 1000)
    return {Hop(OPERATION, "all operations (JMeter)"): whole, **hops}


def counted(run: Run, metrics: Collection[str]) -> dict[Series, Timed] | None:
    """Return what the given timers counted during a run, without those that counted nothing.

    None if timers were not saved, cannot be read, or are of other services before than after.
    """
    try:
        before, after = (
            read_timers(run.folder / f"metrics-{when}", metrics) for when in ("before", "after")
        )
    except ValueError:
        return None
    if not after or {timer.service for timer in before} != {timer.service for timer in after}:
        return None
    spent = {series: timed - before.get(series, Timed()) for series, timed in after.items()}
    # A restarted service counts from 0 again.
    return {
        timer: timed for timer, timed in spent.items() if timed.calls > 0 and timed.total_s >= 0
    }


def read_timers(folder: Path, metrics: Collection[str]) -> dict[Series, Timed]:
    """Read the given metrics from ``INSTANCE.prom`` files; empty if there is no such file.

    Raises `ValueError` if a file is not in Prometheus's text format.
    """
    counted: dict[Series, dict[str, float]] = {}
    parts = {f"{metric}_{part}" for metric in metrics for part in ("count", "sum")}
    for series, value in read_series(folder, parts).items():
        metric, _, part = series.metric.rpartition("_")
        counted.setdefault(replace(series, metric=metric), {})[part] = value
    return {
        series: Timed(parts.get("count", 0.0), parts.get("sum", 0.0))
        for series, parts in counted.items()
    }


def read_series(folder: Path, names: Collection[str]) -> dict[Series, float]:
    """Read the values of some names from ``INSTANCE.prom`` files, as `read_timers` does."""
    values = {}
    for file in sorted(folder.glob("*.prom")):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        # A service exports about 500 series; only a few dozen are needed.
        text = "".join(
            f"{line}\n" for line in lines if (match := _NAME.match(line)) and match[0] in names
        )
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                labels = frozenset(sample.labels.items())
                values[Series(file.stem, sample.name, labels)] = sample.value
    return values


def hop_of(series: Series, workload: str, rules: Sequence[HopRule]) -> Hop | None:
    """Return the hop that a timer belongs to; None if it is not part of operations."""
    for place, rule in enumerate(rules):
        if rule.metric == series.metric:
            name = rule.name_for(service_of(series.service), dict(series.labels), workload)
            if name is not None:
                return Hop(place, name)
    return None


def _passages(runs: Iterable[Mapping[Hop, Timed]]) -> tuple[Passage, ...]:
    total: dict[Hop, Timed] = {}
    for hops in runs:
        for hop, timed in hops.items():
            total[hop] = total.get(hop, Timed()) + timed
    operations = sum(timed.calls for hop, timed in total.items() if hop.place == OPERATION)
    return tuple(
        Passage(hop, timed.calls / operations, 1000 * timed.total_s / timed.calls)
        for hop, timed in sorted(total.items())
        if timed.calls >= SELDOM * operations
    )

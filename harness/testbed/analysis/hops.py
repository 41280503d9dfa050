"""Where the time of operations went, by the timers that the services keep of themselves.

A timer counts calls and adds up the time that they took. The runner keeps all timers before and
after each run, as Prometheus would read them; their difference is what the run did. On top stands
the operation itself, as the load generator measured it.

Hops are nested: the gateway waits for the aggregator, which waits for cinemas, which wait for their
database. Means of nested hops can be compared, which percentiles cannot. They add up only where
nothing happens at the same time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from testbed.analysis.results import Cell
from testbed.analysis.samples import Measurement
from testbed.analysis.studies import Study
from testbed.analysis.verdicts import Judged
from testbed.model.systems import FRONT_SERVICE

SELDOM = 0.01
"""Calls per operation below which a hop is left out: a few are made by what watches the product."""


class Metric(StrEnum):
    """The timers that are read, as Prometheus names them."""

    EXCHANGES = "http_server_requests_seconds"
    QUESTIONS = "aggregator_questions_seconds"
    WAITING = "queue_wait_seconds"
    WORK = "cinema_work_seconds"
    COMMANDS = "mongodb_driver_commands_seconds"


_SERIES = re.compile(rf"({'|'.join(Metric)})_(count|sum)\b")


class Kind(IntEnum):
    """What a hop is, from the outside in."""

    OPERATION = 0
    FRONT_DOOR = 1
    FETCH = 2
    AGGREGATOR = 3
    QUESTION = 4
    REQUEST_QUEUE = 5
    CINEMA_EDGE = 6
    CINEMA_WORK = 7
    DATABASE = 8
    RESPONSE_QUEUE = 9


@dataclass(frozen=True, order=True)
class Hop:
    """One step on the way of an operation; ``name`` says which of its kind."""

    kind: Kind
    name: str


@dataclass(frozen=True)
class Timed:
    """What a timer has counted.

    Parameters
    ----------
    calls
        How many.
    total_s
        Seconds that all of them took together.
    """

    calls: float = 0.0
    total_s: float = 0.0

    def __add__(self, other: Timed) -> Timed:
        """Return what both have counted together."""
        return Timed(self.calls + other.calls, self.total_s + other.total_s)

    def __sub__(self, earlier: Timed) -> Timed:
        """Return what was counted since an earlier reading."""
        return Timed(self.calls - earlier.calls, self.total_s - earlier.total_s)


@dataclass(frozen=True)
class Series:
    """One timer of one service.

    Parameters
    ----------
    service
        Whose.
    metric
        Its name, as Prometheus has it, without ``_count`` or ``_sum``.
    labels
        What tells it from others of that name.
    """

    service: str
    metric: str
    labels: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Passage:
    """How operations of a cell passed one hop.

    Parameters
    ----------
    hop
        Which.
    calls
        Per operation, on average.
    call_ms
        The mean time of one call, ms.
    """

    hop: Hop
    calls: float
    call_ms: float

    @property
    def operation_ms(self) -> float:
        """Time per operation, ms: of all its calls together, at the same time or not."""
        return self.calls * self.call_ms


@dataclass(frozen=True)
class Journey:
    """The way of the operations of one cell.

    Parameters
    ----------
    cell
        Which.
    runs
        How many runs it is the mean of.
    passages
        From the outside in, the operation itself first; none where no run has timers.
    """

    cell: Cell
    runs: int
    passages: tuple[Passage, ...]


def journeys(judged: Judged) -> list[Journey]:
    """Return the way of operations in each cell, cells in order.

    Each run that is not invalid counts, whole: timers tell nothing of its parts.
    """
    found = []
    for cell, runs in judged.used.by_cell().items():
        known = [hops for one in runs if (hops := hops_of(one.whole or one)) is not None]
        found.append(Journey(cell, len(known), _passages(known)))
    return found


def by_study(found: Iterable[Journey]) -> dict[Study, list[Journey]]:
    """Sort journeys by what one figure or table is about, without cells that have no timers."""
    studies: dict[Study, list[Journey]] = {}
    for one in found:
        if one.passages:
            studies.setdefault(Study.of(one.cell), []).append(one)
    return studies


def hops_of(measurement: Measurement) -> dict[Hop, Timed] | None:
    """Return what the operations of a run, as it was recorded, made each hop count.

    Returns
    -------
    dict or None
        The operation itself is among the hops. None where timers were not kept, cannot be read, or
        are not of the same services before and after.
    """
    folder = measurement.run.folder
    try:
        before, after = (read_timers(folder / f"metrics-{when}") for when in ("before", "after"))
    except ValueError:
        return None
    if not after or {one.service for one in before} != {one.service for one in after}:
        return None
    found: dict[Hop, Timed] = {}
    for series, timed in after.items():
        spent = timed - before.get(series, Timed())
        hop = hop_of(series, measurement.run.cell.workload)
        # A service that was started anew counts from 0 again.
        if hop is not None and spent.calls > 0 and spent.total_s >= 0:
            found[hop] = found.get(hop, Timed()) + spent
    if not found:
        return None
    operations = measurement.operations
    whole = Timed(operations.height, float(operations["service_ms"].sum()) / 1000)
    return {Hop(Kind.OPERATION, "the operation (JMeter)"): whole, **found}


def read_timers(folder: Path) -> dict[Series, Timed]:
    """Read the timers of services from ``SERVICE.prom`` files; none where there is no such file.

    Raises
    ------
    ValueError
        If a file is not in Prometheus's text format.
    """
    counted: dict[Series, dict[str, float]] = {}
    for file in sorted(folder.glob("*.prom")):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        # A service tells some 500 series; a few dozen are read.
        text = "".join(f"{line}\n" for line in lines if _SERIES.match(line))
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                metric, _, part = sample.name.rpartition("_")
                series = Series(file.stem, metric, frozenset(sample.labels.items()))
                counted.setdefault(series, {})[part] = sample.value
    return {
        series: Timed(parts.get("count", 0.0), parts.get("sum", 0.0))
        for series, parts in counted.items()
    }


def hop_of(series: Series, workload: str) -> Hop | None:
    """Return the hop that a timer belongs to; None where it is no part of operations."""
    labels = dict(series.labels)
    match series.metric:
        case Metric.EXCHANGES:
            return _served(series.service, labels.get("uri", ""), workload)
        case Metric.QUESTIONS:
            return Hop(Kind.QUESTION, f"a question to {labels.get('cinema')}")
        case Metric.WAITING if labels.get("queue", "").startswith("requestQueue"):
            return Hop(Kind.REQUEST_QUEUE, "a request in its queue")
        case Metric.WAITING if labels.get("queue") == "responseQueue":
            return Hop(Kind.RESPONSE_QUEUE, "a response in its queue")
        case Metric.WORK if labels.get("operation") == workload:
            return Hop(Kind.CINEMA_WORK, "a cinema's work")
        # Pings, which are not part of the product, have no collection.
        case Metric.COMMANDS if labels.get("collection") != "unknown":
            return Hop(Kind.DATABASE, f"database, {labels.get('command')}")
        case _:
            return None


def _served(service: str, uri: str, workload: str) -> Hop | None:
    """Return the hop of an HTTP exchange, at the service that answers."""
    if uri.startswith("/actuator"):
        return None
    if service == FRONT_SERVICE["sync"]:
        if workload == "list" and uri.startswith("/cinema"):
            # As the thesis describes it, the aggregator asks cinemas through the gateway.
            return Hop(Kind.QUESTION, "gateway, asked by the aggregator")
        return Hop(Kind.FRONT_DOOR, "gateway")
    if service == FRONT_SERVICE["async"]:
        if uri.endswith("/{id}"):
            return Hop(Kind.FETCH, "broker, a fetch")
        return Hop(Kind.FRONT_DOOR, "broker, a request")
    if service == "aggregator-service":
        return Hop(Kind.AGGREGATOR, "aggregator")
    if service.startswith("cinema-"):
        return Hop(Kind.CINEMA_EDGE, "a cinema, HTTP")
    return None


def _passages(runs: Iterable[Mapping[Hop, Timed]]) -> tuple[Passage, ...]:
    total: dict[Hop, Timed] = {}
    for hops in runs:
        for hop, timed in hops.items():
            total[hop] = total.get(hop, Timed()) + timed
    operations = sum(timed.calls for hop, timed in total.items() if hop.kind is Kind.OPERATION)
    return tuple(
        Passage(hop, timed.calls / operations, 1000 * timed.total_s / timed.calls)
        for hop, timed in sorted(total.items())
        if timed.calls >= SELDOM * operations
    )

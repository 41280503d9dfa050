"""Where the time of operations went, by the timers that the services keep of themselves.

A timer counts calls and adds up the time that they took. The runner keeps all timers before and
after each run, as Prometheus would read them; their difference is what the run did. On top stands
the operation itself, as the load generator measured it.

Hops are nested, as the system's declaration lists them: each waits for those after it. Means of
nested hops can be compared, which percentiles cannot. They add up only where nothing happens at the
same time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from testbed.analysis.results import Cell
from testbed.analysis.samples import Measurement
from testbed.analysis.studies import Study
from testbed.analysis.verdicts import Judged
from testbed.model.systems import HopRule, declarations

SELDOM = 0.01
"""Calls per operation below which a hop is left out: a few are made by what watches the product."""


OPERATION = -1
"""The place of the operation itself, outside of all hops."""

_SERIES = re.compile(r"\w+_(count|sum)\b")


@dataclass(frozen=True, order=True)
class Hop:
    """One step on the way of an operation: its place from the outside in, and its name."""

    place: int
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
    folder, variant = measurement.run.folder, measurement.run.cell.variant
    rules = declarations()[variant].hops if variant in declarations() else ()
    metrics = {rule.metric for rule in rules}
    try:
        before, after = (
            read_timers(folder / f"metrics-{when}", metrics) for when in ("before", "after")
        )
    except ValueError:
        return None
    if not after or {one.service for one in before} != {one.service for one in after}:
        return None
    found: dict[Hop, Timed] = {}
    for series, timed in after.items():
        spent = timed - before.get(series, Timed())
        hop = hop_of(series, measurement.run.cell.workload, rules)
        # A service that was started anew counts from 0 again.
        if hop is not None and spent.calls > 0 and spent.total_s >= 0:
            found[hop] = found.get(hop, Timed()) + spent
    if not found:
        return None
    operations = measurement.operations
    whole = Timed(operations.height, float(operations["service_ms"].sum()) / 1000)
    return {Hop(OPERATION, "the operation (JMeter)"): whole, **found}


def read_timers(folder: Path, metrics: Collection[str]) -> dict[Series, Timed]:
    """Read some timers of services from ``SERVICE.prom`` files; none where there is no such file.

    Raises
    ------
    ValueError
        If a file is not in Prometheus's text format.
    """
    counted: dict[Series, dict[str, float]] = {}
    for file in sorted(folder.glob("*.prom")):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        # A service tells some 500 series; a few dozen are read.
        text = "".join(
            f"{line}\n"
            for line in lines
            if (found := _SERIES.match(line)) and found[0].rpartition("_")[0] in metrics
        )
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                metric, _, part = sample.name.rpartition("_")
                series = Series(file.stem, metric, frozenset(sample.labels.items()))
                counted.setdefault(series, {})[part] = sample.value
    return {
        series: Timed(parts.get("count", 0.0), parts.get("sum", 0.0))
        for series, parts in counted.items()
    }


def hop_of(series: Series, workload: str, rules: Sequence[HopRule]) -> Hop | None:
    """Return the hop that a timer belongs to; None where it is no part of operations."""
    for place, rule in enumerate(rules):
        if rule.metric == series.metric:
            name = rule.name_for(series.service, dict(series.labels), workload)
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

"""Predicts the ratio of two systems' goodputs in another deployment, from CPU per operation.

In a closed loop that keeps all cores busy, goodput is the CPU time that there is divided by what an
operation costs: all servers, and the load generator where it shares the cores. The ratio of two
systems is that of their costs, the other way round. So it is known for a generator elsewhere,
another broker or another mix, as long as the parts' costs are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from testbed.analysis.arrays import Floats
from testbed.analysis.quantities import CPU, GOODPUT
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import paired_ratios
from testbed.analysis.verdicts import DECIDING
from testbed.model.errors import UserError, unknown

Generator = Literal["here", "elsewhere"]

STAND_IN = "embedded-backends"
"""The process that stands in for the store and the broker."""

BROKER = "rabbitmq"
"""The service of a broker in other results."""

CLOSED = pl.col("mode") == "closed"

ASSUMPTIONS = (
    "every core is as busy as it was here, and all of them are the limit: no pool, lock or "
    "network is",
    "an operation costs the same CPU time at another rate, on other cores and in another mix",
    "a generator elsewhere costs these cores nothing",
    "a broker costs per operation what it cost in the results that it is taken from; the stand-in "
    "costs a system without messages what its store costs all of them",
)


@dataclass(frozen=True)
class Deployment:
    """Where the systems would run."""

    generator: Generator = "here"
    cores: float | None = None
    """None is as many as were measured."""
    broker: Path | None = None
    """Published or own results with the broker's own CPU per operation; None is the one there is.
    """
    mix: Mapping[str, float] | None = None
    """The weight of each workload; None is each by itself."""


@dataclass(frozen=True)
class Predicted:
    """The prediction for one mix of workloads at one level."""

    mix: str
    level: float
    reference: str
    system: str
    ratio: Interval
    """Of the goodputs; the interval is by `paired_ratios`, over all predictions together."""
    measured: float | None
    """The ratio of goodputs as it was measured; None for a mix."""
    costs_ms: tuple[float, float]
    """CPU time per operation on these cores, of the reference and of the system."""
    rates: tuple[float, float]
    """Successful operations per second."""


@dataclass(frozen=True)
class _Cell:
    """What one workload at one level costs a system, in ms of CPU per operation."""

    by_pair: Mapping[int, float]
    """Of all servers."""
    generator: float
    ok_per_s: float
    broker: float = 0.0
    """What another broker costs more."""

    def cost(self, here: bool, pair: int | None = None) -> float:
        servers = self.by_pair[pair] if pair is not None else _mean(self.by_pair.values())
        return servers + self.broker + (self.generator if here else 0.0)


def predict(results: Path, where: Deployment) -> list[Predicted]:
    """Return the ratios of a deployment from results or published tables.

    Raises `UserError` if tables are missing, or nothing is compared by closed loops.
    """
    tables = {name: _read(results, name) for name in ("runs", "summary", "decisions", "cpu")}
    summary = tables["summary"].filter(CLOSED)
    workloads = summary["workload"].unique(maintain_order=True).to_list()
    for workload in where.mix or ():
        if workload not in workloads:
            raise unknown("workload", workload, workloads)
    cores = float(_environment(results)["usable_cpus"])
    mixes = [where.mix] if where.mix else [{workload: 1.0} for workload in workloads]
    compared = tables["decisions"].select("reference", "system").unique(maintain_order=True).rows()
    cells = _cells(tables, where)
    rows: list[tuple[Mapping[str, float], float, str, str, Floats]] = []
    for reference, system in compared:
        for mix in mixes:
            for level in sorted(summary["level"].unique()):
                sides = [
                    {name: cells.get((side, name, level)) for name in mix}
                    for side in (reference, system)
                ]
                if all(cell is not None for side in sides for cell in side.values()):
                    logs = _logs(mix, sides, where.generator == "here")
                    if logs.size:
                        rows.append((mix, level, reference, system, logs))
    if not rows:
        raise UserError(f"{results} compares no two systems by closed loops in pairs of starts")
    ratios = paired_ratios([logs for *_, logs in rows])
    if not any(ratios):
        raise UserError(f"{results} has one pair of starts: an interval needs two")
    return [
        _predicted(mix, level, (reference, system), ratio.interval, cells, where, cores)
        for (mix, level, reference, system, _), ratio in zip(rows, ratios, strict=True)
        if ratio is not None
    ]


def _predicted(
    mix: Mapping[str, float],
    level: float,
    systems: tuple[str, str],
    ratio: Interval,
    cells: Mapping[tuple[str, str, float], _Cell],
    where: Deployment,
    cores: float,
) -> Predicted:
    of_sides = [{name: cells[system, name, level] for name in mix} for system in systems]
    here = where.generator == "here"
    costs = [
        _mixed(mix, {name: cell.cost(here) for name, cell in side.items()}) for side in of_sides
    ]
    busy = [
        _mixed(mix, {name: cell.ok_per_s * cell.cost(True) / 1000 for name, cell in side.items()})
        for side in of_sides
    ]
    rates = [
        1000 * (where.cores or cores) * min(1.0, used / cores) / cost
        for used, cost in zip(busy, costs, strict=True)
    ]
    measured = None
    if len(mix) == 1:
        (below,), (above,) = (side.values() for side in of_sides)
        measured = above.ok_per_s / below.ok_per_s
    return Predicted(
        " + ".join(name if weight == 1 else f"{weight:g} {name}" for name, weight in mix.items()),
        level,
        *systems,
        ratio,
        measured,
        (costs[0], costs[1]),
        (rates[0], rates[1]),
    )


def _cells(
    tables: Mapping[str, pl.DataFrame], where: Deployment
) -> dict[tuple[str, str, float], _Cell]:
    runs = tables["runs"].filter(CLOSED, pl.col("verdict").is_in(DECIDING))
    added = {} if where.broker is None else _added(tables["cpu"], where.broker)
    cells = {}
    for row in tables["summary"].filter(CLOSED).iter_rows(named=True):
        place = row["system"], row["workload"], float(row["level"])
        own = runs.filter(
            pl.col("system") == place[0],
            pl.col("workload") == place[1],
            pl.col("level") == place[2],
        )
        if (
            row["generator_cpu_ms_per_operation"] is None
            or own[CPU.name].has_nulls()
            or own.is_empty()
        ):
            continue
        cells[place] = _Cell(
            dict(zip(own["pair"], own[CPU.name], strict=True)),
            row["generator_cpu_ms_per_operation"],
            row[GOODPUT.column],
            added.get(place, 0.0),
        )
    return cells


def _added(cpu: pl.DataFrame, folder: Path) -> dict[tuple[str, str, float], float]:
    """Return what a broker of other results costs more than the stand-in's part of it."""
    others = _read(folder, "cpu")
    theirs = _by_place(others.filter(pl.col("service") == BROKER))
    if not theirs:
        raise unknown("service", BROKER, others["service"].unique().sort().to_list())
    stand_in = _by_place(cpu.filter(pl.col("service") == STAND_IN))
    added = {}
    for (system, workload, level), cost in theirs.items():
        own = stand_in.get((system, workload, level))
        stores = [
            value
            for (other, of, at), value in stand_in.items()
            if (of, at) == (workload, level) and (other, of, at) not in theirs
        ]
        if own is not None and stores:
            added[system, workload, level] = cost - max(own - min(stores), 0.0)
    return added


def _by_place(cpu: pl.DataFrame) -> dict[tuple[str, str, float], float]:
    return {
        (row["system"], row["workload"], float(row["level"])): row[CPU.name]
        for row in cpu.iter_rows(named=True)
    }


def _logs(
    mix: Mapping[str, float], sides: Sequence[Mapping[str, _Cell | None]], here: bool
) -> Floats:
    """Return the logarithm of the predicted ratio of each pair in which all runs count."""
    present = [[cell for cell in side.values() if cell is not None] for side in sides]
    pairs = set.intersection(*(set(cell.by_pair) for side in present for cell in side))
    costs = [
        [
            _mixed(mix, {name: cell.cost(here, pair) for name, cell in side.items() if cell})
            for pair in sorted(pairs)
        ]
        for side in sides
    ]
    return np.log(np.array(costs[0]) / np.array(costs[1])) if pairs else np.array([])


def _mixed(mix: Mapping[str, float], values: Mapping[str, float]) -> float:
    return sum(mix[name] * value for name, value in values.items()) / sum(mix.values())


def _mean(values: Any) -> float:
    return math.exp(float(np.log(list(values)).mean()))


def _read(folder: Path, name: str) -> pl.DataFrame:
    file = folder / f"{name}.csv"
    if not file.is_file():
        raise UserError(f"{file} is missing", f"./testbed report {folder} writes it.")
    return pl.read_csv(file, infer_schema_length=None)


def _environment(folder: Path) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    return recorded

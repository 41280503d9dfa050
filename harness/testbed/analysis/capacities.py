"""The highest level at which each system meets an objective."""

from __future__ import annotations

from dataclasses import dataclass

from testbed.analysis.grouping import grouped
from testbed.analysis.objective import reached_by
from testbed.analysis.statistics.capacity import Capacity, capacity
from testbed.analysis.studies import Study
from testbed.analysis.verdicts import Judged
from testbed.experiment.parts import Slo


@dataclass(frozen=True)
class SystemCapacity:
    """The capacity of a system in a study.

    ``capacity`` is None if no run counts. ``invalid`` is the number of runs that were left out.
    """

    study: Study
    system: str
    capacity: Capacity | None
    invalid: int


def capacities(judged: Judged, slo: Slo) -> list[SystemCapacity]:
    """Return the highest level at which each system meets an objective.

    An overloaded run counts as not meeting it. Runs whose load changes by plan have no single level
    and are left out.
    """
    constant = [
        measurement
        for measurement in judged.recorded.measurements
        if measurement.run.arrivals is None or measurement.run.arrivals.steady
    ]
    limits = []
    for (study, system), runs in grouped(
        constant, lambda measurement: (Study.of(measurement.run.cell), measurement.run.cell.system)
    ).items():
        measurements = [
            measurement
            for measurement in runs
            if judged.verdicts[measurement.run.id].status not in ("invalid", "disturbed")
        ]
        levels = [measurement.run.cell.level for measurement in measurements]
        met = [reached_by(slo, measurement).met for measurement in measurements]
        of_system = capacity(levels, met) if measurements else None
        limits.append(SystemCapacity(study, system, of_system, len(runs) - len(measurements)))
    return limits

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

    ``found`` is None if no run counts. ``invalid`` is the number of runs that were left out.
    """

    study: Study
    system: str
    found: Capacity | None
    invalid: int


def capacities(judged: Judged, slo: Slo) -> list[SystemCapacity]:
    """Return the highest level at which each system meets an objective.

    An overloaded run counts as not meeting it. Runs whose load changes by plan have no single level
    and are left out.
    """
    constant = [
        one
        for one in judged.recorded.measurements
        if one.run.arrivals is None or one.run.arrivals.steady
    ]
    found = []
    for (study, system), runs in grouped(
        constant, lambda one: (Study.of(one.run.cell), one.run.cell.system)
    ).items():
        known = [
            one
            for one in runs
            if judged.verdicts[one.run.id].status not in ("invalid", "disturbed")
        ]
        levels = [one.run.cell.level for one in known]
        met = [reached_by(slo, one).met for one in known]
        of_system = capacity(levels, met) if known else None
        found.append(SystemCapacity(study, system, of_system, len(runs) - len(known)))
    return found

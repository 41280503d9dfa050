"""The highest level at which each system meets an objective."""

from __future__ import annotations

from dataclasses import dataclass

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
    seen: dict[tuple[Study, str], list[tuple[float, bool]]] = {}
    invalid: dict[tuple[Study, str], int] = {}
    for one in judged.recorded.measurements:
        verdict, run = judged.verdicts[one.run.id], one.run
        if run.arrivals and not run.arrivals.steady:
            continue
        what = (Study.of(run.cell), run.cell.system)
        known = seen.setdefault(what, [])
        if verdict.status == "invalid":
            invalid[what] = invalid.get(what, 0) + 1
        else:
            known.append((run.cell.level, reached_by(slo, one).met))
    return [
        SystemCapacity(
            *what,
            capacity([level for level, _ in known], [met for _, met in known]) if known else None,
            invalid.get(what, 0),
        )
        for what, known in seen.items()
    ]

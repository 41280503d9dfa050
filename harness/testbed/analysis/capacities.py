"""The highest level at which each system keeps an objective."""

from __future__ import annotations

from testbed.analysis.decisions import Question, presets_apart
from testbed.analysis.objective import reached_by
from testbed.analysis.statistics.capacity import Capacity, capacity
from testbed.analysis.verdicts import Judged
from testbed.experiment_parts import Slo


def capacities(judged: Judged, slo: Slo) -> list[tuple[Question, str, Capacity]]:
    """Return the highest level at which each system keeps an objective.

    An open-loop run that did not reach the offered rate counts as one that does not keep it, unless
    its load generator was saturated or something else was wrong with it.
    """
    seen: dict[tuple[Question, str], list[tuple[float, bool]]] = {}
    by_preset = presets_apart(judged.results)
    for one in judged.recorded.measurements:
        verdict, cell = judged.verdicts[one.run.id], one.run.cell
        failed = {check.name for check in verdict.checks if check.outcome == "failed"}
        overloaded = "offered = achieved" in failed
        if failed - {"offered = achieved", "steady"}:
            continue
        question = Question.of(cell, by_preset=by_preset)
        seen.setdefault((question, cell.system), []).append(
            (cell.level, not overloaded and reached_by(slo, one).met)
        )
    return [
        (question, system, capacity([rate for rate, _ in known], [met for _, met in known]))
        for (question, system), known in seen.items()
    ]

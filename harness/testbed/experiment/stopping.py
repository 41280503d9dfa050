"""Decides after each round whether an experiment needs another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from testbed.experiment.declaration import Experiment
from testbed.experiment.runs import Records
from testbed.model.loads import Mode, load_words


@dataclass(frozen=True)
class Ending:
    """Why an experiment needs no further round."""

    rule: str
    """``repetitions``, ``search``, ``precise`` or ``budget``."""
    rounds: int
    spent_min: float
    """Minutes that the runs took, including starts and warm-ups."""
    reach: dict[str, float | None]
    """How far above its ratio each cell's interval reaches, relatively; 0 where the cell is
    decided, None where there is no interval yet.
    """

    @property
    def text(self) -> str:
        shown = ", ".join(
            f"{cell} {'unknown' if reach is None else f'±{reach:.1%}' if reach else 'decided'}"
            for cell, reach in self.reach.items()
        )
        match self.rule:
            case "precise":
                return f"decided or precise enough after {self.rounds} rounds: {shown}"
            case "budget":
                return f"budget spent after {self.rounds} rounds: {shown}"
            case _:
                return f"{self.rounds} rounds measured"


def ending(
    plan: Experiment,
    number: int,
    done: Records,
    reach: Callable[[str], Mapping[tuple[str, Mode, float], float | None]],
) -> Ending | None:
    """Return why no round follows round `number`; None if one follows.

    `reach` computes of a figure in each cell what `Ending.reach` has. It is called only if the
    decision depends on it. It may be asked after each round: see `sequential_ratios`.
    """
    spent_min = round(sum(record.get("spent_s") or 0 for record in done.values()) / 60, 2)
    if plan.precision is None:
        rule = "search" if plan.searches else "repetitions"
        return Ending(rule, number, spent_min, {}) if number >= plan.rounds else None
    if number < plan.precision.min_repetitions:
        return None
    if any(record["round"] > number for record in done.values()):
        return None  # Decided before an interruption.
    reached = {
        f"{workload} {load_words(mode, level)}": far
        for (workload, mode, level), far in reach(plan.precision.figure).items()
    }
    precise = reached and all(
        far is not None and far <= plan.precision.within for far in reached.values()
    )
    if precise:
        return Ending("precise", number, spent_min, reached)
    if spent_min >= plan.precision.budget_min:
        return Ending("budget", number, spent_min, reached)
    return None

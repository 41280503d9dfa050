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
    could_tell: dict[str, float | None]
    """The smallest detectable relative difference in each cell; None if unknown."""

    @property
    def text(self) -> str:
        shown = ", ".join(
            f"{cell} {'unknown' if effect is None else f'{effect:.1%}'}"
            for cell, effect in self.could_tell.items()
        )
        match self.rule:
            case "precise":
                return f"precise enough after {self.rounds} rounds; detectable: {shown}"
            case "budget":
                return f"budget spent after {self.rounds} rounds; detectable: {shown}"
            case _:
                return f"{self.rounds} rounds measured"


def ending(
    plan: Experiment,
    number: int,
    done: Records,
    could_tell: Callable[[str], Mapping[tuple[str, Mode, float], float | None]],
) -> Ending | None:
    """Return why no round follows round `number`; None if one follows.

    `could_tell` computes the smallest detectable relative difference of a figure in each cell. It
    is called only if the decision depends on it.
    """
    spent_min = round(sum(record.get("spent_s") or 0 for record in done.values()) / 60, 2)
    if plan.precision is None:
        rule = "search" if plan.searches else "repetitions"
        return Ending(rule, number, spent_min, {}) if number >= plan.rounds else None
    if number < plan.precision.min_repetitions:
        return None
    if any(record["round"] > number for record in done.values()):
        return None  # Decided before an interruption.
    effects = {
        f"{workload} {load_words(mode, level)}": effect
        for (workload, mode, level), effect in could_tell(plan.precision.figure).items()
    }
    precise = effects and all(
        effect is not None and effect <= plan.precision.could_tell for effect in effects.values()
    )
    if precise:
        return Ending("precise", number, spent_min, effects)
    if spent_min >= plan.precision.budget_min:
        return Ending("budget", number, spent_min, effects)
    return None

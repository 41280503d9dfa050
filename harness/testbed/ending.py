"""Decides after each round whether an experiment needs another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from testbed.analysis.results import Mode, load_words
from testbed.experiment import Experiment
from testbed.schedule import Records, rounds


@dataclass(frozen=True)
class Ending:
    """Why an experiment needs no further round.

    Parameters
    ----------
    rule
        ``repetitions``, ``search``, ``precise`` or ``budget``.
    rounds
        How many were measured.
    spent_min
        Minutes that the runs took, with starts and warm-ups.
    widths
        The relative half-width of the interval in each cell; None where it cannot be computed.
    """

    rule: str
    rounds: int
    spent_min: float
    widths: dict[str, float | None]

    @property
    def text(self) -> str:
        """Say it."""
        shown = ", ".join(
            f"{cell} {'unknown' if width is None else f'±{width:.1%}'}"
            for cell, width in self.widths.items()
        )
        match self.rule:
            case "precise":
                return f"precise enough after {self.rounds} rounds: {shown}"
            case "budget":
                return f"budget spent after {self.rounds} rounds, not precise enough: {shown}"
            case _:
                return f"{self.rounds} rounds measured"


def ending(
    plan: Experiment,
    repetition: int,
    done: Records,
    widths: Callable[[], Mapping[tuple[str, Mode, float], float | None]],
) -> Ending | None:
    """Return why no round follows one that is complete; None when one does.

    Parameters
    ----------
    repetition
        The number of the round.
    done
        The records of finished runs.
    widths
        Computes how wide the intervals are; asked only where it matters.
    """
    spent_min = round(sum(record.get("spent_s") or 0 for record in done.values()) / 60, 2)
    if plan.precision is None:
        rule = "repetitions" if plan.search is None else "search"
        return Ending(rule, repetition, spent_min, {}) if repetition >= rounds(plan) else None
    if repetition < plan.precision.min_repetitions:
        return None
    if any(record["repetition"] > repetition for record in done.values()):
        return None  # Decided before an interruption.
    known = {
        f"{workload} {load_words(mode, level)}": width
        for (workload, mode, level), width in widths().items()
    }
    precise = known and all(
        width is not None and width <= plan.precision.half_width for width in known.values()
    )
    if precise:
        return Ending("precise", repetition, spent_min, known)
    if spent_min >= plan.precision.budget_min:
        return Ending("budget", repetition, spent_min, known)
    return None

"""Gates: decisions that make a command end with exit code 1."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from testbed.experiment.declaration import Experiment
from testbed.model.errors import UserError

if TYPE_CHECKING:
    from testbed.analysis.decisions import Decision

CHOICES = "worse, not-known, or 'beyond FACTOR' with a factor above 1, such as 'beyond 1.10'"

_BEYOND = re.compile(r"beyond[ =](\S+)")


PUBLIC = {
    "system": "system",
    "baseline": "reference",
    **{key: key for key in ("workload", "mode", "level", "figure", "ratio", "low", "high")},
    "decided": "decision",
    "detectable": "could_tell",
    "pairs": "pairs",
    "reason": "reason",
}
"""The fields of a decision that are public, by their keys in JSON."""


@dataclass(frozen=True)
class Gate:
    """What must not be decided of any cell by any headline figure.

    ``worse``: that the system is worse than its baseline. ``beyond``: that it is worse, with an
    interval that lies completely beyond `factor`. ``not-known``: that nothing is decided.
    """

    kind: Literal["worse", "not-known", "beyond"]
    factor: float = 1.0

    def __str__(self) -> str:
        return f"beyond {self.factor:g}" if self.kind == "beyond" else self.kind

    def fails(self, decision: Decision) -> bool:
        if self.kind == "not-known":
            return decision.decision == "not known"
        if decision.decision != "worse":
            return False
        return self.kind == "worse" or _nearest(decision) > self.factor


@dataclass(frozen=True)
class Failure:
    """A decision that a gate does not let pass."""

    gate: Gate
    decision: Decision

    def as_data(self) -> dict[str, Any]:
        """Return the gate, and the cell and figure that failed it."""
        where = ("system", "baseline", "workload", "mode", "level", "figure")
        cell = as_data(self.decision)
        return {"gate": str(self.gate), **{key: cell[key] for key in where}}

    def __str__(self) -> str:
        from testbed.analysis.quantities import QUANTITIES
        from testbed.analysis.tables import ratio_words
        from testbed.model.loads import load_words

        decision = self.decision
        ratio = "no ratio" if decision.low is None else ratio_words(decision)
        return (
            f"{self.gate}: {decision.workload}, {load_words(decision.mode, decision.level)}: "
            f"{QUANTITIES[decision.figure].words} of {decision.system} ÷ {decision.reference}: "
            f"{ratio}, {decision.decision}"
        )


def as_data(decision: Decision) -> dict[str, Any]:
    """Return a decision for JSON, as ``docs/scripts.md`` describes it."""
    return {key: getattr(decision, name) for key, name in PUBLIC.items()}


def parse(given: Iterable[str]) -> tuple[Gate, ...]:
    """Return the gates of ``--fail-if``; raise `UserError` with the first invalid one."""
    return tuple(map(_gate, given))


def require_decisions(plan: Experiment) -> None:
    """Check that an experiment decides cells; raise `UserError` if it cannot."""
    if plan.searches or len(plan.compared) < 2:
        why = "searches for a limit of each system" if plan.searches else "has one system"
        raise UserError(
            f"--fail-if: {plan.name} compares no cells: it {why}",
            "Gates need an experiment that compares systems, such as compare.",
        )


def failures(gates: Sequence[Gate], decisions: Sequence[Decision]) -> list[Failure]:
    """Return what gates do not let pass.

    Raises `UserError` if there are gates, but no decision that they could judge.
    """
    if gates and not decisions:
        raise UserError("--fail-if: no cell has runs of a system and its baseline")
    return [
        Failure(gate, decision) for gate in gates for decision in decisions if gate.fails(decision)
    ]


def _nearest(decision: Decision) -> float:
    """Return the factor between 1 and the nearer end of the interval; 1 if the interval has 1."""
    if decision.low is None or decision.high is None:
        return 1.0
    # Of goodput less is worse, of times and of CPU more.
    return max(decision.low, 1 / decision.high, 1.0)


def _gate(given: str) -> Gate:
    if given in ("worse", "not-known"):
        return Gate("worse" if given == "worse" else "not-known")
    match = _BEYOND.fullmatch(given)
    try:
        factor = float(match[1]) if match else 0.0
    except ValueError:
        factor = 0.0
    if not 1 < factor < math.inf:
        raise UserError(f"--fail-if {given!r}: choose from: {CHOICES}")
    return Gate("beyond", factor)

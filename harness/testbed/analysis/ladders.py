"""What each factor of a ladder is worth: on the way up, and taken out of the top alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from testbed.analysis.decisions import Decision, Outcome
from testbed.analysis.results import Results
from testbed.experiment.parts import PLUS, WITHOUT, climb

_TURNED: dict[Outcome, Outcome] = {"better": "worse", "worse": "better"}


@dataclass(frozen=True)
class Step:
    """A factor, and the rung that it leads to.

    ``added`` are the decisions on that rung against the one below it. ``removed`` are those on the
    top against the top without the factor. For the last factor they equal ``added``; for steps
    beyond the top there are none.
    """

    factor: str
    rung: str
    added: tuple[Decision, ...]
    removed: tuple[Decision, ...]


@dataclass(frozen=True)
class Climb:
    """A measured ladder; the last steps are those beyond the top, each from the top."""

    first: str
    steps: tuple[Step, ...]


def climbed(results: Results, decisions: Sequence[Decision]) -> Climb | None:
    """Return the worth of each step of a ladder; None if the experiment has none."""
    if not (declared := results.declared.get("ladder")):
        return None
    factors, top = list(declared["factors"]), declared["top"].get("preset", "tuned")
    rungs = climb(factors, top)

    def between(below: str, above: str) -> tuple[Decision, ...]:
        return tuple(
            decision if decision.system == above else turned(decision)
            for decision in decisions
            if {decision.system, decision.reference} == {below, above}
        )

    steps = []
    for factor, below, above in zip(factors, rungs, rungs[1:], strict=False):
        added = between(below, above)
        removed = added if above == top else between(WITHOUT + factor, top)
        steps.append(Step(factor, above, added, removed))
    for factor in declared.get("beyond") or ():
        steps.append(Step(factor, PLUS + factor, between(top, PLUS + factor), ()))
    return Climb(rungs[0], tuple(steps))


def turned(decision: Decision) -> Decision:
    """Return the decision with system and reference exchanged."""
    value = decision.reference_value
    return replace(
        decision,
        system=decision.reference,
        reference=decision.system,
        ratio=_inverse(decision.ratio),
        low=_inverse(decision.high),
        high=_inverse(decision.low),
        decision=_TURNED.get(decision.decision, decision.decision),
        reference_value=None if value is None or decision.ratio is None else value * decision.ratio,
    )


def _inverse(ratio: float | None) -> float | None:
    return None if ratio is None else 1 / ratio

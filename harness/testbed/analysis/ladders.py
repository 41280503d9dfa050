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
    """Return the worth of each step of a ladder; None if the experiment is none."""
    if not (declared := results.declared.get("ladder")):
        return None
    factors, top = list(declared["factors"]), declared["top"].get("preset", "tuned")
    rungs = climb(factors, top)

    def between(below: str, above: str) -> tuple[Decision, ...]:
        return tuple(
            one if one.system == above else turned(one)
            for one in decisions
            if {one.system, one.reference} == {below, above}
        )

    steps = []
    for factor, below, above in zip(factors, rungs, rungs[1:], strict=False):
        added = between(below, above)
        removed = added if above == top else between(WITHOUT + factor, top)
        steps.append(Step(factor, above, added, removed))
    for factor in declared.get("beyond") or ():
        steps.append(Step(factor, PLUS + factor, between(top, PLUS + factor), ()))
    return Climb(rungs[0], tuple(steps))


def turned(one: Decision) -> Decision:
    """Return the decision with system and reference exchanged."""
    value = one.reference_value
    return replace(
        one,
        system=one.reference,
        reference=one.system,
        ratio=_inverse(one.ratio),
        low=_inverse(one.high),
        high=_inverse(one.low),
        decision=_TURNED.get(one.decision, one.decision),
        reference_value=None if value is None or one.ratio is None else value * one.ratio,
    )


def _inverse(ratio: float | None) -> float | None:
    return None if ratio is None else 1 / ratio

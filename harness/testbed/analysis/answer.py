"""The answer of an experiment as plain data: what is decided of each cell by each figure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from testbed.analysis.decisions import Decision, Outcome
from testbed.model.loads import Mode


@dataclass(frozen=True)
class Finding:
    """What is decided of one cell of a system and its baseline by one figure.

    `dataclasses.asdict` makes JSON of it.
    """

    system: str
    baseline: str
    workload: str
    mode: Mode
    level: float
    """Threads in a closed loop, arrivals per second in an open one."""
    figure: str
    """``ok_per_s``, ``p95_ms`` or ``cpu_ms_per_ok``."""
    ratio: float | None
    """The system's figure divided by the baseline's; None if it is not known."""
    low: float | None
    high: float | None
    """With `low`, the interval by which the cell is decided; it excludes 1 if the cell is decided
    to be better or worse.
    """
    decided: Outcome
    detectable: float | None
    """The smallest ratio above 1 that would have been seen with a probability of 0.8; None if it is
    not known.
    """
    pairs: int
    """Pairs of starts behind the ratio."""
    reason: str
    """Why the cell is not decided, if the interval alone does not say so."""


def findings(decisions: Iterable[Decision]) -> tuple[Finding, ...]:
    """Return decisions as plain data, in their order."""
    return tuple(
        Finding(
            system=decision.system,
            baseline=decision.reference,
            workload=decision.workload,
            mode=decision.mode,
            level=decision.level,
            figure=decision.figure,
            ratio=decision.ratio,
            low=decision.low,
            high=decision.high,
            decided=decision.decision,
            detectable=decision.could_tell,
            pairs=decision.pairs,
            reason=decision.reason,
        )
        for decision in decisions
    )

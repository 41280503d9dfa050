"""Claims, the evidence on them, and their verdicts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from testbed.analysis.arrays import Floats
from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.verdicts import Judged
from testbed.model.declared import Declared

Count = Literal["sample", "operation"]
Outcome = Literal["replicated", "not replicated", "not decidable here"]


class Claim(Declared, extra="allow"):
    """One quantitative statement of a publication; ``fields`` is what its kind needs."""

    id: str
    source: str
    says: str
    kind: str
    """One of those that ``claims.yaml`` explains."""
    accept: tuple[float, float] | None = None
    """The lowest and highest value that the statement allows; None for kinds without."""
    known: str = ""
    """The known cause of a disagreement."""

    @property
    def fields(self) -> Mapping[str, Any]:
        return self.model_extra or {}


@dataclass(frozen=True)
class Evidence:
    """What a source of figures says about a claim."""

    estimate: float | None
    """None if there is no figure."""
    interval: Interval | None = None
    """None if the uncertainty is unknown."""
    runs: int | None = None
    """Fewest runs of a cell; None for published figures."""
    unit: str = ""
    """``ms``, ``×``, ``r``, ``points``, ``% E_i``, or ``%`` for shares of 1."""
    note: str = ""
    verdict: Outcome | None = None
    """Set if the kind decides by itself."""
    missing: Sequence[float] = ()
    """Levels of the claim without data; with any, the claim is never ``replicated``."""

    @classmethod
    def of(
        cls,
        interval: Interval,
        runs: int,
        unit: str,
        note: str = "",
        verdict: Outcome | None = None,
        missing: Sequence[float] = (),
    ) -> Evidence:
        """Return the evidence of a figure whose uncertainty is known."""
        return cls(interval.estimate, interval, runs, unit, note, verdict, missing)


class NoFigureError(Exception):
    """There is no figure for a claim; the message says why."""


@dataclass(frozen=True)
class Cells:
    """The runs of one variant and workload by level.

    ``times`` has an array of response times per run, ms. ``failed`` has the failed and all of each
    run. ``tried`` includes levels without a usable run. ``pairs`` has the pair of starts of each
    run in ``times``; nothing for published figures.
    """

    times: Mapping[float, Sequence[Floats]]
    failed: Mapping[float, Sequence[tuple[int, int]]]
    tried: Collection[float]
    pairs: Mapping[float, Sequence[int]] = field(default_factory=dict)


class Source(Protocol):
    """Figures by which claims are examined, under one way of counting."""

    count: Count

    @property
    def judged(self) -> Judged:
        """The results; raises `NoFigureError` if only figures were published."""

    def cells(self, variant: str, workload: str) -> Cells | None:
        """Return the runs of a variant under a workload; None if there are none."""


def verdict(claim: Claim, evidence: Evidence) -> Outcome:
    """Return the verdict on a claim; fewer than `DECIDING_RUNS` runs decide nothing."""
    if evidence.runs is not None and evidence.runs < DECIDING_RUNS:
        return "not decidable here"
    return leaning(claim, evidence)


def leaning(claim: Claim, evidence: Evidence) -> Outcome:
    """Return the verdict by the figures alone, for any number of runs."""
    outcome = evidence.verdict or _position(claim, evidence)
    return "not decidable here" if evidence.missing and outcome == "replicated" else outcome


def _position(claim: Claim, evidence: Evidence) -> Outcome:
    """Return whether the whole interval lies inside or outside the accepted range."""
    if evidence.estimate is None or claim.accept is None:
        return "not decidable here"
    interval = evidence.interval or Interval(
        evidence.estimate, evidence.estimate, evidence.estimate
    )
    low, high = claim.accept
    if low <= interval.low and interval.high <= high:
        return "replicated"
    if interval.high < low or interval.low > high:
        return "not replicated"
    return "not decidable here"

"""What a claim is, what may be found of it, and what that says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from testbed.analysis.arrays import Floats
from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.statistics.intervals import Interval

Count = Literal["sample", "operation"]
Outcome = Literal["replicated", "not replicated", "not decidable here"]


@dataclass(frozen=True)
class Claim:
    """One quantitative statement.

    Parameters
    ----------
    id, source, says
        What it is called, where it stands, and what it says.
    kind
        One of those that ``claims.yaml`` explains.
    fields
        What the kind needs.
    accept
        Lowest and highest value that the statement allows; None for kinds without.
    known
        What is known of the cause of a disagreement.
    """

    id: str
    source: str
    says: str
    kind: str
    fields: Mapping[str, Any]
    accept: tuple[float, float] | None
    known: str = ""


@dataclass(frozen=True)
class Found:
    """What was found of a claim.

    Parameters
    ----------
    estimate
        None where nothing was.
    interval
        None where it cannot be told how sure the estimate is.
    runs
        Fewest runs of a cell behind it; None where there are no runs but published figures.
    unit
        How the figure is written.
    note
        What else is to be said, such as what is missing.
    verdict
        Where the kind decides by itself.
    missing
        Levels that the claim is about and of which nothing is known; then it is not replicated, or
        not decidable.
    """

    estimate: float | None
    interval: Interval | None = None
    runs: int | None = None
    unit: str = ""
    note: str = ""
    verdict: Outcome | None = None
    missing: Sequence[float] = ()


@dataclass(frozen=True)
class Cells:
    """The runs of one variant and workload by level, as one count sees them.

    Parameters
    ----------
    times
        By level, one array of response times per run, ms.
    failed
        By level, failed and all of each run.
    tried
        Every level that was run, those without a usable run included.
    """

    times: Mapping[float, Sequence[Floats]]
    failed: Mapping[float, Sequence[tuple[int, int]]]
    tried: Collection[float]


class Source(Protocol):
    """Where figures come from."""

    def cells(self, variant: str, workload: str, count: Count) -> Cells | None:
        """Return the runs of a variant under a workload; None where there are none."""


def verdict(claim: Claim, found: Found) -> Outcome:
    """Return what results say of a claim: the whole interval must lie on one side of its border."""
    if found.runs is not None and found.runs < DECIDING_RUNS:
        return "not decidable here"
    return leaning(claim, found)


def leaning(claim: Claim, found: Found) -> Outcome:
    """Return what the figures alone point to, however few runs they are of."""
    outcome = found.verdict or _position(claim, found)
    return "not decidable here" if found.missing and outcome == "replicated" else outcome


def _position(claim: Claim, found: Found) -> Outcome:
    """Return whether the whole interval lies within what the claim accepts, or outside."""
    if found.estimate is None or claim.accept is None:
        return "not decidable here"
    interval = found.interval or Interval(found.estimate, found.estimate, found.estimate)
    low, high = claim.accept
    if low <= interval.low and interval.high <= high:
        return "replicated"
    if interval.high < low or interval.low > high:
        return "not replicated"
    return "not decidable here"

"""Case studies of publications: their own tables, what does not fit, and their claims."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from pydantic import Field

from testbed.analysis.claims.case_kinds import CASE_KINDS
from testbed.analysis.claims.claim import Claim
from testbed.analysis.claims.reading import CLAIMS, require_kinds
from testbed.model.declared import Declared, read

CASES = CLAIMS.parent / "cases"


class PublishedTable(Declared):
    """A table as its publication has it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Case(Declared):
    """A case study, declared in ``analysis/cases/NAME.yaml``."""

    name: str
    title: str
    source: str
    shows: Literal["demand", "accounts", "ladder", "levels", "caches", "replicas"]
    """What stands beside the published table: the least CPU of each system, the accounts of
    accepted work, a ladder, the efficiency at each level, what caches saved, or what an autoscaler
    cost and gave.
    """
    variants: tuple[str, ...] = ()
    """Its systems: it is part of the report if one of them was measured. Of a ladder, all. Of
    replicas, it must have had an autoscaler.
    """
    prices: str | None = None
    split: Mapping[str, float] = Field(default_factory=dict)
    """The published shares of CPU, by service."""
    table: PublishedTable
    does_not_fit: tuple[str, ...]
    levels: tuple[float, ...] = ()
    cells: tuple[Mapping[str, Any], ...] = ()
    """With `levels`, for the claims to refer to."""
    claims: tuple[Claim, ...]


@cache
def cases() -> tuple[Case, ...]:
    """Return the case studies, by name; raise `UserError` if one is malformed."""
    found = [
        read(Case, "case study", file, name=file.stem) for file in sorted(CASES.glob("*.yaml"))
    ]
    for one in found:
        require_kinds(one.claims, CASE_KINDS)
    return tuple(found)

"""Reads the claims of the thesis and the article, and those of case studies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from testbed.analysis.claims.claim import Claim
from testbed.analysis.claims.examining import KINDS
from testbed.model.declared import Declared, read
from testbed.model.errors import unknown
from testbed.model.project import SHIPS

CLAIMS = SHIPS / "analysis" / "claims.yaml"
CASES = CLAIMS.parent / "cases"


class WithClaims(Declared):
    """A file with claims."""

    levels: tuple[float, ...] = ()
    """For the claims to refer to."""
    claims: tuple[Claim, ...]

    def require_kinds(self) -> None:
        """Raise `UserError` with the first claim whose kind is unknown."""
        for claim in self.claims:
            if claim.kind not in KINDS:
                raise unknown(f"kind of claim {claim.id}", claim.kind, KINDS)


class PublishedData(Declared):
    """The figures of the thesis's sample files, see `testbed.analysis.claims.sources`."""

    source: str
    cells: tuple[tuple[Any, ...], ...]


class ClaimsFile(WithClaims):
    """The content of ``analysis/claims.yaml``."""

    published: PublishedData = PublishedData(source="", cells=())


class PublishedTable(Declared):
    """A table as its publication has it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Case(WithClaims):
    """A case study, declared in ``analysis/cases/NAME.yaml``."""

    name: str
    title: str
    source: str
    shows: Literal["demand", "accounts", "ladder", "levels", "caches", "replicas"] | None = None
    """What stands beside the published table: the least CPU of each system, the accounts of
    accepted work, a ladder, the efficiency at each level, what caches saved, or what an autoscaler
    cost and gave. None: the report's own tables are enough.
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
    cells: tuple[Mapping[str, Any], ...] = ()
    """With `levels`, for the claims to refer to."""


@cache
def read_claims(file: Path = CLAIMS) -> ClaimsFile:
    """Return the claims; raise `UserError` if the file is malformed or a kind is unknown."""
    claims = read(ClaimsFile, "list of claims", file)
    claims.require_kinds()
    return claims


@cache
def cases() -> tuple[Case, ...]:
    """Return the case studies, by name; raise `UserError` if one is malformed."""
    files = sorted(CASES.glob("*.yaml"))
    every = tuple(read(Case, "case study", file, name=file.stem) for file in files)
    for case in every:
        case.require_kinds()
    return every

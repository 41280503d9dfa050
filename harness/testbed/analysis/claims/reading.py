"""Reads the claims from ``analysis/claims.yaml``."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from testbed.analysis.claims.claim import Claim
from testbed.analysis.claims.kinds import KINDS
from testbed.model.declared import Declared, read
from testbed.model.errors import unknown

CLAIMS = Path(__file__).resolve().parents[4] / "analysis" / "claims.yaml"


class PublishedData(Declared):
    """The figures of the thesis's sample files, see `testbed.analysis.claims.sources`."""

    source: str
    cells: tuple[tuple[Any, ...], ...]


class ClaimsFile(Declared):
    """The content of ``analysis/claims.yaml``."""

    published: PublishedData = PublishedData(source="", cells=())
    levels: tuple[float, ...] = ()
    """For the claims to refer to."""
    claims: tuple[Claim, ...]


@cache
def read_claims(file: Path = CLAIMS) -> ClaimsFile:
    """Return the claims; raise `UserError` if the file is malformed or a kind is unknown."""
    found = read(ClaimsFile, "list of claims", file)
    require_kinds(found.claims, KINDS)
    return found


def require_kinds(claims: Iterable[Claim], kinds: Collection[str]) -> None:
    """Check the kinds of claims; raise `UserError` with the first one that is unknown."""
    for one in claims:
        if one.kind not in kinds:
            raise unknown(f"kind of claim {one.id}", one.kind, kinds)

"""Reads the claims from ``analysis/claims.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from testbed.analysis.claims.claim import Claim
from testbed.analysis.claims.kinds import KINDS
from testbed.model.errors import UserError, unknown

CLAIMS = Path(__file__).resolve().parents[4] / "analysis" / "claims.yaml"


@cache
def read_claims(file: Path = CLAIMS) -> tuple[Claim, ...]:
    """Return the claims; raise `UserError` if the file is malformed or a kind is unknown."""
    claims = []
    for fields in read_document(file)["claims"]:
        if fields["kind"] not in KINDS:
            raise unknown(f"kind of claim {fields['id']}", fields["kind"], KINDS)
        claims.append(claim_of(fields))
    return tuple(claims)


def claim_of(fields: Mapping[str, Any]) -> Claim:
    accept = fields.get("accept")
    return Claim(
        id=fields["id"],
        source=fields["source"],
        says=fields["says"],
        kind=fields["kind"],
        fields=fields,
        accept=(float(accept[0]), float(accept[1])) if accept else None,
        known=fields.get("known", ""),
    )


def read_document(file: Path = CLAIMS) -> Mapping[str, Any]:
    """Return the claims as written, with the published figures.

    Raises `UserError` if the file cannot be read or has no claims.
    """
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{file} is no list of claims: {error}") from error
    if not isinstance(document, Mapping) or "claims" not in document:
        raise UserError(f"{file} lacks the key 'claims'")
    return document

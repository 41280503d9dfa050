"""Examines claims by their kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from testbed.analysis.claims.cell_kinds import CELL_KINDS
from testbed.analysis.claims.claim import Claim, Evidence, NoFigureError, Source
from testbed.analysis.claims.run_kinds import RUN_KINDS

KINDS: Mapping[str, Callable[[Claim, Source], Evidence]] = {**CELL_KINDS, **RUN_KINDS}


def examine(claim: Claim, source: Source) -> Evidence:
    """Return what a source of figures says about a claim."""
    try:
        return KINDS[claim.kind](claim, source)
    except NoFigureError as why:
        return Evidence(None, note=str(why))

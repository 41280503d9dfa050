"""Case studies: the published table, ours beside it, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from testbed.analysis import caching, demands
from testbed.analysis.accounts import tabulate
from testbed.analysis.claims.claim import Claim, Evidence, leaning
from testbed.analysis.claims.examining import examine
from testbed.analysis.claims.reading import Case, cases
from testbed.analysis.claims.run_kinds import concerns
from testbed.analysis.claims.sources import MeasuredFigures
from testbed.analysis.claims.tables import replication_data, words
from testbed.analysis.sections import accounts, autoscaling, caches, demand, efficiency, ladder
from testbed.analysis.tables import MISSING, markdown_table
from testbed.analysis.verdicts import Judged

PUBLISHED = "published"
FROM_PUBLISHED = "from the published figures"
DISAGREES = "**disagrees**"
TABLES = {
    "demand": "The least CPU that is enough",
    "accounts": "What became of accepted work",
    "caches": "What the caches saved",
    "replicas": "What an autoscaler cost and gave",
}


def studies(judged: Judged) -> str:
    """Return the case studies that were measured, each with its own and our tables.

    What belongs to no case study comes without a published table. Empty if there is neither.
    """
    measured = _measured(judged)
    parts = ["\n\n".join(_study(case, judged)) for case in measured]
    shown = {case.shows for case in measured}
    for shows, title in TABLES.items():
        if shows not in shown and (ours := _ours(shows, None, judged)):
            parts.append(f"## {title}\n\n{ours}")
    return "\n\n".join(parts)


def tables(judged: Judged) -> dict[str, pl.DataFrame]:
    """Return the tables of the case studies' sections, by name, without the empty ones."""
    source = MeasuredFigures(judged.decisive, "operation")
    every = {
        "accounts": tabulate(judged),
        "searches": demands.tabulate(judged),
        "caches": caching.tabulate(judged),
        "case_claims": replication_data(
            [
                (claim, source.count, examine(claim, source))
                for case in _measured(judged)
                for claim in _here(case, judged)
                if claim.kind != PUBLISHED
            ]
        ),
    }
    return {name: table for name, table in every.items() if not table.is_empty()}


def _measured(judged: Judged) -> list[Case]:
    measured = {run.cell.variant for run in judged.results.runs}
    scaled = {run.cell.variant for run in judged.results.runs if run.scaling}
    climbed = bool(judged.results.declared.get("ladder"))

    def belongs(case: Case) -> bool:
        if case.shows == "ladder":
            return climbed
        return bool(set(case.variants) & (scaled if case.shows == "replicas" else measured))

    return [case for case in cases() if belongs(case)]


def _here(case: Case, judged: Judged) -> list[Claim]:
    """Return the claims of a case about loads that were put on."""
    return [claim for claim in case.claims if concerns(claim, judged.results.runs)]


def _study(case: Case, judged: Judged) -> Iterator[str]:
    yield f"## {case.title}"
    rows = [dict(zip(case.table.columns, row, strict=True)) for row in case.table.rows]
    yield f"As published ({case.source}):\n\n{markdown_table(rows)}"
    if case.shows is not None:
        ours = _ours(case.shows, case.prices, judged)
        yield f"**Here.** {ours or 'Nothing usable was measured.'}"
    if split := demand.published_split(judged, case.split):
        yield split
    yield "**What does not fit.**\n\n" + "\n".join(f"- {reason}" for reason in case.does_not_fit)
    source = MeasuredFigures(judged.decisive, "operation")
    here = _here(case, judged)
    examined = [(claim, examine(claim, source)) for claim in here]
    if checks := [_checked(*pair) for pair in examined if pair[0].kind == PUBLISHED]:
        disagree = sum("disagrees" in row[FROM_PUBLISHED] for row in checks)
        yield (
            f"The published figures against each other: **{disagree} of {len(checks)} statements "
            f"disagree**.\n\n{markdown_table(checks)}"
        )
    claims = [_examined(*pair) for pair in examined if pair[0].kind != PUBLISHED]
    if claims:
        yield f"The claims, and what these results say of them:\n\n{markdown_table(claims)}"
    if others := len(case.claims) - len(here):
        yield f"{others} more of its claims are about loads that were not put on here."


def _ours(shows: str, prices: str | None, judged: Judged) -> str:
    match shows:
        case "demand":
            return demand.least(judged, prices)
        case "ladder":
            return ladder.ladder(judged)
        case "levels":
            return efficiency.levels(judged)
        case "caches":
            return caches.kept(judged)
        case "replicas":
            return autoscaling.autoscaled(judged)
        case _:
            return accounts.accounted(judged)


def _examined(claim: Claim, evidence: Evidence) -> dict[str, str]:
    return {
        "claim": claim.says,
        "where": claim.source,
        "here": words(claim, evidence),
        "what is known": claim.known.strip() or MISSING,
    }


def _checked(claim: Claim, evidence: Evidence) -> dict[str, str]:
    agrees = leaning(claim, evidence) == "replicated"
    figure = words(claim, evidence).partition(": ")[2]
    return {
        "statement": claim.says,
        "where": claim.source,
        FROM_PUBLISHED: f"{figure}: {'agrees' if agrees else DISAGREES}",
        "what is known": MISSING if agrees else claim.known.strip() or MISSING,
    }

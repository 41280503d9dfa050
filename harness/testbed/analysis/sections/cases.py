"""Case studies: the published table, ours beside it, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterator

from testbed.analysis.claims.case_kinds import examine
from testbed.analysis.claims.cases import Case, cases
from testbed.analysis.claims.claim import Claim, Found, leaning
from testbed.analysis.claims.tables import words
from testbed.analysis.sections import accounts, demand
from testbed.analysis.tables import MISSING, Column, markdown_table, word
from testbed.analysis.verdicts import Judged

HELD = (
    Column("claim", word("claim"), numeric=False),
    Column("where", word("source"), numeric=False),
    Column("here", word("found"), numeric=False),
    Column("what is known", word("known"), numeric=False),
)
CHECKED = (
    Column("statement", word("claim"), numeric=False),
    Column("where", word("source"), numeric=False),
    Column("from the published figures", word("found"), numeric=False),
    Column("what is known", word("known"), numeric=False),
)
PUBLISHED = "published"
TABLES = {"demand": "The least CPU that is enough", "accounts": "What became of accepted work"}


def studies(judged: Judged) -> str:
    """Return the case studies that were measured, each with its own and our tables.

    What belongs to no case study comes without a published table. Empty if there is neither.
    """
    measured = {run.cell.variant for run in judged.results.runs}
    found = [one for one in cases() if measured & set(one.variants)]
    parts = ["\n\n".join(_study(one, judged)) for one in found]
    for shows, title in TABLES.items():
        if not any(one.shows == shows for one in found) and (ours := _ours(shows, None, judged)):
            parts.append(f"## {title}\n\n{ours}")
    return "\n\n".join(parts)


def _study(case: Case, judged: Judged) -> Iterator[str]:
    yield f"## {case.title}"
    columns = [Column(title, word(title), numeric=False) for title in case.table.columns]
    rows = [dict(zip(case.table.columns, row, strict=True)) for row in case.table.rows]
    yield f"As published ({case.source}):\n\n{markdown_table(rows, columns)}"
    yield f"**Here.** {_ours(case.shows, case.prices, judged) or 'Nothing usable was measured.'}"
    if told := demand.published_split(judged, case.split):
        yield told
    yield "**What does not fit.**\n\n" + "\n".join(f"- {one}" for one in case.does_not_fit)
    held = [(claim, examine(claim, judged)) for claim in case.held]
    checks = [_checked(*one) for one in held if one[0].kind == PUBLISHED]
    disagree = sum("disagrees" in row["found"] for row in checks)
    yield (
        f"The published figures against each other: **{disagree} of {len(checks)} statements "
        f"disagree**.\n\n{markdown_table(checks, CHECKED)}"
    )
    claims = [_held(*one) for one in held if one[0].kind != PUBLISHED]
    yield f"The claims, and what these results say of them:\n\n{markdown_table(claims, HELD)}"


def _ours(shows: str, prices: str | None, judged: Judged) -> str:
    return demand.least(judged, prices) if shows == "demand" else accounts.accounted(judged)


def _held(claim: Claim, found: Found) -> dict[str, str]:
    return _row(claim, words(claim, found), claim.known)


def _checked(claim: Claim, found: Found) -> dict[str, str]:
    agrees = leaning(claim, found) == "replicated"
    told = words(claim, found).partition(": ")[2]
    outcome = "agrees" if agrees else "**disagrees**"
    return _row(claim, f"{told}: {outcome}", "" if agrees else claim.known)


def _row(claim: Claim, found: str, known: str) -> dict[str, str]:
    return {
        "claim": claim.says,
        "source": claim.source,
        "found": found,
        "known": known.strip() or MISSING,
    }

"""All claims of all documents in one table, with what the published results say of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from testbed.analysis.claims.claim import Claim, Evidence
from testbed.analysis.claims.reading import cases, read_claims
from testbed.analysis.claims.tables import figure_words
from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.grouping import grouped
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.tables import markdown_table

TABLES = ("claims.csv", "case_claims.csv")
OPEN = "not decidable here"
SAME = {"the thesis": "thesis", "article": "Akbulut and Perros 2019"}
"""Documents that sources name in two ways."""

REPLICATED, NOT_REPLICATED, DEPENDS, UNDECIDED = (
    "replicated",
    "not replicated",
    "depends on the count",
    "open",
)
STATES = (REPLICATED, NOT_REPLICATED, DEPENDS, UNDECIDED)


@dataclass(frozen=True)
class Standing:
    """Where a claim stands by the published results."""

    claim: Claim
    document: str
    state: str
    """One of `STATES`."""
    why: str
    """Why it is open, in words that many claims share; empty for others."""
    words: str
    """Figures with their intervals, or what is missing."""
    folder: str
    """The published folder that says so; empty if none does."""


def standings(published: Path) -> list[Standing]:
    """Return where each claim stands, in order of the documents.

    Of several folders the one that decides most of a claim's counts speaks, the first of equals.
    """
    rows = grouped(_rows(published), lambda row: (row["claim"], row["says"]))
    every = [
        *read_claims().claims,
        *(claim for case in cases() for claim in case.claims),
    ]
    return sorted(
        (
            _standing(claim, rows.get((claim.id, claim.says), []))
            for claim in every
            if claim.kind != "published"
        ),
        key=lambda standing: standing.document,
    )


def page(published: Path) -> str:
    """Return ``docs/claims.md``."""
    every = standings(published)
    states = Counter(standing.state for standing in every)
    parts = [
        "# Which published claims hold here\n\n"
        "`./testbed generate` makes this page from `analysis/claims.yaml`, `analysis/cases` and "
        "the tables of [published results](../analysis/published/README.md).\n\n"
        f"**{len(every)} claims: {_counts(states)}.** A claim is *replicated* if our whole "
        "interval lies within what it allows, *not replicated* if it lies outside, and *open* "
        f"otherwise ([method](method.md#claims-and-capacity)). It needs {DECIDING_RUNS} runs. "
        "Figures per sample count every HTTP exchange, per operation what a user wanted. *Ours* "
        "are hypotheses about what the documents leave out.\n\n"
        "## How many are open, and why\n",
        _overview(every),
    ]
    for document, part in grouped(every, lambda standing: standing.document).items():
        parts.append(f"\n## {document[0].upper()}{document[1:]}\n")
        parts.append(markdown_table(map(_row, part)))
    return "\n".join(parts) + "\n"


def _rows(published: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of the published tables of claims, with their folders."""
    for name in TABLES:
        for file in sorted(published.glob(f"**/{name}")):
            folder = str(file.parent.relative_to(published))
            for row in pl.read_csv(file, infer_schema_length=None).iter_rows(named=True):
                yield {**row, "folder": folder}


def _standing(claim: Claim, rows: Sequence[Mapping[str, Any]]) -> Standing:
    document = claim.source.split(",")[0]
    document = SAME.get(document, document)
    if claim.kind == "none":
        why = str(claim.fields["why"])
        return Standing(claim, document, UNDECIDED, "nothing here measures it", why, "")
    folders = grouped(rows, lambda row: str(row["folder"]))
    if not folders:
        return Standing(claim, document, UNDECIDED, "not measured", "", "")
    name, best = max(folders.items(), key=lambda item: _weight(item[1]))
    verdicts = {row["verdict"] for row in best} - {OPEN}
    state = UNDECIDED if not verdicts else verdicts.pop() if len(verdicts) == 1 else DEPENDS
    reasons = list(dict.fromkeys(map(_why_open, best)))
    words = [f"{row['counted']} {_figures(row)}" for row in best]
    if len(best) == 1 or len({_figures(row) for row in best}) == 1:
        words = [_figures(best[0])]
    why = min(reasons, key=len) if state == UNDECIDED else ""
    return Standing(claim, document, state, why, "; ".join(words), name)


def _weight(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how many counts of a claim are decided, and how many have a figure."""
    every = list(rows)
    return (
        sum(row["verdict"] != OPEN for row in every),
        sum(row["estimate"] is not None for row in every),
    )


def _why_open(row: Mapping[str, Any]) -> str:
    if row["estimate"] is None:
        return "no usable run of a cell"
    if row["runs"] is not None and row["runs"] < DECIDING_RUNS:
        return f"fewer than {DECIDING_RUNS} runs"
    if "nothing usable at" in (row["note"] or ""):
        return "a level without a usable run"
    return "the interval reaches over the border"


def _figures(row: Mapping[str, Any]) -> str:
    """Return a row's figure and interval, or what it lacks."""
    if row["estimate"] is None:
        return str(row["note"] or "")
    wide = None if row["low"] is None else Interval(row["estimate"], row["low"], row["high"])
    words = figure_words(Evidence(row["estimate"], wide, unit=row["unit"] or ""))
    points = row["points_to"]
    hint = f", points to {points}" if row["verdict"] == OPEN and points != OPEN else ""
    return f"{words}{hint}"


def _counts(states: Mapping[str, int]) -> str:
    return ", ".join(f"{states[state]} {state}" for state in STATES if states.get(state))


def _overview(every: Sequence[Standing]) -> str:
    rows = []
    for document, part in grouped(every, lambda standing: standing.document).items():
        states = Counter(standing.state for standing in part)
        reasons = Counter(standing.why for standing in part if standing.why)
        rows.append(
            {
                "document": document,
                "claims": len(part),
                **{state: states[state] for state in STATES},
                "why open": ", ".join(
                    f"{why} ({count})" for why, count in sorted(reasons.items(), key=_most)
                ),
            }
        )
    return markdown_table(rows, ("document", "why open"))


def _most(reason: tuple[str, int]) -> tuple[int, str]:
    return -reason[1], reason[0]


def _row(standing: Standing) -> dict[str, str]:
    state = standing.state
    return {
        "claim": standing.claim.says,
        "where": standing.claim.source.partition(", ")[2] or "–",
        "verdict": f"{state}: {standing.why}" if standing.why else f"**{state}**",
        "here": standing.words or "–",
        "results": f"[{standing.folder}](../analysis/published/{standing.folder}/)"
        if standing.folder
        else "–",
    }

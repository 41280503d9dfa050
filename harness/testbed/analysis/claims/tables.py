"""Tables of claims against results, and of the published figures against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from testbed.analysis.claims.claim import Claim, Count, Evidence, leaning, verdict
from testbed.analysis.claims.examining import examine
from testbed.analysis.claims.reading import read_claims
from testbed.analysis.claims.sources import MeasuredFigures, PublishedFigures
from testbed.analysis.decisions import DECIDING_RUNS
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.tables import MISSING, markdown_table, ratio_text
from testbed.analysis.verdicts import Judged

COUNTS: tuple[Count, ...] = ("sample", "operation")

Examined = tuple[Claim, Count, Evidence]
"""A claim, how operations are counted, and the evidence."""


def examined(judged: Judged) -> list[Examined]:
    """Test every claim against the deciding runs, per sample and per operation.

    A claim that cannot be measured here comes once, with the reason.
    """
    sources = [MeasuredFigures(judged.decisive, count) for count in COUNTS]
    return [
        (claim, source.count, examine(claim, source))
        for claim in read_claims().claims
        if claim.kind != "published"
        for source in (sources[:1] if claim.kind == "none" else sources)
    ]


def replication_data(claims: Sequence[Examined]) -> pl.DataFrame:
    """Return claims against results as data: one row per claim and count.

    ``points_to`` is the verdict for any number of runs. ``low`` and ``high`` are the 95 % interval.
    Figures of unit ``%`` are shares of 1. ``runs`` is the fewest of a cell. Null is not known.
    """
    return pl.DataFrame(
        [
            {
                "claim": claim.id,
                "says": claim.says,
                "source": claim.source,
                "counted": f"per {count}",
                "verdict": verdict(claim, evidence),
                "points_to": leaning(claim, evidence),
                "estimate": evidence.estimate,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "unit": evidence.unit,
                "runs": evidence.runs,
                "note": evidence.note,
            }
            for claim, count, evidence in claims
            for interval in (_with_width(evidence.interval),)
        ],
        infer_schema_length=None,
    )


def replication(judged: Judged, claims: Sequence[Examined]) -> str:
    """Return the Markdown table of claims against results; ``claims`` come from `examined`."""
    source = MeasuredFigures(judged.decisive, COUNTS[0])
    cells = {
        (cell["variant"], cell["workload"]): source.chosen(cell["variant"], cell["workload"])
        for claim, _, _ in claims
        for key in ("cell", "over", "under")
        if isinstance(cell := claim.fields.get(key), Mapping)
    }
    if not any(cells.values()):
        named = ", ".join(" ".join(cell) for cell in cells)
        return f"No cell of the claims ({named}; closed loop, no service stopped) has usable runs."
    rows: dict[str, dict[str, str]] = {}
    for claim, count, evidence in claims:
        blank = {
            "claim": claim.says,
            "where": claim.source,
            **{f"per {count}": MISSING for count in COUNTS},
            "what is known": claim.known.strip() or MISSING,
        }
        rows.setdefault(claim.id, blank)[f"per {count}"] = words(claim, evidence)
    works = (
        "The thesis: Rajit Banerjee, *Performance Analysis of Design Patterns in Microservice "
        "Architecture*, University College Dublin, 2022. The article: Akhan Akbulut and Harry G. "
        "Perros, *Performance Analysis of Microservice Design Patterns*, 2019. *Replicated*: our "
        "interval lies within what the statement allows; *not replicated*: outside; *not decidable "
        "here*: on the border, or runs, cells or levels are missing. Per sample is how the thesis "
        "counts: every HTTP exchange, failed ones included; per operation is what a user waits."
    )
    used = "; ".join(sorted({words for words in cells.values() if words is not None}))
    return (
        f"{works}\n\nCells used: {used}. Fewer than {DECIDING_RUNS} usable runs of a cell decide "
        f"nothing; what they point to is in brackets. Runs in which a service was stopped "
        f"do not count. Absolute times depend on the machine.\n\n" + markdown_table(rows.values())
    )


def consistency() -> str:
    """Return in Markdown where the published figures contradict one another."""
    document = read_claims()
    source = PublishedFigures(document.published.cells)
    rows, missing = [], 0
    for claim in document.claims:
        if claim.id.startswith("samples-") or claim.kind in ("none", "efficiency"):
            continue
        evidence = examine(claim, source)
        if evidence.estimate is None:
            missing += 1
            continue
        agrees = leaning(claim, replace(evidence, interval=None)) == "replicated"
        rows.append(
            {
                "statement": claim.says,
                "where": claim.source,
                "from the published data": _figure(evidence.estimate, evidence.unit),
                "": "agrees" if agrees else "**disagrees**",
                "what is known": claim.known.strip() if not agrees else "",
            }
        )
    disagreeing = sum(row[""] != "agrees" for row in rows)
    return (
        f"The data: {document.published.source}; for the article, its own figures. "
        f"**{disagreeing} of {len(rows)} statements disagree** with them; {missing} more need the "
        f"spread of single samples, which was not published for the cells they are about.\n\n"
        + markdown_table(rows)
    )


def words(claim: Claim, evidence: Evidence) -> str:
    """Return verdict, figure and interval."""
    outcome = verdict(claim, evidence)
    words = outcome if outcome == "not decidable here" else f"**{outcome}**"
    parts = list(_parts(evidence))
    if evidence.runs is not None and outcome == "not decidable here":
        runs = "1 run" if evidence.runs == 1 else f"{evidence.runs} runs"
        points = leaning(claim, evidence)
        hint = "" if points == outcome else f"; points to {points}"
        parts.append(f"({runs}{hint})")
    return f"{words}: {'; '.join(parts)}" if parts else words


def figure_words(evidence: Evidence) -> str:
    """Return the figure of evidence and its interval; empty if there is none."""
    if evidence.estimate is None:
        return ""
    text = _figure(evidence.estimate, evidence.unit)
    if (interval := _with_width(evidence.interval)) is not None:
        low, high = (_figure(value, evidence.unit) for value in (interval.low, interval.high))
        text += f" [{low},\N{NO-BREAK SPACE}{high}]"
    return text


def _parts(evidence: Evidence) -> Iterator[str]:
    if figure := figure_words(evidence):
        yield figure
    if evidence.note:
        yield evidence.note


def _with_width(interval: Interval | None) -> Interval | None:
    """Return an interval, or None for that of a single run, which is the estimate itself."""
    return interval if interval is not None and interval.low < interval.high else None


def _figure(value: float, unit: str) -> str:
    if math.isinf(value):
        return "∞"
    if unit == "%":
        return f"{100 * value:.2f} %"
    if unit == "r":
        return f"{value:.3f}"
    if unit == "ms":
        return f"{value:.1f} ms"
    return f"{value:.1f} {unit}" if unit in ("points", "% E_i") else f"{ratio_text(value)} ×"

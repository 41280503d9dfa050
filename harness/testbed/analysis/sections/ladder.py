"""A ladder: what each rung does, and what each step is worth."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from testbed.analysis.decisions import Decision, decide
from testbed.analysis.ladders import Climb, climbed
from testbed.analysis.summary import memory_column, tabulate
from testbed.analysis.tables import (
    MISSING,
    SEEN,
    decision_words,
    effect,
    markdown_table,
    number,
    ratio_words,
)
from testbed.analysis.verdicts import Judged
from testbed.model.loads import load_words

NOTE = (
    "Each rung has one more factor at its best. *Worth* is the rung divided by the one below it, "
    "with the interval by which it is decided: above 1 is better for goodput, below 1 for CPU. *At "
    "the top* is the whole system divided by itself without this factor alone. *Could see* is the "
    "smallest difference in goodput that would have been seen. Goodput, p95, CPU of an operation "
    "and memory (PSS where it was read, else RSS) are means over all starts of a rung; only "
    "systems that were up together are divided."
)

WORTH = ("worth: goodput", "worth: CPU", "at the top: goodput", "at the top: CPU")
TEXT = ("rung", *WORTH)


def ladder(judged: Judged) -> str:
    """Return a table of the rungs for each cell; empty if the experiment is no ladder."""
    decisions = decide(judged)
    if (found := climbed(judged.results, decisions)) is None:
        return ""
    summary = tabulate(judged.used)
    parts = [NOTE]
    for part in summary.partition_by("workload", "mode", "level", maintain_order=True):
        title = f"**{part['workload'][0]}, {load_words(part['mode'][0], part['level'][0])}.**"
        parts.append(f"{title}\n\n{markdown_table(_rows(found, part), TEXT)}")
    if differ := _places(found):
        parts.append(
            "Worth a different amount at the top than on the way up (the intervals do not "
            f"overlap): {differ}."
        )
    return "\n\n".join(parts)


def sentences(judged: Judged, decisions: Sequence[Decision]) -> list[str]:
    """Return one sentence for each factor of a ladder and each cell: what it is worth.

    Before them is one on the factor that gives most.
    """
    if (found := climbed(judged.results, decisions)) is None:
        return []
    told = [_most(found)]
    for step in found.steps:
        at_top = {_cell(one): one for one in step.removed if one not in step.added}
        for one in step.added:
            if one.figure != "ok_per_s":
                continue
            top = at_top.get(_cell(one))
            told.append(
                f"{one.workload}, {one.load}: goodput with {step.factor}: {_worth(one)}"
                + (f"; at the top: {_worth(top)}" if top else "")
            )
    return told


def _most(found: Climb) -> str:
    """Return which step of a ladder raises goodput most."""
    better = [
        (decision.ratio or 1.0, step.factor, decision)
        for step in found.steps
        for decision in step.added
        if decision.figure == "ok_per_s" and decision.decision == "better"
    ]
    if not better:
        return f"No step of the ladder is shown to raise goodput; it has {len(found.steps)}."
    _, factor, decision = max(better, key=lambda step: step[0])
    return (
        f"Of {len(found.steps)} steps, {factor} raises goodput most: {_worth(decision)}, "
        f"{decision.workload}, {decision.load}."
    )


def _rows(found: Climb, part: pl.DataFrame) -> list[dict[str, str]]:
    measured = {row["system"]: row for row in part.iter_rows(named=True)}
    memory = memory_column(part)
    workload, level = part["workload"][0], part["level"][0]

    def of_cell(ones: Sequence[Decision], figure: str) -> Decision | None:
        cell = (workload, level, figure)
        return next((one for one in ones if _cell(one) == cell), None)

    def row(rung: str, added: Sequence[Decision], removed: Sequence[Decision]) -> dict[str, str]:
        one = measured.get(rung, {})
        worth = [
            of_cell(ones, figure)
            for ones in (added, removed)
            for figure in ("ok_per_s", "cpu_ms_per_ok")
        ]
        return {
            "rung": rung,
            "goodput, 1/s": number(one.get("ok_per_s")),
            "p95, ms": number(one.get("p95_ms")),
            "CPU, ms": number(one.get("server_cpu_ms_per_ok"), 2),
            "MB": number(one.get(memory)),
            **dict(zip(WORTH, map(_worth, worth), strict=True)),
            SEEN: effect(worth[0].could_tell if worth[0] else None),
        }

    return [
        row(found.first, (), ()),
        *(row(one.rung, one.added, one.removed) for one in found.steps),
    ]


def _worth(one: Decision | None) -> str:
    return MISSING if one is None else f"{ratio_words(one)}, {decision_words(one)}"


def _places(found: Climb) -> str:
    """Return the factors whose worth depends on their place."""
    return "; ".join(
        f"{step.factor} ({one.workload}, {one.load}: {ratio_words(one)} and {ratio_words(other)})"
        for step in found.steps
        for one in step.added
        for other in step.removed
        if _cell(one) == _cell(other) and one.figure == "ok_per_s" and _apart(one, other)
    )


def _apart(one: Decision, other: Decision) -> bool:
    """Return whether two intervals have nothing in common; False if one is not known."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.high < other.low or other.high < one.low


def _cell(one: Decision) -> tuple[str, float, str]:
    return one.workload, one.level, one.figure

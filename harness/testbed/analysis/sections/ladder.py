"""A ladder: what each rung does, and what each step is worth."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from testbed.analysis.decisions import Decision, decide
from testbed.analysis.ladders import Climb, climbed
from testbed.analysis.quantities import CPU, GOODPUT, P95
from testbed.analysis.summary import memory_column, tabulate
from testbed.analysis.tables import (
    MISSING,
    SEEN,
    columns,
    decision_words,
    effect,
    markdown_table,
    number,
    ratio_words,
)
from testbed.analysis.verdicts import Judged
from testbed.model.loads import Mode, load_words

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
    if (climb := climbed(judged.results, decisions)) is None:
        return ""
    summary = tabulate(judged.used)
    parts = [NOTE]
    for part in summary.partition_by("workload", "mode", "level", maintain_order=True):
        title = f"**{part['workload'][0]}, {load_words(part['mode'][0], part['level'][0])}.**"
        parts.append(f"{title}\n\n{markdown_table(_rows(climb, part), TEXT)}")
    if differ := _places(climb):
        parts.append(
            "Worth a different amount at the top than on the way up (the intervals do not "
            f"overlap): {differ}."
        )
    return "\n\n".join(parts)


def sentences(judged: Judged, decisions: Sequence[Decision]) -> list[str]:
    """Return one sentence for each factor of a ladder and each cell: what it is worth.

    Before them is one on the factor that gives most.
    """
    if (climb := climbed(judged.results, decisions)) is None:
        return []
    lines = [_most(climb)]
    for step in climb.steps:
        at_top = {
            _cell(decision): decision for decision in step.removed if decision not in step.added
        }
        for decision in step.added:
            if decision.figure != "ok_per_s":
                continue
            top = at_top.get(_cell(decision))
            lines.append(
                f"{decision.workload}, {decision.load}: goodput with {step.factor}: "
                f"{_worth(decision)}" + (f"; at the top: {_worth(top)}" if top else "")
            )
    return lines


def _most(climb: Climb) -> str:
    """Return which step of a ladder raises goodput most."""
    better = [
        (decision.ratio or 1.0, step.factor, decision)
        for step in climb.steps
        for decision in step.added
        if decision.figure == "ok_per_s" and decision.decision == "better"
    ]
    if not better:
        return f"No step of the ladder is shown to raise goodput; it has {len(climb.steps)}."
    _, factor, decision = max(better, key=lambda step: step[0])
    return (
        f"Of {len(climb.steps)} steps, {factor} raises goodput most: {_worth(decision)}, "
        f"{decision.workload}, {decision.load}."
    )


def _rows(climb: Climb, part: pl.DataFrame) -> list[dict[str, str]]:
    measured = {row["system"]: row for row in part.iter_rows(named=True)}
    memory = memory_column(part)
    workload, mode, level = (part[key][0] for key in ("workload", "mode", "level"))

    def of_cell(decisions: Sequence[Decision], figure: str) -> Decision | None:
        cell = (workload, mode, level, figure)
        return next((decision for decision in decisions if _cell(decision) == cell), None)

    def row(rung: str, added: Sequence[Decision], removed: Sequence[Decision]) -> dict[str, str]:
        measured_row = measured.get(rung, {})
        worth = [
            of_cell(decisions, figure)
            for decisions in (added, removed)
            for figure in (GOODPUT.name, CPU.name)
        ]
        return {
            "rung": rung,
            **columns(measured_row, GOODPUT, P95, CPU),
            "MB": number(measured_row.get(memory)),
            **dict(zip(WORTH, map(_worth, worth), strict=True)),
            SEEN: effect(worth[0].could_tell if worth[0] else None),
        }

    return [
        row(climb.first, (), ()),
        *(row(step.rung, step.added, step.removed) for step in climb.steps),
    ]


def _worth(decision: Decision | None) -> str:
    return MISSING if decision is None else f"{ratio_words(decision)}, {decision_words(decision)}"


def _places(climb: Climb) -> str:
    """Return the factors whose worth depends on their place."""
    return "; ".join(
        f"{step.factor} ({decision.workload}, {decision.load}: {ratio_words(decision)} and "
        f"{ratio_words(other)})"
        for step in climb.steps
        for decision in step.added
        for other in step.removed
        if _cell(decision) == _cell(other)
        and decision.figure == "ok_per_s"
        and _apart(decision, other)
    )


def _apart(decision: Decision, other: Decision) -> bool:
    """Return whether two intervals have nothing in common; False if one is not known."""
    if decision.low is None or decision.high is None or other.low is None or other.high is None:
        return False
    return decision.high < other.low or other.high < decision.low


def _cell(decision: Decision) -> tuple[str, Mode, float, str]:
    return decision.workload, decision.mode, decision.level, decision.figure

"""How precisely the ratio of systems is known, which decides when an experiment ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from testbed.analysis.decisions import Question, comparisons, presets_apart
from testbed.analysis.quantities import FIGURES
from testbed.analysis.results import Mode
from testbed.analysis.samples import load
from testbed.analysis.verdicts import judge_all
from testbed.errors import UserError, unknown


def widths(results: Path, figure: str) -> dict[tuple[str, Mode, float], float | None]:
    """Return how precisely the ratio of the systems is known, per workload, mode and level.

    Parameters
    ----------
    results
        A results directory, finished or not.
    figure
        One of `FIGURES`.

    Returns
    -------
    dict
        Half the width of the ratio's interval, relative to the ratio; the widest where there are
        several pairs of systems. None where a pair has no interval yet, as with fewer than two
        usable runs of a side: each system that was recorded, valid or not, makes a pair with
        another of its question.

    Raises
    ------
    UserError
        If there is no such figure.
    """
    if figure not in FIGURES:
        raise unknown("figure", figure, FIGURES)
    try:
        judged = judge_all(load(results))
    except UserError:
        return {}
    known: dict[tuple[Question, float], list[float | None]] = {}
    by_preset = presets_apart(judged.results)
    for one in comparisons(judged):
        interval = one.ratios[figure].interval
        width = (
            (interval.high - interval.low) / 2 / interval.estimate
            if interval is not None and interval.estimate > 0
            else None
        )
        question = one.question if by_preset else replace(one.question, preset=None)
        known.setdefault((question, one.level), []).append(width)
    systems: dict[Question, set[str]] = {}
    levels: dict[Question, set[float]] = {}
    for run in judged.results.runs:
        question = Question.of(run.cell, by_preset=by_preset)
        systems.setdefault(question, set()).add(run.cell.system)
        levels.setdefault(question, set()).add(run.cell.level)
    found: dict[tuple[str, Mode, float], list[float | None]] = {}
    for question, names in systems.items():
        for level in levels[question]:
            seen = known.get((question, level), [])
            missing = max(len(names) - 1, 1) - len(seen)
            widths_ = found.setdefault((question.workload, question.mode, level), [])
            widths_ += [*seen, *[None] * missing]
    return {key: _widest(widths_) for key, widths_ in sorted(found.items())}


def _widest(widths: list[float | None]) -> float | None:
    """Return the widest, None where one is not known."""
    values = [width for width in widths if width is not None]
    return max(values) if len(values) == len(widths) else None

"""Identical systems under two names: whatever differs between them is chance."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from testbed.analysis.decisions import DECIDING_RUNS, Comparison, Question, compare_runs, questions
from testbed.analysis.quantities import FIGURES
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.verdicts import Judged


def twins(judged: Judged) -> list[tuple[Question, str, str]]:
    """Return the pairs of systems that are identical but for their names."""
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for run in judged.results.runs:
        cell = run.cell
        what = (cell.variant, cell.preset, run.fetch, tuple(sorted(map(str, run.settings.items()))))
        kinds.setdefault(cell.system, set()).add(what)
    return [
        (question, first, second)
        for question, systems in questions(judged)
        for first, second in combinations(systems, 2)
        if kinds[first] == kinds[second]
    ]


def twin_ratios(
    judged: Judged, figures: Iterable[str] = FIGURES
) -> dict[str, list[tuple[Comparison, Interval]]]:
    """Compare identical twins as any two systems would be compared.

    Returns
    -------
    dict
        By figure, each comparison that has an interval. Where a cell has `DECIDING_RUNS` runs of
        each side several times over, every such group of consecutive runs is compared by itself:
        that is what an experiment with so few runs would have seen.
    """
    pairs = {(question, first, second) for question, first, second in twins(judged)}
    found: dict[str, list[tuple[Comparison, Interval]]] = {figure: [] for figure in figures}
    for question, systems in questions(judged):
        for first, second in combinations(systems, 2):
            if (question, first, second) not in pairs:
                continue
            for level in sorted(systems[first].keys() & systems[second].keys()):
                ones, others = systems[first][level], systems[second][level]
                for group in _groups(len(ones), len(others)):
                    one = compare_runs(
                        question, level, (first, ones[group]), (second, others[group])
                    )
                    for figure, known in found.items():
                        interval = one.ratios[figure].interval
                        if interval is not None:
                            known.append((one, interval))
    return found


def _groups(ones: int, others: int) -> list[slice]:
    fewest = min(ones, others)
    if fewest < 2 * DECIDING_RUNS:
        return [slice(None)]
    return [
        slice(start, start + DECIDING_RUNS)
        for start in range(0, fewest - DECIDING_RUNS + 1, DECIDING_RUNS)
    ]

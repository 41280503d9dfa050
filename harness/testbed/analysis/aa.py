"""Controls: decisions between identical systems, and between systems with a known difference."""

from __future__ import annotations

import re
from collections.abc import Sequence

from testbed.analysis.decisions import Decision, decide, references
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import CPU
from testbed.analysis.results import Results
from testbed.analysis.verdicts import Judged
from testbed.model.systems import declarations

DECIDING_PAIRS = 2
"""Pairs of starts of `compare`; more are split into several such experiments."""

_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "": 1.0, "s": 1e3}
_DURATION = re.compile(rf"([\d.]+)\s*({'|'.join(_MS)})")


def identical(results: Results) -> set[tuple[str, str]]:
    """Return the compared systems that differ only in their names, reference first."""
    kinds = _kinds(results)
    return {(first, other) for first, other in references(results) if kinds[first] == kinds[other]}


def null_families(judged: Judged) -> list[list[Decision]]:
    """Return what is decided of identical systems, of each `DECIDING_PAIRS` pairs of starts.

    A family is of one couple, one such group of pairs and one figure.
    """
    families: list[list[Decision]] = []
    for couple in sorted(identical(judged.results)):
        pairs = sorted({run.repetition for run in judged.results.runs if run.cell.system in couple})
        full = range(0, len(pairs) - DECIDING_PAIRS + 1, DECIDING_PAIRS)
        groups = [pairs[start : start + DECIDING_PAIRS] for start in full]
        for group in groups:
            decisions = [
                decision
                for decision in decide(judged, pairs=group)
                if (decision.reference, decision.system) == couple
                if decision.pairs == DECIDING_PAIRS and decision.low is not None
            ]
            families += grouped(decisions, lambda decision: decision.figure).values()
    return families


def known_differences(
    results: Results, decisions: Sequence[Decision]
) -> list[tuple[float, Decision]]:
    """Return the decisions by CPU time between systems that differ only in their handicap.

    Each comes with the true ratio: 1 + calls · handicap ÷ the reference's CPU time per operation.
    """
    handicaps = {
        name: declaration.handicap
        for name, declaration in declarations().items()
        if declaration.handicap
    }
    kinds = _kinds(results, *(handicap.setting for handicap in handicaps.values()))
    own = {run.cell.system: handicaps.get(run.cell.variant) for run in results.runs}
    more_ms = {
        run.cell.system: _milliseconds(str(run.settings.get(declared.setting, "0")))
        for run in results.runs
        if (declared := own[run.cell.system])
    }
    return [
        (1 + handicap.calls[decision.workload] * more / decision.reference_value, decision)
        for decision in decisions
        if decision.figure == CPU.name and decision.reference_value
        if (handicap := own[decision.system]) and decision.workload in handicap.calls
        if (more := more_ms[decision.system] - more_ms.get(decision.reference, 0.0))
        and kinds[decision.system] == kinds[decision.reference]
    ]


def _kinds(results: Results, *ignored: str) -> dict[str, set[tuple[object, ...]]]:
    """Return each system's configuration, without its name and the ``ignored`` settings."""
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for run in results.runs:
        settings = {name: value for name, value in run.settings.items() if name not in ignored}
        cell = run.cell
        what = (cell.variant, cell.preset, run.fetch, tuple(sorted(map(str, settings.items()))))
        kinds.setdefault(cell.system, set()).add(what)
    return kinds


def _milliseconds(duration: str) -> float:
    """Return a duration in Spring's notation in ms; 0 if it is malformed."""
    match = _DURATION.fullmatch(duration.strip())
    return float(match[1]) * _MS[match[2]] if match else 0.0

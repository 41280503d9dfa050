"""Controls: decisions between identical systems, and between systems with a known difference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Handicapped:
    """A decision on a system that differs from its reference in one handicap."""

    part: str
    """Of the system: what burns the CPU time."""
    added_ms: float
    """The CPU time that the handicap adds to an operation, ms; negative if the reference has it."""
    decision: Decision


def handicapped(results: Results, decisions: Sequence[Decision]) -> list[Handicapped]:
    """Return the decisions on systems that differ from their reference in one handicap alone."""
    declared = {name: declaration.handicaps for name, declaration in declarations().items()}
    settings = {handicap.setting for every in declared.values() for handicap in every}
    kinds = _kinds(results, *settings)
    parts = {run.cell.system: declared.get(run.cell.variant, ()) for run in results.runs}
    burnt_ms = {
        (run.cell.system, setting): _milliseconds(str(run.settings.get(setting, "0")))
        for run in results.runs
        for setting in settings
    }
    settings_of = {run.cell.system: run.settings for run in results.runs}
    cases: list[Handicapped] = []
    for decision in decisions:
        if kinds[decision.system] != kinds[decision.reference]:
            continue
        different = [
            (handicap, more)
            for handicap in parts[decision.system]
            if (
                more := burnt_ms[decision.system, handicap.setting]
                - burnt_ms[decision.reference, handicap.setting]
            )
            and not handicap.unless.items() & settings_of[decision.system].items()
        ]
        if len(different) != 1:
            continue
        ((handicap, more),) = different
        if calls := handicap.calls.get(decision.workload):
            cases.append(Handicapped(handicap.part, calls * more, decision))
    return cases


def known_differences(
    results: Results, decisions: Sequence[Decision]
) -> list[tuple[float, Decision]]:
    """Return the decisions by CPU time between systems that differ only in one handicap.

    Each comes with the true ratio: 1 + CPU time added ÷ the reference's CPU time per operation.
    """
    return [
        (1 + case.added_ms / reference_ms, case.decision)
        for case in handicapped(results, decisions)
        if case.decision.figure == CPU.name
        if (reference_ms := case.decision.reference_value)
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

"""Controls: what is decided where nothing differs, and where a known difference is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from testbed.analysis.decisions import Decision, decide, references
from testbed.analysis.results import Results
from testbed.analysis.verdicts import Judged

DECIDING_PAIRS = 2
"""Pairs of starts of `compare`: more are taken as several such experiments."""

HANDICAP = "CINEMA_HANDICAP"
"""The setting that burns CPU time in each call of a cinema."""

CALLS = {"list": 3, "reserve": 1}
"""Cinemas that an operation asks, by workload."""

_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "": 1.0, "s": 1e3}
_DURATION = re.compile(rf"([\d.]+)\s*({'|'.join(_MS)})")


def identical(results: Results) -> set[tuple[str, str]]:
    """Return the compared systems that differ in nothing but their names, reference first."""
    kinds = _kinds(results)
    return {(one, other) for one, other in references(results) if kinds[one] == kinds[other]}


def null_decisions(judged: Judged) -> list[Decision]:
    """Return what is decided of identical systems, of each `DECIDING_PAIRS` consecutive pairs."""
    pairs = sorted({run.repetition for run in judged.results.runs})
    full = range(0, len(pairs) - DECIDING_PAIRS + 1, DECIDING_PAIRS)
    groups = [pairs[start : start + DECIDING_PAIRS] for start in full] or [pairs]
    same = identical(judged.results)
    return [
        one
        for group in groups
        if same
        for one in decide(judged, pairs=group)
        if (one.reference, one.system) in same and one.low is not None
    ]


def known_differences(
    results: Results, decisions: Sequence[Decision]
) -> list[tuple[float, Decision]]:
    """Return what was decided by CPU time of systems that differ in `HANDICAP` only.

    Returns
    -------
    list of tuple
        The true ratio, 1 + calls · handicap ÷ the reference's CPU time per operation, and the
        decision.
    """
    kinds = _kinds(results, HANDICAP)
    handicap_ms = {
        run.cell.system: _milliseconds(str(run.settings.get(HANDICAP, "0"))) for run in results.runs
    }
    return [
        (1 + CALLS[one.workload] * more / one.reference_value, one)
        for one in decisions
        if one.figure == "cpu_ms_per_ok" and one.reference_value and one.workload in CALLS
        if (more := handicap_ms[one.system] - handicap_ms[one.reference])
        and kinds[one.system] == kinds[one.reference]
    ]


def _kinds(results: Results, *ignored: str) -> dict[str, set[tuple[object, ...]]]:
    """Return what each system is, but for its name and some settings."""
    kinds: dict[str, set[tuple[object, ...]]] = {}
    for run in results.runs:
        settings = {name: value for name, value in run.settings.items() if name not in ignored}
        cell = run.cell
        what = (cell.variant, cell.preset, run.fetch, tuple(sorted(map(str, settings.items()))))
        kinds.setdefault(cell.system, set()).add(what)
    return kinds


def _milliseconds(duration: str) -> float:
    """Return a duration as Spring reads it, in ms; 0 where it is none."""
    match = _DURATION.fullmatch(duration.strip())
    return float(match[1]) * _MS[match[2]] if match else 0.0

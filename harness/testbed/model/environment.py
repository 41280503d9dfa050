"""Tells whether results of different environments may be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

COMPARABLE = ("machine", "java", "jmeter", "jvm_flags", "artifacts", "tracing")
"""The parts that must be equal before two sets of runs are compared."""


def differences(
    recorded: Mapping[str, Any], present: Mapping[str, Any], parts: Iterable[str] = COMPARABLE
) -> list[str]:
    """Return the differences that make two environments incomparable, with both values."""
    differing: list[str] = []
    for part in parts:
        _compare(part, recorded.get(part), present.get(part), differing)
    usable = recorded.get("usable_cpus"), present.get("usable_cpus")
    if None not in usable:  # missing in old records
        _compare("usable_cpus", *usable, differing)
    return differing


def _compare(key: str, recorded: Any, present: Any, differing: list[str]) -> None:
    if isinstance(recorded, Mapping) and isinstance(present, Mapping):
        for part in sorted({*recorded, *present}):
            _compare(f"{key}.{part}", recorded.get(part), present.get(part), differing)
    elif recorded != present:
        differing.append(f"{key}: {recorded!r} and {present!r}")

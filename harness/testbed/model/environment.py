"""Tells whether results of different environments may be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

COMPARABLE = ("machine", "java", "jmeter", "jvm_flags", "artifacts", "tracing")
"""The parts that must be equal before two sets of runs are compared."""


def differences(
    one: Mapping[str, Any], other: Mapping[str, Any], parts: Iterable[str] = COMPARABLE
) -> list[str]:
    """Return the differences that make two environments incomparable, with both values."""
    found: list[str] = []
    for part in parts:
        _compare(part, one.get(part), other.get(part), found)
    usable = one.get("usable_cpus"), other.get("usable_cpus")
    if None not in usable:  # missing in old records
        _compare("usable_cpus", *usable, found)
    return found


def _compare(key: str, one: Any, other: Any, found: list[str]) -> None:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for part in sorted({*one, *other}):
            _compare(f"{key}.{part}", one.get(part), other.get(part), found)
    elif one != other:
        found.append(f"{key}: {one!r} and {other!r}")

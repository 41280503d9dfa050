"""Formats numbers for people."""

from __future__ import annotations


def duration(elapsed: float) -> str:
    """Format seconds: ``8.3 s``, ``2 min 05 s``."""
    if elapsed < 60:
        return f"{elapsed:.1f} s"
    minutes, rest = divmod(round(elapsed), 60)
    return f"{minutes} min {rest:02d} s"

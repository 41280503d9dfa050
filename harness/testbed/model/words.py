"""Formats numbers for people."""

from __future__ import annotations


def duration(elapsed: float) -> str:
    """Format seconds: ``8.3 s``, ``2 min 05 s``."""
    if elapsed < 60:
        return f"{elapsed:.1f} s"
    minutes, rest = divmod(round(elapsed), 60)
    return f"{minutes} min {rest:02d} s"


def about(seconds: float, bound: str = "") -> str:
    """Format an estimate: ``less than a minute``, ``about 4 minutes``, ``at least 2.5 hours``.

    `bound` is "at least ", "at most " or nothing.
    """
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute" if bound != "at least " else "at least a minute"
    if minutes < 120:
        return f"{bound or 'about '}{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{bound or 'about '}{seconds / 3600:.1f} hours"

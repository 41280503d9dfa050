"""Loads in words, and when an arrival is late."""

from __future__ import annotations

from typing import Literal

Mode = Literal["closed", "open"]

LATE_MS = 10
"""An operation of an open loop that begins more than this after its moment is late."""


def load_unit(mode: str) -> str:
    """Return what a level counts: ``threads`` or ``arrivals/s``."""
    return "threads" if mode == "closed" else "arrivals/s"


def load_words(mode: str, level: float) -> str:
    """Return a level in words: ``100 threads`` or ``200 arrivals/s``."""
    return f"{level:g} {load_unit(mode)}"

"""Describes loads in words, and defines when an arrival is late and a block disturbed."""

from __future__ import annotations

from typing import Literal

Mode = Literal["closed", "open"]

LATE_MS = 10
"""An operation of an open loop is late if it begins more than this after its intended start."""

DISTURBING_SHARE = 0.10
"""Share of the machine above which other programs disturb a block: runs that differ by 10 % are
what a comparison tells apart.
"""

NEAR_LIMIT_SHARE = 0.10
"""Share of its cores up to which a load generator is far from its highest rate, whatever that is;
above, the rate is measured.
"""


def load_unit(mode: str) -> str:
    """Return the unit of a level: ``threads`` or ``arrivals/s``."""
    return "threads" if mode == "closed" else "arrivals/s"


def load_words(mode: str, level: float) -> str:
    """Return a level in words: ``1 thread``, ``100 threads`` or ``200 arrivals/s``."""
    if mode == "closed" and level == 1:
        return "1 thread"
    return f"{level:g} {load_unit(mode)}"

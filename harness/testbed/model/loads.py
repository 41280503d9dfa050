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

GENERATOR_SHARE = 0.70
"""Share of its cores, and of its measured ceiling, that a load generator may use."""

FAR_CORES, FAR_SHARE = 2 / 3, 1 / 3
"""Cores, and share of the cores that it may use, up to which a load generator is far from its
highest rate, whatever that is: a lock that held it up would keep a core busy.
"""


def far_from_limit(cpu_s: float, seconds: float, cores: float) -> bool:
    """Return whether a generator that used so much CPU time, of so many cores, was far from its
    highest rate. Otherwise that rate has to be measured.
    """
    return cpu_s <= seconds * min(FAR_CORES, FAR_SHARE * cores)


def load_unit(mode: str) -> str:
    """Return the unit of a level: ``threads`` or ``arrivals/s``."""
    return "threads" if mode == "closed" else "arrivals/s"


def load_words(mode: str, level: float) -> str:
    """Return a level in words: ``1 thread``, ``100 threads`` or ``200 arrivals/s``."""
    if mode == "closed" and level == 1:
        return "1 thread"
    return f"{level:g} {load_unit(mode)}"

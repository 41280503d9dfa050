"""Divides a load among generators that put it on together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

BEGIN_S = 0.5
"""How long before a load begins its generators are told to: they read the plan meanwhile."""


def share(properties: Mapping[str, str], index: int, count: int, begin_ms: int) -> dict[str, str]:
    """Return the properties of a plan for generator `index`, from 0, of `count`.

    `properties` are those of the whole load, with ``threads``. All begin at `begin_ms`, in
    milliseconds since the epoch. Of an open loop, each generator also has every `count`-th arrival:
    its own file, of ``arrivals[index::count]``. So all together make the planned arrivals.
    """
    threads = int(properties["threads"])
    return {
        **properties,
        "threads": str(threads // count + (index < threads % count)),
        # Part of what users send, so that two generators do not send the same.
        "generator": f"-{index + 1}",
        "begin": str(begin_ms),
    }


def numbered(file: Path, index: int) -> Path:
    """Return the file of generator `index` beside that of the whole load: ``samples-1.csv``."""
    return file.with_stem(f"{file.stem}-{index + 1}")

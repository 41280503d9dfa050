"""Reads the CPU time and the memory of running processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

from testbed.deploy.programs import ProcessId

MB = 1_000_000


@dataclass(frozen=True)
class Usage:
    """What one process has used since its start.

    `cpu_s` is user and system CPU time, in seconds. `rss_mb` is the resident memory now, in MB
    (10^6 bytes). `pss_mb` is the same with a page that several processes share divided among them,
    so that the memory of several processes can be added up; None if it was not read.

    The others are known if it has a control group of its own. `throttled` counts the periods in
    which it had no CPU time left, and `throttled_s` is how long it then waited, in seconds, added
    up over processors. `peak_mb` is the most memory of the group, including files in memory, in MB.
    """

    cpu_s: float
    rss_mb: float
    throttled: int | None = None
    throttled_s: float | None = None
    peak_mb: float | None = None
    pss_mb: float | None = None


class Meter(Protocol):
    """Reads the usage of each part of a stack."""

    def read(self, *, pss: bool = False) -> dict[str, Usage]:
        """Return the usage by name; parts that ended are left out.

        With `pss`, the proportional memory of processes is read too, where this user may. It takes
        milliseconds for each process, so it is for the end of a load. Containers and pods have
        none: what counts there is the memory of their group without files.
        """
        ...


class ProcessMeter:
    def __init__(self, ids: Mapping[str, ProcessId]) -> None:
        # Found once, because checking the identity of a process costs as much as reading it.
        # `psutil` checks it by itself before it sends a signal.
        self._found = {name: process_id.find() for name, process_id in ids.items()}

    def read(self, *, pss: bool = False) -> dict[str, Usage]:
        usage = {}
        for name, process in self._found.items():
            if process is None:
                continue
            try:
                times, memory = process.cpu_times(), process.memory_info()
            except psutil.Error:
                continue
            # A zombie has no memory.
            if memory.rss:
                usage[name] = Usage(
                    times.user + times.system,
                    memory.rss / MB,
                    pss_mb=proportional_mb(process.pid) if pss else None,
                )
        return usage


def proportional_mb(pid: int, root: Path = Path("/proc")) -> float | None:
    """Return the proportional set size of a process, in MB (10^6 bytes); None if not readable.

    `root` is Linux's ``/proc``.
    """
    try:
        lines = (root / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kib = next((line.split()[1] for line in lines if line.startswith("Pss:")), None)
    return None if kib is None else int(kib) * 1024 / MB


def risen(before: Mapping[str, Usage], after: Mapping[str, Usage], figure: str) -> dict[str, float]:
    """Return by how much a figure of each part rose between two readings.

    `figure` is the name of a field of `Usage`. Parts without it are left out.
    """
    pairs = {
        name: (getattr(usage, figure), getattr(after[name], figure))
        for name, usage in before.items()
        if name in after
    }
    return {
        name: round(last - first, 3)
        for name, (first, last) in pairs.items()
        if first is not None and last is not None
    }

"""Reads the CPU time and the memory of running processes, with those that they have started."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import psutil

from testbed.deploy.programs import ProcessId

MB = 1_000_000


@dataclass(frozen=True)
class Usage:
    """What one process and its descendants have used since its start.

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
        milliseconds for each process, so it is for the end of a load. Containers have
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
                cpu_s, memory = _cpu_s(process), process.memory_info()
            except psutil.Error:
                continue
            # A zombie has no memory.
            if memory.rss:
                own = Usage(
                    cpu_s,
                    memory.rss / MB,
                    pss_mb=proportional_mb(process.pid) if pss else None,
                )
                usage[name] = _with_descendants(own, descendants(process.pid), pss=pss)
        return usage


def _cpu_s(process: psutil.Process) -> float:
    """Return the CPU time of a process and of its children that have ended."""
    return sum(process.cpu_times()[:4])


def _with_descendants(own: Usage, pids: Iterable[int], *, pss: bool) -> Usage:
    """Add what descendants use. Memory that they share, such as a database's, counts once."""
    cpu_s, private, shared, proportional = own.cpu_s, 0, 0, own.pss_mb
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            cpu_s += _cpu_s(process)
            memory = process.memory_info()
            private += memory.rss - memory.shared
            shared = max(shared, memory.shared)
            if pss and proportional is not None:
                proportional += proportional_mb(pid) or 0
    return replace(
        own, cpu_s=cpu_s, rss_mb=own.rss_mb + (private + shared) / MB, pss_mb=proportional
    )


def descendants(pid: int, root: Path = Path("/proc")) -> list[int]:
    """Return the pids of the descendants of a process, as far as ``/proc`` lists them."""
    pids: list[int] = []
    for file in (root / str(pid) / "task").glob("*/children"):
        with contextlib.suppress(OSError):
            pids += map(int, file.read_text(encoding="ascii").split())
    return [*pids, *(further for child in pids for further in descendants(child, root))]


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

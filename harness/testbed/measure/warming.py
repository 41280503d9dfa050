"""When a system is warm: its goodput rises no more, and its compilers are quiet."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from testbed.deploy.machine import usable_cpus
from testbed.experiment.parts import WINDOWS, Warmup

RISE = 0.05
"""By how much, relatively, the goodput of the latest window may exceed the best before it."""

COMPILING = 0.10
"""Share of the machine's processor time up to which the compilers of a system are quiet."""

QUIET_S = 0.5
"""For how long compilers are looked at to see whether they are quiet."""

QUIET_LIMIT_S = 15.0

LOOKED_AT = 2
"""Latest windows of each workload in which the compilers are to be quiet on average."""

COMPILERS = ("C1 CompilerThre", "C2 CompilerThre")
"""The threads of HotSpot's compilers, as Linux cuts their names."""

COLUMNS = ("system", "workload", "age_s", "seconds", "ok_per_s", "failed", "compiling")


@dataclass(frozen=True)
class Window:
    """A few seconds of one workload on one system.

    Parameters
    ----------
    system, workload
        What was loaded.
    age_s
        Seconds from the start of the system to that of the window.
    seconds
        Of load.
    ok_per_s
        Successful operations per second.
    failed
        Failed operations.
    compiling
        Share of the machine's processor time that the system's compilers took; None where that
        cannot be read.
    """

    system: str
    workload: str
    age_s: float
    seconds: float
    ok_per_s: float
    failed: int
    compiling: float | None


def is_warm(windows: Iterable[Window], workloads: Sequence[str]) -> bool:
    """Return whether a system is warm, from all its windows in order of time.

    A rise is looked for, not any difference: goodput that falls is not that of a warm-up. On a
    machine whose speed varies by more than the rise that is looked for, quiet compilers tell.
    """
    known = list(windows)
    for workload in workloads:
        own = [one for one in known if one.workload == workload]
        if len(own) < WINDOWS:
            return False
        *before, latest = own
        if latest.ok_per_s > (1 + RISE) * max(one.ok_per_s for one in before):
            return False
        shares = [one.compiling for one in own[-LOOKED_AT:] if one.compiling is not None]
        if shares and mean(shares) > COMPILING:
            return False
    return True


def has_time(rounds_s: Sequence[float], rule: Warmup) -> bool:
    """Return whether one more round, as long as the last, fits into the longest time."""
    return sum(rounds_s) + rounds_s[-1] <= rule.at_most


def await_quiet(pids: Collection[int]) -> None:
    """Wait until the compilers of JVMs have done what they know of, or `QUIET_LIMIT_S` are over.

    Under load they share the processors with what they are to replace, and fall behind.
    """
    deadline, before = time.monotonic() + QUIET_LIMIT_S, compilers_s(pids)
    while before is not None and time.monotonic() < deadline:
        time.sleep(QUIET_S)
        after = compilers_s(pids)
        if after is None or after - before <= COMPILING * QUIET_S * usable_cpus():
            return
        before = after


def compilers_s(pids: Iterable[int], root: Path = Path("/proc")) -> float | None:
    """Return the CPU seconds that the compilers of JVMs have used; None where nobody tells.

    The JVM's own figure (``jvm_compilation_time_ms_total``) is no CPU time: it counts the wait for
    a processor, which on busy cores is most of it.

    Parameters
    ----------
    pids
        The processes; those that are no JVM are passed over.
    root
        Where Linux shows processes.
    """
    ticks, found = 0, False
    for pid in pids:
        for thread in (root / str(pid) / "task").glob("*"):
            try:
                if (thread / "comm").read_text().strip() not in COMPILERS:
                    continue
                # The name, in parentheses, may hold anything; user and system time are 14 and 15.
                fields = (thread / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            ticks, found = ticks + int(fields[11]) + int(fields[12]), True
    return ticks / os.sysconf("SC_CLK_TCK") if found else None


def write(file: Path, windows: Iterable[Window]) -> None:
    """Write windows as CSV, with the columns of `COLUMNS`."""
    with file.open("w", newline="", encoding="utf-8") as output:
        rows = csv.writer(output, lineterminator="\n")
        rows.writerow(COLUMNS)
        for one in windows:
            compiling = "" if one.compiling is None else f"{one.compiling:.4f}"
            rows.writerow(
                (
                    *(one.system, one.workload, f"{one.age_s:.1f}", f"{one.seconds:g}"),
                    *(f"{one.ok_per_s:.1f}", one.failed, compiling),
                )
            )

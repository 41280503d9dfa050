"""Tells when a system is warm: its goodput stops rising and its compilers are quiet."""

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
"""Largest relative rise of the latest window's goodput over the best before it."""

COMPILING = 0.10
"""Share of the machine's processor time up to which a system's compilers are quiet."""

QUIET_S = 0.5
"""Seconds over which the compilers' CPU use is compared."""

QUIET_LIMIT_S = 15.0

LOOKED_AT = 2
"""Latest windows of each workload over which the compilers' share is averaged."""

COMPILERS = ("C1 CompilerThre", "C2 CompilerThre")
"""HotSpot's compiler threads; Linux truncates their names."""

COLUMNS = ("system", "workload", "age_s", "seconds", "ok_per_s", "failed", "compiling")


@dataclass(frozen=True)
class Window:
    """A few seconds of one workload on one system.

    `age_s` is the system's age when the window begins. `seconds` is the length of the load.
    `ok_per_s` is the rate of successful operations. `compiling` is the share of the machine's
    processor time that the system's compilers used; None where it cannot be read.
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

    Only a rise counts: a warm-up does not make goodput fall. Where the machine's speed varies by
    more than `RISE`, the compilers decide.
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
    """Return whether one more round, as long as the last, fits into the rule's time limit."""
    return sum(rounds_s) + rounds_s[-1] <= rule.at_most


def await_quiet(pids: Collection[int]) -> None:
    """Wait until the compilers of JVMs are quiet, at most `QUIET_LIMIT_S` seconds.

    Under load, compilers share the processors with the code that they replace, and fall behind.
    """
    deadline, before = time.monotonic() + QUIET_LIMIT_S, compilers_s(pids)
    while before is not None and time.monotonic() < deadline:
        time.sleep(QUIET_S)
        after = compilers_s(pids)
        if after is None or after - before <= COMPILING * QUIET_S * usable_cpus():
            return
        before = after


def compilers_s(pids: Iterable[int], root: Path = Path("/proc")) -> float | None:
    """Return the CPU seconds that the compilers of JVMs have used; None if unknown.

    ``jvm_compilation_time_ms_total`` is not CPU time: it includes the wait for a processor, which
    dominates on busy cores. Processes other than JVMs are skipped. `root` is Linux's ``/proc``.
    """
    ticks, found = 0, False
    for pid in pids:
        for thread in (root / str(pid) / "task").glob("*"):
            try:
                if (thread / "comm").read_text().strip() not in COMPILERS:
                    continue
                # The name in parentheses may hold anything. Fields 14, 15: user and system time.
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

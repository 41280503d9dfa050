"""Tells when a system is warm: it has done enough work, and its cost has settled.

Time says little of a warm-up: a compiler translates a method after a number of calls, so a slow
machine needs longer. All limits are therefore in operations, or relative to the system itself.
"""

from __future__ import annotations

import csv
import itertools
import os
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from testbed.deploy.machine import usable_cpus
from testbed.experiment.parts import STRETCHES, Warmup
from testbed.model.loads import DISTURBING_SHARE

CHANGE = 0.10
"""Largest relative change, for the better, of goodput and of CPU time per operation: from the best
two successive stretches to the latest two. A machine in a cloud was seen to be faster or slower by
a tenth for some seconds, without a sign of it, so one stretch says little.
"""

COMPILING = 0.10
"""Share of the machine up to which a system's compilers are quiet."""

COUNTED_S = 1.0
"""Least CPU seconds of stretches for a comparison: each process is read in ticks of 10 ms."""

STRETCH = 0.1
"""The least work of a stretch, as a share of what the rule demands."""

MOST = 8
"""Times the demanded work after which a system that has not settled is measured anyway."""

MOST_DISTURBED = 2
"""The same for work in windows that other programs disturbed."""

FAILING = 2
"""Windows without a success after which a user's own system is asked for something wrong."""

QUIET_S = 0.5
"""Seconds over which the compilers' CPU use is compared."""

QUIET_LIMIT_S = 15.0

COMPILERS = ("C1 CompilerThre", "C2 CompilerThre")
"""HotSpot's compiler threads; Linux truncates their names."""

COLUMNS = (
    *("system", "workload", "age_s", "seconds", "ok_per_s", "failed", "compiling"),
    *("cpu_s", "others", "requests"),
)


@dataclass(frozen=True)
class Window:
    """A few seconds of one workload on one system; unknown figures are None."""

    system: str
    workload: str
    age_s: float
    """The system's age when the window begins."""
    seconds: float
    """The length of the load."""
    ok_per_s: float
    """Successful operations per second."""
    failed: int
    compiling: float | None = None
    """Share of the machine that the system's compilers used."""
    cpu_s: float | None = None
    """CPU time of the system, without its compilers."""
    others: float | None = None
    """Share of the machine that other programs used."""
    requests: int | None = None
    """Requests of sessions, which differ in length; None if an operation is no session."""

    @property
    def operations(self) -> float:
        """Successful operations."""
        return self.ok_per_s * self.seconds

    @property
    def work(self) -> float:
        """What compilers see of it: successful operations, or the requests of sessions."""
        return self.operations if self.requests is None else self.requests

    @property
    def disturbed(self) -> bool:
        return self.others is not None and self.others > DISTURBING_SHARE


def lacks(windows: Iterable[Window], workloads: Sequence[str], demanded: int) -> dict[str, str]:
    """Return what each workload lacks until a system is warm, in words; empty if it is warm.

    `windows` are all those of the system, in order of time. `demanded` is the least work of each
    workload. What others disturbed counts as work, but shows nothing.
    """
    everything = list(windows)
    reasons = {}
    for workload in workloads:
        own = [window for window in everything if window.workload == workload]
        if (reason := _lack(own, demanded)) is not None:
            reasons[workload] = reason
    return reasons


def cold(windows: Sequence[Window], workloads: Sequence[str], demanded: int) -> list[str]:
    """Return the workloads that need more windows, in order; none if more would not help.

    Compilers that work for one workload show in the windows of another. So a workload that has had
    enough goes on as long as another has not.
    """
    left = list(lacks(windows, workloads, demanded))
    return [] if all(given_up(windows, workload, demanded) for workload in left) else left


def given_up(windows: Iterable[Window], workload: str, demanded: int) -> bool:
    """Return whether a workload has had so much work that more of it would not help."""
    own = [window for window in windows if window.workload == workload]
    disturbed = [window for window in own if window.disturbed]
    return _work(own) >= MOST * demanded or _work(disturbed) >= MOST_DISTURBED * demanded


def fails(windows: Iterable[Window], workload: str) -> bool:
    """Return whether the latest `FAILING` windows of a workload have failures and no success."""
    latest = [window for window in windows if window.workload == workload][-FAILING:]
    return len(latest) == FAILING and all(
        window.failed and not window.operations for window in latest
    )


def has_time(rounds_s: Sequence[float], rule: Warmup) -> bool:
    """Return whether one more round, as long as the last, fits into the rule's time limit."""
    return sum(rounds_s) + rounds_s[-1] <= rule.at_most


def _lack(own: Sequence[Window], demanded: int) -> str | None:
    """Return what a workload lacks, from its windows.

    Only a change for the better counts: a warm-up does not make a system slower.
    """
    if _work(own) < demanded:
        unit = "requests" if own and own[0].requests is not None else "operations"
        return f"{_work(own):,.0f} of {demanded:,} {unit}"
    undisturbed = [window for window in own if not window.disturbed]
    stretches = _stretches(undisturbed, STRETCH * demanded)
    if len(stretches) < STRETCHES:
        return "other programs disturbed it" if len(undisturbed) < len(own) else "too few windows"
    *before, _, latest = [
        [*stretch, *following] for stretch, following in itertools.pairwise(stretches)
    ]
    if _per_s(latest) > (1 + CHANGE) * max(map(_per_s, before)):
        return "its goodput rises"
    costs = [cost for pair in before if (cost := _cost_s(pair)) is not None]
    cost = _cost_s(latest)
    if costs and cost is not None and cost < (1 - CHANGE) * min(costs):
        return "its CPU time per operation falls"
    share = _compiling(latest)
    if share is not None and share > COMPILING:
        return f"its compilers use {100 * share:.1f} % of the machine"
    return None


def _stretches(windows: Sequence[Window], least: float) -> list[list[Window]]:
    """Join windows, from the latest on, until each stretch has enough work."""
    stretches: list[list[Window]] = []
    taken: list[Window] = []
    for window in reversed(windows):
        taken.insert(0, window)
        if _work(taken) >= least:
            stretches.insert(0, taken)
            taken = []
    return stretches


def _per_s(windows: Sequence[Window]) -> float:
    return _work(windows) / sum(window.seconds for window in windows)


def _cost_s(windows: Sequence[Window]) -> float | None:
    """Return the CPU time of an operation, or of a session's request; None if unknown or little."""
    spent_s = [window.cpu_s for window in windows if window.cpu_s is not None]
    if len(spent_s) < len(windows) or sum(spent_s) < COUNTED_S:
        return None
    return sum(spent_s) / _work(windows)


def _work(windows: Iterable[Window]) -> float:
    return sum(window.work for window in windows)


def _compiling(windows: Iterable[Window]) -> float | None:
    """Return the compilers' share over windows of equal length; None if it is not known."""
    shares = [window.compiling for window in windows if window.compiling is not None]
    return sum(shares) / len(shares) if shares else None


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
    ticks, readable = 0, False
    for pid in pids:
        for thread in (root / str(pid) / "task").glob("*"):
            try:
                if (thread / "comm").read_text().strip() not in COMPILERS:
                    continue
                # The name in parentheses may hold anything. Fields 14, 15: user and system time.
                fields = (thread / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            ticks, readable = ticks + int(fields[11]) + int(fields[12]), True
    return ticks / os.sysconf("SC_CLK_TCK") if readable else None


def write(file: Path, windows: Iterable[Window]) -> None:
    """Write windows as CSV, with the columns of `COLUMNS`."""
    with file.open("w", newline="", encoding="utf-8") as output:
        rows = csv.writer(output, lineterminator="\n")
        rows.writerow(COLUMNS)
        for window in windows:
            rows.writerow(
                (
                    *(window.system, window.workload, f"{window.age_s:.1f}", f"{window.seconds:g}"),
                    *(f"{window.ok_per_s:.1f}", window.failed),
                    *(_optional(window.compiling, 4), _optional(window.cpu_s, 3)),
                    *(_optional(window.others, 3), _optional(window.requests, 0)),
                )
            )


def _optional(figure: float | None, digits: int) -> str:
    return "" if figure is None else f"{figure:.{digits}f}"

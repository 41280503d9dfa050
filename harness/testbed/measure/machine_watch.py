"""Reads from Linux's ``/proc`` how much of the machine programs other than the testbed's use.

Interrupts and kernel threads serve the load too, so they are counted apart from programs.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from testbed.deploy import groups, machine
from testbed.model.loads import DISTURBING_SHARE

ROOT = Path("/")

SAMPLE_S = 1.0
"""How long the machine is watched before a load begins."""

NAMED = 3
"""Most programs that are named."""

NAMED_CORES = 0.02
"""The least use, in cores, of a program that is named."""

KERNEL_THREAD = 0x0020_0000
"""The flag of a process that is a thread of the kernel."""

Identity = tuple[int, int]
"""The pid of a process, and when it started: the pid alone is used again."""


@dataclass(frozen=True)
class Process:
    """A process, as ``/proc/PID/stat`` has it."""

    pid: int
    parent: int
    started: int
    """Clock ticks since the boot."""
    name: str
    cpu_s: float
    """User and system time of the process itself, in seconds."""
    children_s: float
    """That of its children that ended and were waited for."""
    in_kernel: bool = False

    @property
    def identity(self) -> Identity:
        return self.pid, self.started


@dataclass(frozen=True)
class Reading:
    """What the processors have done up to one moment, in seconds since the boot."""

    at_s: float
    """By the monotonic clock."""
    cores: int
    """Processors that this process may run on; the times of the machine are theirs."""
    usable: float
    """The same, or fewer where a control group limits them."""
    programs_s: float
    """Time in programs, of whomever, and in the kernel for them."""
    interrupts_s: float
    steal_s: float
    """Time that the hypervisor gave to another machine."""
    ours: Mapping[Identity, Process]
    """This program and all that it started."""
    others: Mapping[Identity, Process]
    throttled_s: float | None
    """Time that the control group of this program waited because its limit was used up."""
    mhz: float | None
    """The mean frequency of the processors; None where it is not known."""


@dataclass(frozen=True)
class Others:
    """What other programs and machines used of this one for a while; shares are of this machine."""

    share: float
    """The part that was missing here: programs of others, and steal. A limit of CPU leaves
    processors to others, and what they use of these is not missing.
    """
    cores: float
    """The processors that programs of others used on average."""
    of: int
    """The processors that there are."""
    steal: float
    interrupts: float
    """Of whomever; the load's own connections make some."""
    names: tuple[str, ...] = ()
    """The programs of others that used most, the largest first."""
    throttled_s: float | None = None
    """See `Reading`."""
    mhz: float | None = None

    @property
    def disturbing(self) -> bool:
        return self.share > DISTURBING_SHARE


@dataclass
class Watch:
    """Reads the machine; a process stays ours after its parent has ended.

    `runtime` holds the names of programs that work for our containers. `own` and `cores` are the
    pid of this process and the processors that it may run on.
    """

    runtime: Collection[str] = ()
    root: Path = ROOT
    own: int = field(default_factory=os.getpid)
    cores: Collection[int] = field(default_factory=machine.usable_cores)
    _ours: set[Identity] = field(default_factory=set)

    def read(self, pids: Collection[int] = ()) -> Reading | None:
        """Return a reading; None where there is no such ``/proc``.

        `pids` are processes that are ours although this one did not start them: those of
        containers.
        """
        try:
            stat = (self.root / "proc" / "stat").read_text(encoding="ascii")
        except OSError:
            return None
        programs_s, interrupts_s, steal_s = _processors(stat, self.cores)
        if not programs_s:
            return None  # Some sandboxes answer with zeros.
        processes = list(_processes(self.root / "proc"))
        self._ours |= descendants(processes, {self.own, *pids})
        self._ours |= {process.identity for process in processes if process.name in self.runtime}
        ours, others = dict[Identity, Process](), dict[Identity, Process]()
        for process in processes:
            (ours if process.identity in self._ours else others)[process.identity] = process
        return Reading(
            at_s=time.monotonic(),
            cores=len(self.cores),
            usable=min(machine.usable_cpus(self.root), len(self.cores)),
            programs_s=programs_s,
            interrupts_s=interrupts_s,
            steal_s=steal_s,
            ours=ours,
            others=others,
            throttled_s=_throttled_s(self.root),
            mhz=_mhz(self.root),
        )


def sample(watch: Watch, seconds: float = SAMPLE_S) -> Others | None:
    """Watch the machine for some seconds."""
    before = watch.read()
    time.sleep(seconds)
    return between(before, watch.read())


def between(before: Reading | None, after: Reading | None) -> Others | None:
    """Return what others used between two readings; None if that is not known.

    What the processors did beyond our own part is that of others, also where their processes
    cannot be seen, as from within a container. Interrupts during a system call may count in the
    time of its process too, so this difference may be too small: what can be seen is the least.
    """
    if before is None or after is None or after.at_s <= before.at_s:
        return None
    seconds = after.at_s - before.at_s
    in_kernel_s, by_name = 0.0, dict[str, float]()
    for identity, process in after.others.items():
        earlier = before.others.get(identity)
        spent_s = process.cpu_s - (0.0 if earlier is None else earlier.cpu_s)
        if process.in_kernel:
            in_kernel_s += spent_s
        else:
            by_name[process.name] = by_name.get(process.name, 0.0) + spent_s
    ours_s = _family_s(before.ours, after.ours)
    beyond_s = after.programs_s - before.programs_s - ours_s - in_kernel_s
    cores = max(beyond_s, sum(by_name.values()), 0.0) / seconds
    steal = (after.steal_s - before.steal_s) / seconds
    unused = after.cores - after.usable
    named = sorted(by_name, key=lambda name: -by_name[name])
    throttled_s = None
    if before.throttled_s is not None and after.throttled_s is not None:
        throttled_s = round(after.throttled_s - before.throttled_s, 3)
    return Others(
        share=round(max(0.0, cores + steal - unused) / after.usable, 3),
        cores=round(cores, 3),
        of=after.cores,
        steal=round(steal / after.cores, 3),
        interrupts=round((after.interrupts_s - before.interrupts_s) / seconds / after.cores, 3),
        names=tuple(name for name in named[:NAMED] if by_name[name] >= NAMED_CORES * seconds),
        throttled_s=throttled_s,
        mhz=after.mhz,
    )


def descendants(processes: Iterable[Process], roots: Collection[int]) -> set[Identity]:
    """Return the processes with the pids `roots`, and all that they started and that still run."""
    children: dict[int, list[Process]] = {}
    left = []
    for process in processes:
        children.setdefault(process.parent, []).append(process)
        if process.pid in roots:
            left.append(process)
    family: set[Identity] = set()
    while left:
        process = left.pop()
        if process.identity not in family:
            family.add(process.identity)
            left += children.get(process.pid, ())
    return family


def _family_s(before: Mapping[Identity, Process], after: Mapping[Identity, Process]) -> float:
    """Return the CPU seconds of processes and their children between two readings.

    The whole time of a child that ended is added to that of its parent.
    """
    parents = {process.pid for process in before.values()}
    spent_s = sum(process.cpu_s + process.children_s for process in after.values())
    return spent_s - sum(
        process.cpu_s + process.children_s
        for identity, process in before.items()
        if identity in after or process.parent in parents
    )


def words(others: Others) -> str:
    """Return the use of the machine by others: ``1.3 of 2 cores: java, cc1``."""
    named = f": {', '.join(others.names)}" if others.names else ""
    return f"{others.cores:.1f} of {others.of} cores{named}"


def summary(blocks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what ``environment.json`` says of other programs, from the records of blocks.

    Empty if no block was watched.
    """
    watched = [others for block in blocks if (others := block.get("others"))]
    if not watched:
        return {}
    named = Counter(name for others in watched for name in others["names"])
    clocks = [others["mhz"] for others in watched if others["mhz"]]
    return {
        "blocks": len(watched),
        "disturbed_blocks": sum(others["share"] > DISTURBING_SHARE for others in watched),
        "mean_share": round(mean(others["share"] for others in watched), 3),
        "largest_share": max(others["share"] for others in watched),
        "mean_steal": round(mean(others["steal"] for others in watched), 3),
        "throttled_s": round(sum(others["throttled_s"] or 0.0 for others in watched), 3),
        "names": [name for name, _ in named.most_common(NAMED)],
        "mhz": [min(clocks), max(clocks)] if clocks else None,
    }


def _processors(stat: str, cores: Collection[int]) -> tuple[float, float, float]:
    """Return the seconds in programs, in interrupts and stolen, of some processors."""
    tick = os.sysconf("SC_CLK_TCK")
    programs, interrupts, steal = 0, 0, 0
    for line in stat.splitlines():
        name, *figures = line.split()
        number = name.removeprefix("cpu")
        if name == number or not number.isdigit() or int(number) not in cores:
            continue
        user, nice, system, _idle, _wait, irq, softirq, stolen = map(int, figures[:8])
        programs += user + nice + system
        interrupts += irq + softirq
        steal += stolen
    return programs / tick, interrupts / tick, steal / tick


def _processes(proc: Path) -> Iterator[Process]:
    for folder in proc.iterdir():
        if folder.name.isdigit():
            try:
                yield parse((folder / "stat").read_text(encoding="utf-8", errors="replace"))
            except (OSError, ValueError, IndexError):
                continue  # It has ended.


def parse(stat: str) -> Process:
    """Read a line of ``/proc/PID/stat``; the name in parentheses may contain anything."""
    head, _, tail = stat.rpartition(")")
    pid, _, name = head.partition(" (")
    fields = tail.split()
    tick = os.sysconf("SC_CLK_TCK")
    user, system, children_user, children_system = map(int, fields[11:15])
    return Process(
        pid=int(pid),
        parent=int(fields[1]),
        started=int(fields[19]),
        name=name,
        cpu_s=(user + system) / tick,
        children_s=(children_user + children_system) / tick,
        in_kernel=bool(int(fields[6]) & KERNEL_THREAD),
    )


def _throttled_s(root: Path) -> float | None:
    try:
        usage = groups.usage_of("self", root)
    except OSError:
        return None
    return None if usage is None else usage.throttled_s


def _mhz(root: Path) -> float | None:
    """Return the mean of what the processors are clocked at now, else of what is reported."""
    files = (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_cur_freq")
    try:
        clocks = [int(file.read_text(encoding="ascii")) / 1000 for file in files]
        if not clocks:
            lines = (root / "proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            clocks = [float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")]
    except (OSError, ValueError):
        return None
    return round(mean(clocks), 1) if clocks else None

"""Control groups, version 2 or 1: limits of processes, and what a group has counted."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from testbed.deploy import programs
from testbed.deploy.deployer import polls
from testbed.deploy.meter import MB, Meter, Usage
from testbed.experiment.parts import ServiceLimits
from testbed.model.errors import UserError

ROOT = Path("/")

PERIOD_US = 100_000
"""The period within which a group may use its CPU time: the kernel's own default."""

REMOVE_LIMIT_S = 1.0
POLL_S = 0.02

# Joins the groups before "--", then becomes the command: a JVM reads its limits when it starts.
_JOIN = (
    'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"'
)

# The container's own control group, version 2 or else 1; memory is without the page cache.
READ_USAGE = (
    "cd /sys/fs/cgroup && { cat cpu.stat memory.stat 2>/dev/null"
    " && echo peak $(cat memory.peak 2>/dev/null)"
    " || { echo usage_nsec $(cat cpuacct/cpuacct.usage); cat cpu/cpu.stat memory/memory.stat;"
    " echo peak $(cat memory/memory.max_usage_in_bytes); }; }"
)
"""Prints the figures of the group that it runs in, for `parse_usage`."""

_PRESSURE = ("cpu.stat", "memory.peak", "memory.max_usage_in_bytes")
"""Files on throttling and on the most memory, in either version."""

_NAMES = {
    "cpuacct.usage": "usage_nsec",
    "memory.max_usage_in_bytes": "peak",
    "memory.peak": "peak",
}
"""The names given to the values of files that hold nothing but a value."""


@dataclass(frozen=True)
class Parents:
    """The groups in which new ones are made; in version 2, `cpu` and `memory` are the same."""

    version: int
    cpu: Path
    memory: Path


@dataclass(frozen=True)
class GroupMeter:
    """Reads the statistics files of containers' control groups on the host, which costs little."""

    files: Mapping[str, tuple[Path, ...]]

    def read(self, *, pss: bool = False) -> dict[str, Usage]:
        usage = {}
        for name, files in self.files.items():
            try:
                text = _statistics(files)
            except OSError:
                continue
            if (read := parse_usage(text)) is not None:
                usage[name] = read
        return usage


@dataclass(frozen=True)
class LimitedMeter:
    """Adds the throttling and the peak memory of limited processes to a meter's readings.

    `groups` holds the folders of each limited process, by name.
    """

    meter: Meter
    groups: Mapping[str, tuple[Path, ...]]

    def read(self, *, pss: bool = False) -> dict[str, Usage]:
        usage = self.meter.read(pss=pss)
        for name in usage.keys() & self.groups.keys():
            files = [folder / name for folder in self.groups[name] for name in _PRESSURE]
            with contextlib.suppress(OSError):
                text = _statistics(file for file in files if file.is_file())
                usage[name] = replace(usage[name], **_pressure(_facts(text)))
        return usage


@dataclass(frozen=True)
class InnerMeter:
    """Reads control groups from inside; `into` has the command that enters each part, by name."""

    into: Mapping[str, tuple[str, ...]]

    def read(self, *, pss: bool = False) -> dict[str, Usage]:
        def usage_in(enter: tuple[str, ...]) -> Usage | None:
            answer = programs.ask((*enter, "sh", "-c", READ_USAGE))
            return parse_usage(answer.stdout) if answer.returncode == 0 else None

        with ThreadPoolExecutor(max(len(self.into), 1)) as pool:
            usages = dict(zip(self.into, pool.map(usage_in, self.into.values()), strict=True))
        return {name: usage for name, usage in usages.items() if usage is not None}


def parents(root: Path = ROOT) -> Parents:
    """Return the groups in which this process can make others.

    `root` is the folder of ``proc`` and ``sys``. Raises `OSError` if there are none.
    """
    own, base = _paths("self", root), root / "sys" / "fs" / "cgroup"
    if own.keys() >= {"cpu", "memory"}:
        cpu, memory = (_seen(base / name, own[name]) for name in ("cpu", "memory"))
        return Parents(1, cpu, memory)
    folder = _seen(base, own.get("", ""))
    while True:
        # A group with processes of its own passes no controllers on; one above it does.
        passed_on = (folder / "cgroup.subtree_control").read_text(encoding="ascii").split()
        if {"cpu", "memory"} <= set(passed_on):
            return Parents(2, folder, folder)
        if folder == base:
            raise OSError("no group passes on the controllers cpu and memory")
        folder = folder.parent


def require(root: Path = ROOT) -> None:
    """Check that this user can limit a process; raise `UserError` with the alternative."""
    try:
        made = create(f"testbed-{os.getpid()}", ServiceLimits(cpus=1, memory_mb=64), parents(root))
        try:
            subprocess.run(joined(("true",), made), check=True, capture_output=True, timeout=10)
        finally:
            remove(made)
    except (OSError, subprocess.SubprocessError) as problem:
        raise UserError(
            f"limits: this user cannot limit processes by control groups ({problem})",
            "Run it with the rights of root, or choose containers "
            "(--backends docker; in an experiment, backends: docker).",
        ) from problem


def create(name: str, limits: ServiceLimits, where: Parents) -> tuple[Path, ...]:
    """Make the groups of a process, with its limits; raise `OSError` if that fails."""
    folders = tuple(dict.fromkeys((where.cpu / name, where.memory / name)))
    try:
        for folder in folders:
            # A group left by a killed command still has its old counts: make it anew.
            with contextlib.suppress(OSError):
                folder.rmdir()
            folder.mkdir(exist_ok=True)
        for file, value in _limit_files(limits, where.version).items():
            place = where.cpu if file.startswith("cpu.") else where.memory
            (place / name / file).write_text(value, encoding="ascii")
    except OSError:
        remove(folders)
        raise
    return folders


def set_cpus(folders: Iterable[Path], cpus: float | None) -> None:
    """Change the CPU limit of a running process; None lifts it. Raises `OSError` if that fails."""
    for folder in folders:
        version = 2 if (folder / "cpu.max").is_file() else 1
        for file, value in _cpu_files(cpus, version).items():
            if (folder / file).is_file():
                (folder / file).write_text(value, encoding="ascii")


def joined(command: Sequence[str], folders: Iterable[Path]) -> tuple[str, ...]:
    """Return the command that joins groups and then runs `command` under the same pid."""
    return ("/bin/sh", "-c", _JOIN, "sh", *map(str, folders), "--", *command)


def remove(folders: Iterable[Path]) -> None:
    """Remove the groups of ended processes; leave those that still have a process."""
    for folder in folders:
        # A killed process leaves its group a moment after it has ended.
        for _ in polls(REMOVE_LIMIT_S, POLL_S):
            with contextlib.suppress(OSError):
                folder.rmdir()
            if not folder.is_dir():
                break


def group_files(pid: str, root: Path = ROOT) -> tuple[Path, ...]:
    """Return the CPU and memory files of a process's control group; empty if unreadable."""
    try:
        own = _paths(pid, root)
    except OSError:
        return ()
    base = root / "sys" / "fs" / "cgroup"
    if own.keys() >= {"cpuacct", "memory"}:
        memory = base / "memory" / own["memory"]
        needed = (base / "cpuacct" / own["cpuacct"] / "cpuacct.usage", memory / "memory.stat")
        cpu = base / "cpu" / own.get("cpu", "")
        further = [cpu / "cpu.stat", memory / "memory.max_usage_in_bytes"]
    else:
        group = base / own.get("", "")
        needed = (group / "cpu.stat", group / "memory.stat")
        further = [group / "memory.peak"]
    if not all(file.is_file() for file in needed):
        return ()
    return (*needed, *(file for file in further if file.is_file()))


def usage_of(pid: str, root: Path = ROOT) -> Usage | None:
    """Return what the control group of a process has counted; None if it does not tell.

    Raises `OSError` if its files cannot be read.
    """
    files = group_files(pid, root)
    return parse_usage(_statistics(files)) if files else None


def parse_usage(text: str) -> Usage | None:
    """Read CPU time and memory from the ``name value`` lines of a control group's statistics.

    Version 2 has the CPU time in microseconds and the memory as ``anon``. For version 1, the caller
    gives nanoseconds, and the memory is ``total_rss``. None if one of the two is missing.
    """
    facts = _facts(text)
    if "usage_usec" in facts and "anon" in facts:
        return Usage(facts["usage_usec"] / 1e6, facts["anon"] / MB, **_pressure(facts))
    if "usage_nsec" in facts and "total_rss" in facts:
        return Usage(facts["usage_nsec"] / 1e9, facts["total_rss"] / MB, **_pressure(facts))
    return None


def _paths(pid: str, root: Path) -> dict[str, str]:
    """Return the group of a process for each controller of version 1; that of version 2 for ""."""
    paths: dict[str, str] = {}
    for line in (root / "proc" / pid / "cgroup").read_text(encoding="ascii").splitlines():
        _, controllers, path = line.split(":", 2)
        paths |= dict.fromkeys(controllers.split(","), path.lstrip("/"))
    return paths


def _seen(base: Path, path: str) -> Path:
    """Return a group's folder; a container sees its own group as the top one."""
    return base / path if (base / path).is_dir() else base


def _limit_files(limits: ServiceLimits, version: int) -> dict[str, str]:
    files = {} if limits.cpus is None else _cpu_files(limits.cpus, version)
    if limits.memory_mb is not None:
        name = "memory.limit_in_bytes" if version == 1 else "memory.max"
        files[name] = str(limits.memory_mb * MB)
    return files


def _cpu_files(cpus: float | None, version: int) -> dict[str, str]:
    """Return the content of the files that limit CPU, in cores; None lifts the limit."""
    unlimited = "-1" if version == 1 else "max"
    quota = unlimited if cpus is None else str(round(cpus * PERIOD_US))
    if version == 1:
        return {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": quota}
    return {"cpu.max": f"{quota} {PERIOD_US}"}


def _statistics(files: Iterable[Path]) -> str:
    """Return the ``name value`` lines of files."""
    return "\n".join(
        f"{_NAMES.get(file.name, '')} {file.read_text(encoding='ascii')}".lstrip() for file in files
    )


def _facts(text: str) -> dict[str, int]:
    facts: dict[str, int] = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if value.strip().isdigit():
            facts[name] = int(value)
    return facts


def _pressure(facts: Mapping[str, int]) -> dict[str, Any]:
    """Return the optional fields of `Usage`; version 1 has nanoseconds of throttling."""
    units = {"throttled_usec": 1e6, "throttled_time": 1e9}
    spent = (facts[key] / unit for key, unit in units.items() if key in facts)
    return {
        "throttled": facts.get("nr_throttled"),
        "throttled_s": next(spent, None),
        "peak_mb": facts["peak"] / MB if "peak" in facts else None,
    }

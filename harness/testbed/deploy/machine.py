"""Describes this machine: its processor, its cores, its memory."""

from __future__ import annotations

import base64
import contextlib
import os
import platform
import random
import re
import time
import zlib
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil

from testbed.deploy import programs
from testbed.model.errors import UserError

PROBES = 16
"""How often each core compresses a text."""


def machine() -> dict[str, Any]:
    """Return the processor, its logical cores, the memory in MB (10^6 bytes) and the system."""
    return {
        "cpu": _cpu_model(),
        "cores": psutil.cpu_count(logical=True),
        "memory_mb": round(psutil.virtual_memory().total / 1e6),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
    }


def usable_cores() -> frozenset[int]:
    """Return the numbers of the processors that this process may run on."""
    try:
        return frozenset(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return frozenset(range(os.cpu_count() or 1))


def keep_on(pids: Iterable[int], cores: Collection[int]) -> None:
    """Let processes, all their threads and all that they start run on some cores only.

    A JVM that started on more keeps its pools and its collector. Processes that end meanwhile are
    skipped.
    """
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            for member in (process, *process.children(recursive=True)):
                _keep_threads_on(member, cores)


def _keep_threads_on(process: psutil.Process, cores: Collection[int]) -> None:
    moved: set[int] = set()
    # A thread that was not moved yet may have started another.
    while left := {thread.id for thread in process.threads()} - moved:
        for thread in left:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread, cores)
        moved |= left


def parted(apart: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the cores of the load generators, the last ones, and those of the systems.

    Both are empty if no cores are apart.
    """
    cores = sorted(usable_cores())
    own = frozenset(cores[len(cores) - apart :] if apart else ())
    return own, frozenset(cores) - own if own else frozenset()


def usable_cpus(root: Path = Path("/")) -> float:
    """Return how many CPUs this process may use: its affinity, limited by its group's quota."""
    cores = float(len(usable_cores()))
    try:
        quota, _, period = (root / "sys/fs/cgroup/cpu.max").read_text("ascii").partition(" ")
        return cores if quota == "max" else min(cores, round(int(quota) / int(period), 2))
    except (OSError, ValueError):
        return cores


def probe_s() -> float:
    """Return the seconds of a fixed work on all cores at once, about 0.3: the processor's speed.

    It is long enough to meet a group's quota, which is counted in periods of 0.1 s.
    """
    text = base64.b64encode(random.Random(1).randbytes(3 << 17))
    cores = len(usable_cores())
    with ThreadPoolExecutor(cores) as pool:
        began = time.monotonic()
        # Without Python's lock.
        list(pool.map(zlib.compress, [text] * (PROBES * cores)))
        return time.monotonic() - began


def answer_of(*command: str) -> str | None:
    """Return what a command prints; None where it is missing, fails or takes 30 s."""
    try:
        answer = programs.ask(command, timeout_s=30)
    except (OSError, UserError):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    if match := re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE):
        return match.group(1).strip()
    return (
        answer_of("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor() or "unknown"
    )

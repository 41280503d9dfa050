"""Describes this machine: its processor, its cores, its memory."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

import psutil

from testbed.deploy import programs
from testbed.model.errors import UserError


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


def usable_cpus(root: Path = Path("/")) -> float:
    """Return how many CPUs this process may use: its affinity, limited by its group's quota."""
    cores = float(len(usable_cores()))
    try:
        quota, _, period = (root / "sys/fs/cgroup/cpu.max").read_text("ascii").partition(" ")
        return cores if quota == "max" else min(cores, round(int(quota) / int(period), 2))
    except (OSError, ValueError):
        return cores


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

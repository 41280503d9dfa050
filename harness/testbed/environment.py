"""Describes the machine, the versions and the settings that a result was measured with."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import psutil

from testbed.jdk import Jdk
from testbed.load import GENERATOR_FLAGS
from testbed.project import Project
from testbed.record import now
from testbed.variants import BACKENDS_FLAGS

COMPARABLE = ("machine", "java", "jmeter", "jvm_flags", "artifacts", "tracing")
"""The parts that must agree before two sets of runs may be set side by side."""

HARNESS_PACKAGES = ("testbed", "httpx", "polars", "psutil", "numpy", "scipy")
MANIFEST_KEYS = ("Implementation-Version", "Build-Jdk-Spec", "Spring-Boot-Version")


def describe(
    project: Project,
    services_jdk: Jdk | None,
    generator_java: Jdk,
    presets: Iterable[str],
    jars: Iterable[Path],
    images: Mapping[str, str | None],
) -> dict[str, Any]:
    """Return what a result was measured with, as plain data.

    Parameters
    ----------
    services_jdk
        What the services run on; None where their images say so.
    generator_java
        What JMeter runs on.
    presets
        Whose JVM arguments are recorded.
    jars
        The services' artifacts, where they run as local processes.
    images
        The image id of each container, where they do not.

    Returns
    -------
    dict
        Keys ``recorded`` (ISO 8601, UTC), those of `COMPARABLE`, ``usable_cpus`` (cores that this
        process may use), ``python``, ``packages`` and ``git``.
    """
    return {
        "recorded": now().isoformat(),
        "machine": machine(),
        "usable_cpus": usable_cpus(),
        "java": {
            "services": None if services_jdk is None else services_jdk.version,
            "generator": generator_java.version,
        },
        "jmeter": jmeter_version(project),
        "jvm_flags": {
            **{name: _preset_flags(project, name) for name in presets},
            "extra": os.environ.get("JAVA_OPTS", "").split(),
            "embedded-backends": list(BACKENDS_FLAGS),
            "generator": [*GENERATOR_FLAGS, *os.environ.get("JVM_ARGS", "").split()],
        },
        "artifacts": {"jars": {jar.stem: manifest(jar) for jar in jars}, "images": dict(images)},
        "tracing": os.environ.get("TESTBED_TRACING") or None,
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in HARNESS_PACKAGES},
        "git": git(project.root),
    }


def differences(
    one: Mapping[str, Any], other: Mapping[str, Any], parts: Iterable[str] = COMPARABLE
) -> list[str]:
    """Return what keeps two environments from being compared, each with both values."""
    found: list[str] = []
    for part in parts:
        _compare(part, one.get(part), other.get(part), found)
    usable = one.get("usable_cpus"), other.get("usable_cpus")
    if None not in usable:  # what an old record does not tell is no difference
        _compare("usable_cpus", *usable, found)
    return found


def machine() -> dict[str, Any]:
    """Return the processor, its logical cores, the memory in MB (10^6 bytes) and the system."""
    return {
        "cpu": _cpu_model(),
        "cores": psutil.cpu_count(logical=True),
        "memory_mb": round(psutil.virtual_memory().total / 1e6),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
    }


def usable_cpus(root: Path = Path("/")) -> float:
    """Return how many cores this process may use: its affinity, less what its group is denied."""
    try:
        cores = float(len(os.sched_getaffinity(0)))
    except AttributeError:  # not on every system
        cores = float(os.cpu_count() or 1)
    try:
        quota, _, period = (root / "sys/fs/cgroup/cpu.max").read_text("ascii").partition(" ")
        return cores if quota == "max" else min(cores, round(int(quota) / int(period), 2))
    except (OSError, ValueError):
        return cores


def manifest(jar: Path) -> dict[str, str]:
    """Return the digest of a jar (SHA-256) and what its manifest says of its versions."""
    facts = {"sha256": hashlib.sha256(jar.read_bytes()).hexdigest()}
    with zipfile.ZipFile(jar) as archive:
        lines = archive.read("META-INF/MANIFEST.MF").decode().splitlines()
    for line in lines:
        key, _, value = line.partition(": ")
        if key in MANIFEST_KEYS:
            facts[key] = value
    return facts


def jmeter_version(project: Project) -> str | None:
    """Return the version of the laid-out JMeter, from its core's manifest; None where unknown."""
    core = project.jmeter_home / "lib" / "ext" / "ApacheJMeter_core.jar"
    try:
        return manifest(core).get("Implementation-Version")
    except (OSError, KeyError, zipfile.BadZipFile):
        return None


def git(root: Path) -> dict[str, Any] | None:
    """Return the commit and whether the work tree differs from it; None outside a repository."""
    commit = _asked("git", "-C", str(root), "rev-parse", "HEAD")
    if commit is None:
        return None
    return {
        "commit": commit,
        "dirty": bool(_asked("git", "-C", str(root), "status", "--porcelain")),
    }


def _compare(key: str, one: Any, other: Any, found: list[str]) -> None:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for part in sorted({*one, *other}):
            _compare(f"{key}.{part}", one.get(part), other.get(part), found)
    elif one != other:
        found.append(f"{key}: {one!r} and {other!r}")


def _preset_flags(project: Project, preset: str) -> list[str]:
    lines = (project.presets / f"{preset}.jvm").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    if found := re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE):
        return found.group(1).strip()
    return _asked("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor() or "unknown"


def _asked(*command: str) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else None

"""Describes the machine, versions and settings of a result."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from testbed.deploy.building.jdk import Jdk
from testbed.deploy.machine import answer_of, machine, usable_cpus
from testbed.deploy.processes.deployment import BACKENDS_FLAGS
from testbed.deploy.record import now
from testbed.measure.load import generator_flags
from testbed.model.project import Project

HARNESS_PACKAGES = ("testbed", "httpx", "polars", "psutil", "numpy", "scipy")
MANIFEST_KEYS = ("Implementation-Version", "Build-Jdk-Spec", "Spring-Boot-Version")


def describe(
    project: Project,
    services_jdk: Jdk | None,
    generator_java: Jdk,
    presets: Iterable[str],
    jars: Iterable[Path],
    images: Mapping[str, str | None],
    *,
    aot_caches: bool | None = None,
) -> dict[str, Any]:
    """Return the machine, versions and settings of a result, as plain data.

    `services_jdk` is None where images determine it. The JVM arguments of `presets` are recorded.
    `jars` are the services' artifacts, if the services are local processes. `images` has the image
    of each container, by its id if it is known. `aot_caches` says whether the services' JVMs start
    from AOT caches; None where images determine it. ``recorded`` is in ISO 8601, UTC;
    ``usable_cpus`` are cores that this process may use.
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
            **{name: flags for preset in presets for name, flags in _flags(project, preset)},
            "extra": os.environ.get("JAVA_OPTS", "").split(),
            "embedded-backends": list(BACKENDS_FLAGS),
            "generator": generator_flags(),
        },
        "aot_caches": aot_caches,
        "artifacts": {
            "jars": {_named(jar): manifest(jar) for jar in jars},
            "images": dict(images),
        },
        "tracing": os.environ.get("TESTBED_TRACING") or None,
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in HARNESS_PACKAGES},
        "git": git(project.folder),
    }


def manifest(jar: Path) -> dict[str, str]:
    """Return a jar's SHA-256 digest and the `MANIFEST_KEYS` of its manifest."""
    facts = {"sha256": hashlib.sha256(jar.read_bytes()).hexdigest()}
    with zipfile.ZipFile(jar) as archive:
        lines = archive.read("META-INF/MANIFEST.MF").decode().splitlines()
    for line in lines:
        key, _, value = line.partition(": ")
        if key in MANIFEST_KEYS:
            facts[key] = value
    return facts


def _named(jar: Path) -> str:
    """Return the module of a jar, after the folder's name if the project does not build there."""
    return jar.stem if jar.parent.name == "target" else f"{jar.parent.name}/{jar.stem}"


def jmeter_version(project: Project) -> str | None:
    """Return the version in the manifest of JMeter's core; None if unknown."""
    core = project.jmeter_home / "lib" / "ext" / "ApacheJMeter_core.jar"
    try:
        return manifest(core).get("Implementation-Version")
    except (OSError, KeyError, zipfile.BadZipFile):
        return None


def git(root: Path) -> dict[str, Any] | None:
    """Return the commit and whether the work tree differs from it; None outside a repository."""
    commit = answer_of("git", "-C", str(root), "rev-parse", "HEAD")
    if commit is None:
        return None
    return {
        "commit": commit,
        "dirty": bool(answer_of("git", "-C", str(root), "status", "--porcelain")),
    }


def _flags(project: Project, preset: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the JVM arguments of a preset, and those of single modules, by name."""
    for file in (
        project.presets / f"{preset}.jvm",
        *sorted((project.presets / preset).glob("*.jvm")),
    ):
        lines = file.read_text(encoding="utf-8").splitlines()
        flags = [
            line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")
        ]
        yield str(file.relative_to(project.presets).with_suffix("")), flags

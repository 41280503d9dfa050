"""Finds the Java installations that the services, Maven and JMeter run on."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from testbed.deploy import programs
from testbed.model.errors import UserError

SERVICES_FEATURE = 25
"""The oldest Java that the services compile and run on."""

JMETER_FEATURES = (17, 21)
"""The Java versions on which JMeter's developers run JMeter 5.6, the preferred one first."""

USUAL_PLACES = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)


@dataclass(frozen=True)
class Jdk:
    home: Path
    """Its folder (``JAVA_HOME``)."""
    version: str
    """The full version, such as ``25.0.3``."""
    compiler: bool
    """Whether it has ``javac``: it is a JDK, not only a runtime."""

    @property
    def java(self) -> Path:
        return self.home / "bin" / "java"

    @property
    def feature(self) -> int:
        """The feature version, such as 25 (8 for ``1.8.0``); 0 if the version has none."""
        match = re.match(r"(?:1\.)?(\d+)", self.version)
        return int(match[1]) if match else 0

    def environment(self, base: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return an environment that uses this installation."""
        return {
            **base,
            "JAVA_HOME": str(self.home),
            "PATH": f"{self.home / 'bin'}{os.pathsep}{base.get('PATH', '')}",
        }

    def command(self, pid: int, *words: str) -> None:
        """Give a running JVM a command of ``jcmd``; raise `UserError` if it fails."""
        answer = programs.ask([str(self.home / "bin" / "jcmd"), str(pid), *words])
        if answer.returncode != 0 or "Could not" in answer.stdout:
            lines = (answer.stderr or answer.stdout).strip().splitlines()
            raise UserError(
                f"{' '.join(words)} failed: {lines[-1] if lines else 'no reason given'}"
            )


def candidate_homes(
    environ: Mapping[str, str] = os.environ, places: Iterable[str] = USUAL_PLACES
) -> Iterator[Path]:
    """Yield folders that may hold a Java installation, the user's own choice first."""
    if home := environ.get("JAVA_HOME"):
        yield Path(home)
    if java := shutil.which("java", path=environ.get("PATH", "")):
        yield Path(java).resolve().parent.parent
    for place in places:
        pattern = Path(place).expanduser()
        yield from sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor))))


def inspect(home: Path) -> Jdk | None:
    """Return the installation in a folder; None if there is no working one.

    The version comes from the ``release`` file or, if that is missing, from ``java -version``.
    """
    java = home / "bin" / "java"
    if not os.access(java, os.X_OK):
        return None
    version = _release_version(home / "release") or _asked_version(java)
    if version is None:
        return None
    return Jdk(home, version, os.access(home / "bin" / "javac", os.X_OK))


def installed(homes: Iterable[Path] | None = None) -> list[Jdk]:
    """Return each Java installation of this machine once, the user's own choice first."""
    jdks: dict[Path, Jdk] = {}
    for home in candidate_homes() if homes is None else homes:
        resolved = home.resolve()
        if resolved not in jdks and (jdk := inspect(resolved)) is not None:
            jdks[resolved] = jdk
    return list(jdks.values())


def for_services(jdks: Iterable[Jdk] | None = None) -> Jdk:
    """Return the JDK that builds and runs the services: 25, or else the oldest newer one.

    Raises `UserError` if there is none. The error says what was found and where it was searched.
    """
    jdks = installed() if jdks is None else list(jdks)
    fit = [jdk for jdk in jdks if jdk.compiler and jdk.feature >= SERVICES_FEATURE]
    if not fit:
        raise _none(f"JDK {SERVICES_FEATURE}", jdks)
    return min(fit, key=lambda jdk: jdk.feature)


def for_jmeter(jdks: Iterable[Jdk] | None = None) -> Jdk:
    """Return the Java that runs JMeter: 17, else 21, else the oldest newer one.

    Raises `UserError` if there is none. The error says what was found and where it was searched.
    """
    jdks = installed() if jdks is None else list(jdks)
    fit = [jdk for jdk in jdks if jdk.feature >= JMETER_FEATURES[0]]
    if not fit:
        raise _none(f"Java {JMETER_FEATURES[0]} or newer", jdks)
    return min(fit, key=lambda jdk: (jdk.feature not in JMETER_FEATURES, jdk.feature))


def _none(what: str, jdks: Iterable[Jdk]) -> UserError:
    seen = ", ".join(f"{jdk.version} in {jdk.home}" for jdk in jdks) or "no Java at all"
    return UserError(
        f"no {what} found (found: {seen})",
        f"Install {what} (such as Eclipse Temurin), or set JAVA_HOME to one. "
        f"Looked at JAVA_HOME, PATH, {', '.join(USUAL_PLACES)}.",
    )


def _release_version(release: Path) -> str | None:
    try:
        text = release.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r'^JAVA_VERSION="([^"]+)"', text, re.MULTILINE)
    return match.group(1) if match else None


def _asked_version(java: Path) -> str | None:
    try:
        answer = programs.ask([str(java), "-version"], timeout_s=20)
    except (OSError, UserError):
        return None
    match = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return match.group(1) if match else None

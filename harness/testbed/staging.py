"""Prepares jars for quick starts: a copy of its own, unpacked, with an archive of its classes.

On 2 cores, reading and checking classes is most of what a start costs. The JVM's class-data archive
does that once per jar; it does not change what runs. The copy also keeps a running stack apart from
a build that writes the jars anew.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from testbed import processes
from testbed.errors import UserError
from testbed.jdk import Jdk
from testbed.project import Project
from testbed.services import Deployment, Service

KEEP_S = 24 * 3600.0
UNPACK_TIMEOUT_S = 120.0

TRAINED_BY = ("CINEMA_TRANSPORT",)
"""Settings that decide which classes a service loads."""


@dataclass(frozen=True)
class Staged:
    """A jar that is ready for quick starts.

    Parameters
    ----------
    jar
        The unpacked application's jar.
    archive
        The archive of its classes.
    """

    jar: Path
    archive: Path

    def command(self, service: Service) -> tuple[str, ...]:
        """Return the command of a service, with this in place of its jar."""
        *java, _, _ = service.command
        return (*java, f"-XX:SharedArchiveFile={self.archive}", "-jar", str(self.jar))


def stage(
    deployment: Deployment,
    project: Project,
    jdk: Jdk,
    environ: Mapping[str, str] = os.environ,
    notice: Callable[[str], None] = lambda _: None,
) -> Deployment:
    """Return a deployment that starts from prepared jars; prepares those that are not yet.

    Preparing one takes a few seconds, once for each build, preset and kind of edge. Services that
    are not started from a jar that can be unpacked are left as they are.

    Parameters
    ----------
    environ
        The environment that every service inherits.
    notice
        Told which service is being prepared.

    Raises
    ------
    UserError
        When a service cannot be prepared.
    """

    def prepared(service: Service) -> Service:
        if not _can_be_staged(service):
            return service
        staged = _locate(service, project, jdk)
        if not staged.archive.is_file():
            notice(service.name)
            _unpack(service, staged, jdk)
            _train(service, staged, environ)
            _prune(staged)
        return replace(service, command=staged.command(service))

    phases = tuple(tuple(prepared(one) for one in phase) for phase in deployment.phases)
    return replace(deployment, phases=phases)


def is_staged(deployment: Deployment, project: Project, jdk: Jdk) -> bool:
    """Return whether every service of a deployment that can be prepared is."""
    return all(
        _locate(service, project, jdk).archive.is_file()
        for service in deployment.services
        if _can_be_staged(service)
    )


def _can_be_staged(service: Service) -> bool:
    return service.health is not None and service.command[-2] == "-jar"


def _locate(service: Service, project: Project, jdk: Jdk) -> Staged:
    jar = Path(service.command[-1])
    state = jar.stat()
    folder = (
        project.root / ".testbed" / "apps" / jar.stem / f"{state.st_ctime_ns:x}-{state.st_size:x}"
    )
    trained = {name: service.environ.get(name, "") for name in TRAINED_BY}
    key = hashlib.sha256(repr((jdk.version, _flags(service), trained)).encode()).hexdigest()
    return Staged(folder / jar.name, folder / f"{key[:12]}.jsa")


def _flags(service: Service) -> list[str]:
    """Return the JVM arguments of a service, those in argument files written out."""
    return [
        Path(flag[1:]).read_text(encoding="utf-8") if flag.startswith("@") else flag
        for flag in service.command[1:-2]
    ]


def _unpack(service: Service, staged: Staged, jdk: Jdk) -> None:
    """Unpack a jar beside its libraries, whole or not at all."""
    if staged.jar.is_file():
        return
    folder = staged.jar.parent
    draft = folder.with_suffix(f".draft-{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    command = [str(jdk.java), "-Djarmode=tools", "-jar", service.command[-1]]
    answer = subprocess.run(
        [*command, "extract", "--destination", str(draft)],
        capture_output=True,
        text=True,
        timeout=UNPACK_TIMEOUT_S,
        check=False,
    )
    if answer.returncode != 0:
        raise UserError(f"{service.name} cannot be unpacked: {answer.stderr.strip()[-500:]}")
    try:
        draft.rename(folder)
    except OSError:
        # Another command was quicker.
        shutil.rmtree(draft)


def _train(service: Service, staged: Staged, environ: Mapping[str, str]) -> None:
    """Start a service up to the point where it would connect and serve, and archive its classes."""
    draft = staged.archive.with_suffix(f".draft-{os.getpid()}")
    *java, _, _ = service.command
    log = staged.archive.with_suffix(".log")
    code = processes.run_in_foreground(
        [
            *java,
            f"-XX:ArchiveClassesAtExit={draft}",
            "-Dspring.context.exit=onRefresh",
            "-jar",
            str(staged.jar),
        ],
        {**environ, **service.environ},
        staged.jar.parent,
        log,
    )
    if code != 0 or not draft.is_file():
        tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise UserError(f"{service.name} cannot be prepared (exit code {code}):\n{tail}")
    draft.replace(staged.archive)


def _prune(staged: Staged) -> None:
    """Remove what was prepared from builds of the same module that are no longer started."""
    current = staged.jar.parent
    for other in current.parent.iterdir():
        if other != current and time.time() - other.stat().st_mtime > KEEP_S:
            shutil.rmtree(other, ignore_errors=True)

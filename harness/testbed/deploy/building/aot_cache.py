"""Prepares jars for quick starts: an unpacked copy of each, and where it pays an AOT cache.

The JVM's AOT cache keeps the loaded classes of a training run. It does not change what runs:
execution profiles in it are not used (`presets/tuned.jvm`). The copy also protects a running stack
from a build that rewrites the jars.

JVMs up to 25.0.3 do not compare a cache with its jars: they run the cached classes of jars that
were replaced or deleted. So a copy with a cache is used only as it was unpacked.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from testbed.deploy import programs
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.services import Deployment, Service
from testbed.model import files
from testbed.model.errors import UserError
from testbed.model.project import Project

CONTENTS = "contents.json"
"""The digests of the unpacked jars of a copy, by path."""

KEEP_S = 24 * 3600.0
UNPACK_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Prepared:
    """The unpacked jar and the AOT cache that a service is started from."""

    jar: Path
    cache: Path

    def trained(self) -> Path | None:
        """Return its cache, or else one of another variant with these flags; None without one."""
        flags, _, _ = self.cache.name.partition("-")
        others = sorted(self.cache.parent.glob(f"{flags}-*.aot"))
        return self.cache if self.cache in others else next(iter(others), None)

    def started(self, service: Service, *options: str) -> Service:
        """Return the service with this jar in place of its own, and with further JVM options."""
        *java, _, _ = service.command
        return replace(service, command=(*java, *options, "-jar", str(self.jar)))


def use(deployment: Deployment, project: Project, jdk: Jdk) -> Deployment:
    """Return a deployment that starts from its caches, which must have been trained.

    A JVM whose flags rule its cache out does not start, so that no slow start is measured
    unnoticed.
    Services that are not started from a jar are unchanged.
    """
    prepared_jars = locate(deployment, project, jdk)
    for prepared in prepared_jars.values():
        # `prune` keeps what was used lately.
        with contextlib.suppress(FileNotFoundError):
            os.utime(prepared.jar.parent)
    return _from_copies(
        deployment,
        prepared_jars,
        lambda prepared: (f"-XX:AOTCache={prepared.cache}", "-XX:AOTMode=on"),
    )


def from_copies(deployment: Deployment, project: Project, jdk: Jdk) -> Deployment:
    """Return a deployment that starts from the unpacked copies, without caches."""
    prepared = locate(deployment, project, jdk)
    unpack_all(deployment, prepared, jdk)
    return _from_copies(deployment, prepared, lambda _: ())


def at_hand(deployment: Deployment, project: Project, jdk: Jdk, *options: str) -> Deployment:
    """Return a deployment that starts from the copies, and from caches where there are some.

    `options` are JVM options for which caches need not be trained: those of a quick start that is
    not measured.
    """
    prepared_jars = locate(deployment, project, jdk)
    unpack_all(deployment, prepared_jars, jdk)

    def chosen(prepared: Prepared) -> tuple[str, ...]:
        cache = prepared.trained()
        return options if cache is None else (*options, f"-XX:AOTCache={cache}")

    return _from_copies(deployment, prepared_jars, chosen)


def of_any_heap(flags: Iterable[str]) -> tuple[str, ...]:
    """Return JVM options without those of the heap's size, on which a cache does not depend."""
    return tuple(flag for flag in flags if not flag.startswith(("-Xms", "-Xmx")))


def is_trained(deployment: Deployment, project: Project, jdk: Jdk) -> bool:
    """Return whether every service that can have a cache has one."""
    return all(prepared.cache.is_file() for prepared in locate(deployment, project, jdk).values())


def locate(deployment: Deployment, project: Project, jdk: Jdk) -> dict[str, Prepared]:
    """Return the prepared form of each service that is started from a jar, by name."""
    return {
        service.name: _prepared(service, deployment.variant, project, jdk)
        for service in deployment.services
        if service.command[-2] == "-jar"
    }


def _prepared(service: Service, variant: str, project: Project, jdk: Jdk) -> Prepared:
    jar = Path(service.command[-1])
    state = jar.stat()
    # By content: a build that changes nothing writes the jar anew, and needs no training.
    content = _digest(jar, state.st_mtime_ns, state.st_ctime_ns)
    folder = project.root / ".testbed" / "apps" / jar.stem / content[:16]
    flags = [
        Path(flag[1:]).read_text(encoding="utf-8") if flag.startswith("@") else flag
        for flag in of_any_heap(service.command[1:-2])
    ]
    if folder.is_dir() and not _is_as_unpacked(folder):
        shutil.rmtree(folder, ignore_errors=True)
    key = hashlib.sha256(repr((jdk.version, flags)).encode()).hexdigest()
    return Prepared(folder / jar.name, folder / f"{key[:12]}-{variant}.aot")


def in_use(pid: int) -> bool | None:
    """Return whether a JVM has mapped an AOT cache; None if that cannot be read."""
    try:
        lines = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return any(line.endswith(".aot") for line in lines.splitlines())


def _contents(folder: Path) -> dict[str, str]:
    digests = {}
    for file in sorted(folder.rglob("*.jar")):
        state = file.stat()
        name = str(file.relative_to(folder))
        digests[name] = _digest(file, state.st_mtime_ns, state.st_ctime_ns)
    return digests


def _is_as_unpacked(folder: Path) -> bool:
    try:
        recorded = json.loads((folder / CONTENTS).read_bytes())
    except (OSError, ValueError):
        return False
    return bool(recorded == _contents(folder))


@functools.cache
def _digest(jar: Path, *_state: int) -> str:
    with jar.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def with_each(deployment: Deployment, changed: Callable[[Service], Service]) -> Deployment:
    phases = tuple(tuple(changed(service) for service in phase) for phase in deployment.phases)
    return replace(deployment, phases=phases, spare=tuple(map(changed, deployment.spare)))


def _from_copies(
    deployment: Deployment,
    prepared_jars: Mapping[str, Prepared],
    options: Callable[[Prepared], tuple[str, ...]],
) -> Deployment:
    def started(service: Service) -> Service:
        prepared = prepared_jars.get(service.name)
        return service if prepared is None else prepared.started(service, *options(prepared))

    return with_each(deployment, started)


def unpack_all(deployment: Deployment, prepared_jars: Mapping[str, Prepared], jdk: Jdk) -> None:
    for service in deployment.services:
        if service.name in prepared_jars:
            _unpack(service, prepared_jars[service.name], jdk)


def _unpack(service: Service, prepared: Prepared, jdk: Jdk) -> None:
    """Unpack a jar beside its libraries, atomically."""
    if prepared.jar.is_file():
        return
    folder = prepared.jar.parent
    draft = folder.with_suffix(f".draft-{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    command = [str(jdk.java), "-Djarmode=tools", "-jar", service.command[-1]]
    answer = programs.ask(
        [*command, "extract", "--destination", str(draft)], timeout_s=UNPACK_TIMEOUT_S
    )
    if answer.returncode != 0:
        raise UserError(f"{service.name} cannot be unpacked: {answer.stderr.strip()[-500:]}")
    files.write_json(draft / CONTENTS, _contents(draft))
    try:
        draft.rename(folder)
    except OSError:
        # Another command was quicker.
        shutil.rmtree(draft)


def prune(current: Path) -> None:
    """Remove prepared builds of the same module that nobody has used for `KEEP_S`."""
    for other in current.parent.iterdir():
        # Another command may remove it meanwhile.
        with contextlib.suppress(FileNotFoundError):
            if other != current and time.time() - other.stat().st_mtime > KEEP_S:
                shutil.rmtree(other, ignore_errors=True)

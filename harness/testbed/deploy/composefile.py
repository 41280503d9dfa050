"""Reads compose files without Docker: their services, how each is started, their variables.

Supports what the project's files use: ``include``, ``extends`` within and across files, merge keys,
variables (``${NAME}``, ``${NAME:-default}``, ``${NAME:?}``), environments as maps, published ports,
``depends_on`` and profiles. ``x-embedded`` describes what replaces a service where there are no
containers: the port settings of the embedded backends (``listens``), their further ones
(``settings``), and settings of its clients (``clients``). With a ``program``, such as the server of
the image itself, that replaces it, with these settings.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dotenv
import yaml

from testbed.model.errors import UserError
from testbed.model.project import Project

MANAGEMENT_PORT = "MANAGEMENT_SERVER_PORT"
"""The setting with the port of a service's health and metrics, where that is one of its own."""

_VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<text>[^}]*))?\}")
_PUBLISHED = re.compile(r"(?:[\d.]+:)?(?P<published>\d+):(?P<target>\d+)")


@dataclass(frozen=True)
class Program:
    """A server that is fetched from Maven's central repository as a zip."""

    archive: str
    """Its path in a Maven repository."""
    sha256: str
    prepare: tuple[str, ...]
    """The command that makes it ready to start, once."""
    command: tuple[str, ...]
    """What starts it. As in `prepare`, the first word is a file of the archive."""
    health: str
    """The path that answers 200 when it is ready, at the first port of the service."""
    files: Mapping[str, str]
    """Files of the project, by their paths in the program."""


@dataclass(frozen=True)
class Stub:
    """The replacement of a service where there are no containers.

    `listens` maps port settings of the embedded backends to ports of the service. `clients` is the
    environment of the services whose settings lead to it, `settings` that of the embedded backends.
    A `program` takes their place.
    """

    listens: Mapping[str, int]
    clients: Mapping[str, str]
    settings: Mapping[str, str] = field(default_factory=dict)
    program: Program | None = None


@dataclass(frozen=True)
class ComposeService:
    """One service of a compose file."""

    name: str
    module: str | None
    """The Maven module whose jar its image runs; None for other images."""
    environment: Mapping[str, str]
    """Its settings, without those that the file leaves to the shell."""
    ports: Mapping[int, int]
    """Host ports, by port in the container."""
    after: tuple[str, ...]
    """The services that must be healthy before it starts."""
    profiles: tuple[str, ...] = ()
    """The profiles that start it; empty if it always starts."""
    stub: Stub | None = None

    @property
    def program(self) -> Program | None:
        """What runs in its place where there are no containers; None for the embedded backends."""
        return None if self.stub is None else self.stub.program

    @property
    def inside(self) -> tuple[int, ...]:
        """Its ports in the container, the one with its health first."""
        return health_first(self.ports, self.environment)


@dataclass
class _Files:
    """The content of the files read so far, before merging and without variables filled in."""

    read: dict[Path, dict[str, Any]] = field(default_factory=dict)

    def names(self, file: Path) -> Iterator[tuple[Path, str]]:
        """Yield the services of a file and of those that it includes, each with its file."""
        yield from ((file, name) for name in self.services(file))
        for included in self.read[file].get("include", ()):
            yield from self.names((file.parent / included).resolve())

    def service(self, file: Path, name: str) -> dict[str, Any]:
        """Return a service merged with everything that it extends."""
        services = self.services(file)
        if name not in services:
            raise UserError(f"{file.name} has no service {name!r}")
        own = dict(services[name])
        if "volumes" in own:
            own["volumes"] = [_anchored(volume, file.parent) for volume in own["volumes"]]
        base = own.pop("extends", None)
        if base is None:
            return own
        origin = (file.parent / base["file"]).resolve() if "file" in base else file
        merged: dict[str, Any] = _merged(self.service(origin, base["service"]), own)
        return merged

    def services(self, file: Path) -> dict[str, Any]:
        if file not in self.read:
            try:
                content = _content(file.read_text(encoding="utf-8"))
            except (OSError, yaml.YAMLError) as problem:
                raise UserError(f"{file} cannot be read: {problem}") from problem
            if not isinstance(content, dict) or not isinstance(content.get("services"), dict):
                raise UserError(f"{file} has no services")
            self.read[file] = content
        services: dict[str, Any] = self.read[file]["services"]
        return services


@functools.cache
def _content(text: str) -> Any:
    """Parse a compose file. Each is read several times on the way to a start."""
    return yaml.safe_load(text)


def env_files(project: Project, environ: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the files with the variables of the compose files; later files override earlier ones.

    ``TESTBED_ENV_FILE`` names a further file, read after ``.env``. Raises `UserError` if a file is
    missing.
    """
    # An installed package has no compose files, and so no variables of theirs.
    files = [project.root / ".env"] if project.is_checkout else []
    if further := environ.get("TESTBED_ENV_FILE"):
        files.append(Path(further).absolute())
    for file in files:
        if not file.is_file():
            raise UserError(f"no {project.shown(file)}")
    return tuple(files)


def variables(project: Project, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables of the compose files; `environ` overrides the files, as in compose."""
    merged = values(env_files(project, environ)) | dict(environ)
    return {name: value for name, value in merged.items() if value is not None}


def values(files: Iterable[Path]) -> dict[str, str | None]:
    """Return the variables that files set; later files override earlier ones."""
    merged: dict[str, str | None] = {}
    for file in files:
        merged |= dotenv.dotenv_values(file)
    return merged


def read(file: Path, variables: Mapping[str, str]) -> dict[str, ComposeService]:
    """Return the services of a compose file by name, in its order; included ones come last.

    Raises `UserError` if a file cannot be read, or a required variable is not set.
    """
    return {name: parsed(name, service) for name, service in written(file, variables).items()}


def project_name(file: Path) -> str:
    """Return the name that a compose file gives its project."""
    return str(yaml.safe_load(file.read_text(encoding="utf-8"))["name"])


def written(file: Path, variables: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the services of a compose file by name as maps, each with what it extends.

    Variables are filled in, and files that are mounted have absolute paths. Raises as `read` does.
    """
    files, services = _Files(), {}
    for origin, name in files.names(file):
        try:
            services[name] = filled(files.service(origin, name), variables)
        except KeyError as missing:
            message = f"{file.name}, service {name}: variable {missing} is not set"
            raise UserError(message) from missing
    return services


def health_first(ports: Iterable[int], environment: Mapping[str, str | None]) -> tuple[int, ...]:
    """Return the ports of a service's container, the one with its health first."""
    return tuple(sorted(ports, key=lambda port: str(port) != environment.get(MANAGEMENT_PORT)))


def phases(services: Iterable[ComposeService]) -> list[list[ComposeService]]:
    """Return services by start phase; each starts after those that it waits for.

    Raises `UserError` if services wait for one another.
    """
    left = {service.name: service for service in services}
    ordered: list[list[ComposeService]] = []
    while left:
        free = [
            service for service in left.values() if not any(name in left for name in service.after)
        ]
        if not free:
            raise UserError(f"services wait for one another: {', '.join(left)}")
        ordered.append(free)
        for service in free:
            del left[service.name]
    return ordered


def parsed(name: str, written: Mapping[str, Any]) -> ComposeService:
    """Return a service from its map."""
    published = [_PUBLISHED.fullmatch(str(port)) for port in written.get("ports", ())]
    stub = written.get("x-embedded")
    return ComposeService(
        name=name,
        module=written.get("build", {}).get("args", {}).get("SERVICE"),
        environment={
            key: str(value)
            for key, value in written.get("environment", {}).items()
            if value is not None
        },
        ports={int(port["target"]): int(port["published"]) for port in published if port},
        after=tuple(written.get("depends_on", ())),
        profiles=tuple(written.get("profiles", ())),
        stub=None if stub is None else _stub(stub),
    )


def _stub(written: Mapping[str, Any]) -> Stub:
    program = written.get("program")
    return Stub(
        written["listens"],
        written.get("clients", {}),
        written.get("settings", {}),
        None
        if program is None
        else Program(
            program["archive"],
            program["sha256"],
            tuple(program["prepare"]),
            tuple(program["command"]),
            program["health"],
            program.get("files", {}),
        ),
    )


def _merged(base: Any, own: Any) -> Any:
    """Merge a value of a service into that of its base: maps and lists add up, others replace."""
    if isinstance(base, dict) and isinstance(own, dict):
        return {
            **base,
            **{key: _merged(base[key], own[key]) if key in base else own[key] for key in own},
        }
    if isinstance(base, list) and isinstance(own, list):
        return [*base, *own]
    return own


def _anchored(volume: str, folder: Path) -> str:
    """Return a volume whose source, if it is a file or folder of the project, is absolute."""
    return str(folder / volume) if volume.startswith(".") else volume


def filled(written: Any, variables: Mapping[str, str]) -> Any:
    """Fill in variables; raise `KeyError` for a ``${NAME:?}`` without a value."""
    if isinstance(written, dict):
        return {key: filled(value, variables) for key, value in written.items()}
    if isinstance(written, list):
        return [filled(value, variables) for value in written]
    if not isinstance(written, str):
        return written

    def value(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        given = variables.get(match["name"])
        if match["kind"] is None:
            return given or ""
        if match["kind"] == "-":
            return given or match["text"]
        if not given:
            raise KeyError(match["name"])
        return given

    return _VARIABLE.sub(value, written)

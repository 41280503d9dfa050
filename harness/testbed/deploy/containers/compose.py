"""Runs a variant in containers, from its compose file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from testbed.deploy import composefile, groups, ports, programs
from testbed.deploy.meter import MB, Meter
from testbed.deploy.record import Compose
from testbed.experiment.parts import ServiceLimits
from testbed.model.errors import UserError, unknown
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import instance

WITHOUT = (
    ", or choose the embedded backends (--backends embedded; in an experiment, backends: embedded)"
)

_NUMBER = re.compile(r"-(\d+)$")
"""The number of an instance, at the end of its container's name."""

KILLED = 137
"""The exit code of a container that had to be killed."""


@dataclass(frozen=True)
class Container:
    """One container of a stack; `exit_code` is 0 while it runs.

    `state` and `health` are as Docker reports them, such as ``running`` and ``healthy``; without a
    health check, `health` is empty. `number` is that of the instance, from 1. `ports` are on the
    host, by port in the container.
    """

    service: str
    id: str
    state: str
    exit_code: int
    number: int = 1
    ports: Mapping[int, int] = field(default_factory=dict)
    health: str = ""

    @property
    def name(self) -> str:
        return instance(self.service, self.number)

    @property
    def as_meant(self) -> bool:
        """Whether it runs or has ended without an error."""
        return self.state == "running" or (self.state == "exited" and self.exit_code == 0)


def require_docker(alone: Iterable[str] = ()) -> None:
    """Check that Docker and its compose plugin answer; raise `UserError` with what is missing.

    `alone` are the services that run in containers only: with any, nothing else can be chosen.
    """
    names = ", ".join(alone)
    otherwise = f": {names} runs in containers only" if names else WITHOUT
    if shutil.which("docker") is None:
        raise UserError(
            "Docker not found: no docker on PATH",
            f"Install Docker with its compose plugin{otherwise}.",
        )
    for command, what in (
        (("docker", "info", "--format", "{{.ServerVersion}}"), "the Docker daemon does not answer"),
        (("docker", "compose", "version"), "Docker has no compose plugin"),
    ):
        try:
            answer = programs.ask(command)
        except UserError:
            raise UserError(what, f"Start Docker{otherwise}.") from None
        if answer.returncode != 0:
            reason = (answer.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise UserError(f"{what}: {reason}", f"Put that right{otherwise}.")


def describe(project: Project, name: str, environ: Mapping[str, str] = os.environ) -> Compose:
    """Return the compose stack of a file; raise `UserError` if a file is missing."""
    file = project.root / name
    if not file.is_file():
        raise UserError(f"no {project.shown(file)}")
    return Compose((file,), composefile.env_files(project, environ))


class Replaced(list[str]):
    """A list that replaces that of the compose file; compose would otherwise append it."""


class Removed:
    """Stands for a key of the compose file that goes."""


class _Dumper(yaml.SafeDumper):
    """Writes `Replaced` and `Removed` with tags, which compose 2.24.4 and newer know."""


_Dumper.add_representer(
    Replaced, lambda dumper, items: dumper.represent_sequence("!override", items)
)
_Dumper.add_representer(Removed, lambda dumper, _: dumper.represent_scalar("!reset", "null"))


def changes(
    services: Mapping[str, Iterable[int]],
    settings: Mapping[str, str],
    replicas: Mapping[str, int],
    limits: Mapping[str, ServiceLimits],
    images: Mapping[str, str],
) -> dict[str, dict[str, Any]]:
    """Return the keys of a compose file to change, by service.

    `services` has the container ports of each service. `images` has those to use in place of its
    own. Where there are several instances, Docker chooses the host ports. No service is started
    again by Docker: one that ends has failed.
    """
    by_service: dict[str, dict[str, Any]] = {}
    # Compose would put variables of the shell in the place of $NAME.
    plain = {key: value.replace("$", "$$") for key, value in settings.items()}
    for name, inside in services.items():
        keys: dict[str, Any] = {"restart": "no"} | ({"environment": plain} if plain else {})
        keys |= {"image": images[name]} if name in images else {}
        if replicas.get(name, 1) > 1:
            published = Replaced(f"{ports.LOOPBACK}::{port}" for port in inside)
            keys |= {"scale": replicas[name], "ports": published}
        if (limit := limits.get(name)) is not None:
            keys |= {} if limit.cpus is None else {"cpus": limit.cpus}
            keys |= {} if limit.memory_mb is None else {"mem_limit": limit.memory_mb * MB}
        by_service[name] = keys
    return by_service


def changed(
    compose: Compose, project: Project, keys: Mapping[str, Mapping[str, Any]], **others: Any
) -> Compose:
    """Return the stack with other keys of some services, by a further compose file.

    `others` are keys of that file beside ``services``.
    """
    if not keys:
        return compose
    # Compose merges environments by key.
    text = yaml.dump({"services": dict(keys), **others}, Dumper=_Dumper)
    # One file per set of keys, because the systems of an experiment differ in them.
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    override = project.state / f"compose-changes-{digest}.yml"
    override.parent.mkdir(parents=True, exist_ok=True)
    override.write_text(text, encoding="utf-8")
    return replace(compose, files=(*compose.files, override))


def moved(
    compose: Compose, project: Project, offset: int, environ: Mapping[str, str] = os.environ
) -> Compose:
    """Return the stack on other published ports, by a further file with variables.

    `offset` is added to every ``PORT_...`` variable; 0 leaves the stack unchanged. A moved stack
    has a project name of its own: the same variant may be up already. Raises `UserError` if
    `environ` has such a variable, which would override the file.
    """
    if not offset:
        return compose
    variables = {
        name: port
        for name, port in composefile.values(compose.env_files).items()
        if name.startswith("PORT_")
    }
    if fixed := sorted(variables.keys() & environ.keys()):
        raise UserError(
            f"{', '.join(fixed)} cannot be moved: set in the environment",
            "Unset it, or leave the port offset out.",
        )
    name = f"{composefile.project_name(compose.files[0])}-{offset}"
    moved = {key: str(int(port or 0) + offset) for key, port in variables.items()}
    lines = [f"{key}={value}" for key, value in (moved | {"COMPOSE_PROJECT_NAME": name}).items()]
    override = project.state / f"compose-{name}.env"
    override.parent.mkdir(parents=True, exist_ok=True)
    override.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Compose(compose.files, (*compose.env_files, override))


def resolved(compose: Compose, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the services of a stack by name, as compose reads its files; each has an ``image``.

    Raises `UserError` if compose cannot read the files.
    """
    services: dict[str, Any] = whole(compose, environ)["services"]
    return services


def whole(compose: Compose, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what compose reads in the files of a stack, services as by `resolved`."""
    return with_images(json.loads(output(compose, "config", "--format", "json", environ=environ)))


def with_images(stack: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stack whose services all have an ``image``: by default that of a built one."""
    services = {
        name: {"image": f"{stack['name']}-{name}", **service}
        for name, service in stack["services"].items()
    }
    return {**stack, "services": services}


def published(services: Mapping[str, Any], name: str, port: int) -> int:
    """Return the host port of a service's port; raise `UserError` if it is not published."""
    for mapping in services.get(name, {}).get("ports", ()):
        if mapping["target"] == port and "published" in mapping:
            return int(mapping["published"])
    raise UserError(f"port {port} of {name} is not published by the compose file")


def published_ports(services: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the host ports of each service, by name; the one with its health first."""
    by_service = {}
    for name, service in services.items():
        host = {
            int(port["target"]): int(port["published"])
            for port in service.get("ports", ())
            if "published" in port
        }
        inside = composefile.health_first(host, service.get("environment", {}))
        by_service[name] = tuple(host[port] for port in inside)
    return by_service


def watching(services: Mapping[str, Any]) -> frozenset[str]:
    """Return the services that only watch the others: those with a profile."""
    return frozenset(name for name, service in services.items() if service.get("profiles"))


def up(compose: Compose, environ: Mapping[str, str], log: Path) -> None:
    """Start all containers and wait until they are healthy.

    Raises `UserError` with the end of the output if that fails.
    """
    _carry_out(compose, ("up", "--detach", "--wait"), environ, log)


def _carry_out(
    compose: Compose, task: tuple[str, ...], environ: Mapping[str, str], log: Path
) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    code = programs.run_in_foreground(
        [*_command(compose), *task], environ, compose.files[0].parent, log
    )
    if code != 0:
        raise UserError(
            f"docker compose {task[0]} failed:\n" + tail(log),
            f"What each container said is in {log.parent}.",
        )


def down(compose: Compose) -> None:
    """Stop and remove all containers; raise `UserError` if that fails.

    Data volumes are kept, unless they are those of one start.
    """
    rest = ("--volumes", "--remove-orphans") if compose.project else ()
    output(compose, "down", *rest, timeout_s=180)


def containers(compose: Compose) -> list[Container]:
    """Return the containers of a stack, including those that ended."""
    text = output(compose, "ps", "--all", "--format", "json").strip()
    # One object per line or one array, depending on the plugin's version.
    rows = json.loads(text) if text.startswith("[") else map(json.loads, text.splitlines())
    return [
        Container(
            row["Service"],
            row["ID"],
            row["State"],
            int(row["ExitCode"]),
            int(number[1]) if (number := _NUMBER.search(row.get("Name", ""))) else 1,
            # 0 stands for a port that is not published.
            {
                publisher["TargetPort"]: publisher["PublishedPort"]
                for publisher in row.get("Publishers") or ()
                if publisher["PublishedPort"]
            },
            row.get("Health") or "",
        )
        for row in rows
    ]


def keep_logs(compose: Compose, folder: Path) -> None:
    """Write the output of each container into ``INSTANCE.log``; skip what Docker does not give."""
    with contextlib.suppress(UserError):
        for container in containers(compose):
            answer = programs.ask(("docker", "logs", container.id))
            said = answer.stdout + answer.stderr
            (folder / f"{container.name}.log").write_text(said, encoding="utf-8")


def image_ids(services: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the id of each service's image; None if the image is not on this machine.

    `services` is the result of `resolved`.
    """
    ids = {}
    for name, service in services.items():
        answer = programs.ask(
            ("docker", "image", "inspect", "--format", "{{.Id}}", service["image"])
        )
        ids[name] = answer.stdout.strip() if answer.returncode == 0 else None
    return ids


def fetch_images(
    compose: Compose, services: Mapping[str, Any], environ: Mapping[str, str], log: Path
) -> None:
    """Build or pull the images of some services, as `resolved` returns them.

    Raises `UserError` with the end of the output if that fails.
    """
    for task, ours in (("build", True), ("pull", False)):
        if names := [name for name, service in services.items() if ("build" in service) is ours]:
            _carry_out(compose, (task, *names), environ, log)


def logs_command(compose: Compose, service: str | None, follow: bool) -> list[str]:
    options = [*(["--follow"] if follow else []), *([service] if service else [])]
    return [*_command(compose), "logs", "--tail", "100", *options]


def meter(ids: Mapping[str, str]) -> Meter:
    """Return the cheapest meter that can read these containers; `ids` holds them by name."""
    files = {name: groups.group_files(pid) for name, pid in pids(ids).items()}
    host = groups.GroupMeter({name: paths for name, paths in files.items() if paths})
    # The host cannot read containers that run in a virtual machine.
    return host if set(host.read()) == set(ids) else inner_meter(ids)


def inner_meter(ids: Mapping[str, str]) -> Meter:
    """Return the meter that reads these containers from inside; `ids` holds them by name."""
    return groups.InnerMeter({name: ("docker", "exec", id_) for name, id_ in ids.items()})


def pids(ids: Mapping[str, str]) -> dict[str, str]:
    """Return the pid of each container's first process, as Docker's host has it."""
    return {
        name: programs.ask(("docker", "inspect", "--format", "{{.State.Pid}}", id_)).stdout.strip()
        for name, id_ in ids.items()
    }


def find(compose: Compose, name: str) -> Container:
    """Return the container of an instance; raise `UserError` if there is none."""
    by_name = {container.name: container for container in containers(compose)}
    if name not in by_name:
        raise unknown("service", name, by_name)
    return by_name[name]


def set_cpus(container: Container, cpus: float | None) -> None:
    """Change the CPU limit of a running container, in cores; None allows it the whole machine.

    Raises `UserError` if that fails.
    """
    # Compose has limited it by --cpus: Docker then refuses a quota, and takes 0 for no change.
    limit = (os.cpu_count() or 1) if cpus is None else cpus
    docker("update", f"--cpus={limit:g}", container.id)


def docker(*task: str) -> str:
    """Return what a command of Docker prints; raise `UserError` if it fails."""
    return programs.output_of(f"docker {task[0]}", ("docker", *task))


def output(compose: Compose, *task: str, **options: Any) -> str:
    """Return what a command of compose prints; raise `UserError` if it fails."""
    command = (*_command(compose), *task)
    return programs.output_of(f"docker compose {task[0]}", command, **options)


def _command(compose: Compose) -> list[str]:
    command = ["docker", "compose", "--progress", "plain"]
    command += ["--project-name", compose.project] if compose.project else []
    for file in compose.env_files:
        command += ["--env-file", str(file)]
    for file in compose.files:
        command += ["--file", str(file)]
    return command

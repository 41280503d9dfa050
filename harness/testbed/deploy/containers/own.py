"""Deploys a user's own system in containers: their compose file, with images to compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from testbed.deploy import deployments, ports
from testbed.deploy.containers import compose
from testbed.deploy.containers.deployer import ContainerDeployer
from testbed.deploy.deployments import Choice
from testbed.deploy.record import Compose
from testbed.deploy.services import Deployment
from testbed.model.errors import UserError, unknown
from testbed.model.project import Project

MOST_PORTS = 1000
"""Systems that are up together have ports so far apart."""


class OwnContainerDeployer(ContainerDeployer):
    """Deploys the containers of a user's compose file under a project name of their own.

    So they run beside those of the same file, and everything of theirs goes with them.
    """

    with_prometheus = False

    @classmethod
    def describe(cls, choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
        compose.require_docker([Path(choice.system.compose).name])
        return from_compose(choice, project, environ)

    @classmethod
    def _with_images(cls, project: Project, deployment: Deployment) -> Compose:
        assert deployment.compose is not None
        return deployment.compose


def from_compose(choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
    """Return how a user's own system is started in containers.

    Raises `UserError` if compose cannot read the file, or if its containers cannot run twice.
    """
    front = choice.system.front
    file = Path(choice.system.compose)
    stack = read(file, project, environ)
    for parameter, service in (
        ("front", front.service),
        *(("image", name) for name in choice.images),
    ):
        if service not in stack["services"]:
            raise unknown(
                f"service of {project.shown(file)} ({parameter})", service, stack["services"]
            )
    if (problem := next(_meet(stack, front.service), None)) is not None:
        raise UserError(
            f"{project.shown(file)}: {problem}",
            "Change a copy of the file, or compare two services that run already.",
        )
    port = _free_from(choice.system.free_from + choice.port_offset)
    # The port makes the name unique on this machine.
    name = f"testbed-{choice.variant}-{port}"
    keys = changes(stack, name, choice, port)
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=(),
        converged=deployments.convergence(choice.system, port),
        front_ports=(port,),
        mongodb_uri=None,
        compose=replace(compose.changed(Compose((file,), ()), project, **keys), project=name),
        published={front.service: (port,)},
        # What they tell of themselves is not known.
        others=frozenset(stack["services"]),
    )


def read(file: Path, project: Project, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what compose reads in a user's file, see `compose.whole`.

    Raises `UserError` if there is no such file, or if compose cannot read it.
    """
    shown = project.shown(file)
    if not file.is_file():
        raise UserError(f"no compose file {shown}")
    try:
        return compose.whole(Compose((file,), ()), environ)
    except UserError as problem:
        reason = problem.message.partition("\n")[2] or problem.message
        raise UserError(f"{shown} is not a compose file that Docker can read: {reason}") from None


def changes(stack: Mapping[str, Any], name: str, choice: Choice, port: int) -> dict[str, Any]:
    """Return the keys of a further compose file, with which a stack runs beside others of its file.

    `name` is that of its project. Only its front is published, at `port`. No image is built or
    replaced when it starts, and nothing outside is shared or found by a fixed name.
    """
    # Without its name a built image would have that of this project.
    images = {service: given["image"] for service, given in stack["services"].items()}
    services = compose.changes(
        dict.fromkeys(images, ()), choice.settings, {}, {}, {**images, **choice.images}
    )
    front = choice.system.front
    for service, keys in services.items():
        given = stack["services"][service]
        keys["pull_policy"] = "missing"
        if service in choice.images and "build" in given:
            keys["build"] = compose.Removed()
        is_front = service == front.service
        published = [f"{ports.LOOPBACK}:{port}:{front.port}"] if is_front else []
        keys["ports"] = compose.Replaced(published)
        if "container_name" in given:
            keys["container_name"] = f"{name}-{service}"
    named = {
        kind: {key: {"name": f"{name}_{key}"} for key in stack[kind]}
        for kind in ("networks", "volumes")
        if stack.get(kind)
    }
    return {"keys": services, **named}


def _meet(stack: Mapping[str, Any], front: str) -> Iterator[str]:
    """Yield where two stacks of one file would meet, or could not both be up."""
    for kind in ("networks", "volumes"):
        for key, given in (stack.get(kind) or {}).items():
            if given.get("external"):
                yield f"{kind[:-1]} {key!r} is external: both versions would share it"
            if given.get("ipam", {}).get("config"):
                yield f"{kind[:-1]} {key!r} has addresses of its own: both versions would need them"
    for name, given in stack["services"].items():
        if given.get("network_mode") == "host":
            yield f"{name} has network_mode host: both versions would need its ports"
    service = stack["services"][front]
    if (count := service.get("deploy", {}).get("replicas") or service.get("scale") or 1) > 1:
        yield f"{front} runs in {count} containers, which cannot share a port"


def _free_from(first: int) -> int:
    candidates = range(first, min(first + MOST_PORTS, 65_536))
    port = next((port for port in candidates if ports.is_free(port)), None)
    if port is None:
        raise UserError(
            f"no port is free from {first}; choose a smaller port or another --port-offset"
        )
    return port

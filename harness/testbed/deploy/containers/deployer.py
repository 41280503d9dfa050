"""Deploys a system as containers, by its compose file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from urllib.parse import quote_plus

from testbed.deploy import deployments, ports
from testbed.deploy.containers import compose
from testbed.deploy.deployer import Deployer, Notice, Part, polls, with_usage
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import Meter
from testbed.deploy.record import Compose, StackRecord
from testbed.deploy.services import Deployment
from testbed.model import systems
from testbed.model.errors import UserError, unknown
from testbed.model.files import tail
from testbed.model.project import Project

_NETWORKS = "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}"


def in_containers(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a system is started in containers, including backends.

    Raises `UserError` if it has jars of its own, or a number of services of a kind: images have the
    project's jars, and compose files their services.
    """
    deployments.require_services_as_declared(choice)
    front = choice.system.front
    if choice.replicas.get(front.service, 1) > 1:
        raise UserError(
            f"replicas: the front door, {front.service}, cannot be several containers: they share "
            "its port",
            "Choose backends embedded or local.",
        )
    unmoved = compose.describe(project, choice.system.compose, environ)
    files = compose.moved(unmoved, project, choice.port_offset, environ)
    resolved = compose.resolved(files, environ)
    # Images have the name of the compose project: a moved stack uses those of the other.
    built = compose.resolved(unmoved, environ) if choice.port_offset else {}
    services = deployments.described(choice, project, environ)
    own = {name: tuple(service.ports) for name, service in services.items() if service.module}
    changes = compose.changes(
        own,
        choice.settings,
        choice.replicas,
        choice.limits,
        {name: service["image"] for name, service in built.items()},
    )
    scaled = {
        name: services[name].inside[0] for name, count in choice.replicas.items() if count > 1
    }
    port_of = partial(compose.published, resolved)
    front_port = port_of(front.service, front.port)
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=(),
        converged=deployments.convergence(
            choice.system, front_port, deployments.registry(services, choice, port_of)
        ),
        front_ports=(front_port,),
        mongodb_uri=deployments.mongodb_uri(
            choice.system, port_of, account=_mongodb_account(choice, resolved)
        ),
        postgresql_uri=deployments.postgresql_uri(
            choice.system, port_of, _postgresql_account(choice, resolved)
        ),
        stored=choice.stored,
        compose=compose.changed(files, project, changes),
        published=compose.published_ports(resolved) | dict.fromkeys(scaled, ()),
        others=frozenset(resolved.keys() - own.keys()),
        watching=compose.watching(resolved),
        scaled=scaled,
    )


def _mongodb_account(choice: Choice, services: Mapping[str, Any]) -> str:
    """Return the account of MongoDB's container for its address; empty if it has none."""
    if choice.system.reset is None:
        return ""
    environment = services[choice.system.reset.service].get("environment", {})
    name, password = (
        environment.get(f"MONGO_INITDB_ROOT_{part}") for part in ("USERNAME", "PASSWORD")
    )
    return f"{quote_plus(name)}:{quote_plus(password)}@" if name and password else ""


def _postgresql_account(choice: Choice, services: Mapping[str, Any]) -> str:
    if choice.system.restore is None:
        return ""
    environment = services[choice.system.restore.service]["environment"]
    return ":".join(quote_plus(environment[f"POSTGRES_{part}"]) for part in ("USER", "PASSWORD"))


class ContainerDeployer(Deployer):
    """Deploys the containers of a compose stack."""

    needs = ("Docker",)
    with_prometheus = True
    runtime = ("containerd", "containerd-shim", "docker-proxy", "dockerd")
    """One of them carries the connections of containers."""

    @classmethod
    def require(cls) -> None:
        compose.require_docker()

    @classmethod
    def describe(cls, choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
        compose.require_docker(deployments.in_containers_only(choice, project, environ))
        return in_containers(choice, project, environ)

    @classmethod
    def images(
        cls,
        project: Project,
        deployment: Deployment,
        environ: Mapping[str, str],
        step: Callable[[str], AbstractContextManager[object]],
    ) -> Mapping[str, str | None]:
        """Return the id of each image."""
        variant = deployment.variant
        files = cls._with_images(project, deployment)
        services = compose.resolved(files, environ)
        ids = compose.image_ids(services)
        if missing := {name: services[name] for name, id_ in ids.items() if id_ is None}:
            with step(f"Fetching the images of {variant}"):
                compose.fetch_images(files, missing, environ, project.logs / "compose.log")
            ids = compose.image_ids(services)
        return {service: ids[service] for service in sorted(ids)}

    @classmethod
    def _with_images(cls, project: Project, deployment: Deployment) -> Compose:
        """Return the files that name the images: a moved stack uses those of the other."""
        return compose.describe(project, systems.declaration(deployment.variant).compose)

    @classmethod
    def parts(cls, record: StackRecord) -> list[Part]:
        containers = compose.containers(_files(record))
        meter = compose.inner_meter({container.name: container.id for container in containers})
        return with_usage(
            (Part(container.name, container.state, container.as_meant) for container in containers),
            meter,
        )

    @classmethod
    def logs_command(cls, record: StackRecord, service: str | None, follow: bool) -> list[str]:
        return compose.logs_command(_files(record), service, follow)

    @classmethod
    def end(cls, record: StackRecord, grace_s: float) -> list[str]:
        compose.down(_files(record))
        return []

    @classmethod
    def amqp_settings(cls, record: StackRecord, environ: Mapping[str, str]) -> Mapping[str, str]:
        services = compose.resolved(_files(record), environ)
        for service in services.values():
            settings = service.get("environment") or {}
            if "RABBITMQ_PORT" in settings:
                server, port = settings["RABBITMQ_HOST"], int(settings["RABBITMQ_PORT"])
                return settings | {
                    "RABBITMQ_HOST": ports.LOOPBACK,
                    "RABBITMQ_PORT": str(compose.published(services, server, port)),
                }
        return {}

    def start(self, notice: Notice) -> None:
        notice("healthy containers")
        environ = {**self._environ, "TESTBED_PRESET": self._deployment.preset}
        compose.up(self._files, environ, self._project.logs / "compose.log")

    def keep_logs(self) -> None:
        compose.keep_logs(self._files, self._project.logs)

    def require_alive(self, *, at_once: bool = False) -> None:
        # Docker takes a while to answer.
        for container in () if at_once else compose.containers(self._files):
            if not container.as_meant:
                self.keep_logs()
                raise UserError(
                    f"container {container.name} is {container.state}:\n"
                    + tail(self._project.logs / f"{container.name}.log")
                )

    def stop_instance(self, name: str, grace_s: float) -> bool:
        compose.docker("stop", "-t", f"{grace_s:.0f}", compose.find(self._files, name).id)
        return compose.find(self._files, name).exit_code == compose.KILLED

    def kill_instance(self, name: str) -> None:
        compose.docker("kill", compose.find(self._files, name).id)

    def start_instance(self, name: str, cpus: float | None) -> None:
        """Start an ended container; its limit is still the one that it had."""
        compose.docker("start", compose.find(self._files, name).id)
        for _ in polls(self._ready_s):
            container = compose.find(self._files, name)
            if container.state == "running" and container.health in ("healthy", ""):
                return
        raise UserError(f"not healthy in {self._ready_s:.0f} s: {name}")

    def meter(self) -> Meter:
        return compose.meter(self._running())

    def pids(self) -> tuple[int, ...]:
        pids = compose.pids(self._running()).values()
        return tuple(int(pid) for pid in pids if pid.isdigit())

    def endpoints(self) -> dict[str, int]:
        published = dict(self._deployment.published)
        if scaled := self._deployment.scaled:
            for container in compose.containers(self._files):
                if scaled.get(container.service) in container.ports:
                    outside = container.ports[scaled[container.service]]
                    published[container.name] = (outside,)
        return {
            name: ports[0]
            for name, ports in published.items()
            if ports and name not in self._deployment.others
        }

    @contextlib.contextmanager
    def suspended(self, service: str) -> Iterator[None]:
        compose.output(self._files, "pause", service)
        try:
            yield
        finally:
            compose.output(self._files, "unpause", service)

    @contextlib.contextmanager
    def cut_off(self, service: str) -> Iterator[None]:
        containers = compose.containers(self._files)
        ours = [container.id for container in containers if container.service == service]
        if not ours:
            raise unknown("service", service, {container.service for container in containers})
        cut: list[tuple[str, str]] = []
        try:
            for id_ in ours:
                for network in compose.docker("inspect", "--format", _NETWORKS, id_).split():
                    compose.docker("network", "disconnect", network, id_)
                    cut.append((network, id_))
            yield
        finally:
            for network, id_ in cut:
                compose.docker("network", "connect", "--alias", service, network, id_)

    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        # Docker takes a while to answer.
        for container in compose.containers(self._files) if cpus else ():
            if container.service in cpus:
                compose.set_cpus(container, cpus[container.service])

    @property
    def _files(self) -> Compose:
        return _files(self._deployment)

    def _running(self) -> dict[str, str]:
        """Return the ids of the system's running containers, by instance."""
        return {
            container.name: container.id
            for container in compose.containers(self._files)
            if container.state == "running" and container.service not in self._deployment.watching
        }


def _files(stack: Deployment | StackRecord) -> Compose:
    assert stack.compose is not None
    return stack.compose

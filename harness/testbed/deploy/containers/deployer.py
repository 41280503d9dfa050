"""Deploys a system as containers, by its compose file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from testbed.deploy import ports
from testbed.deploy.containers import compose
from testbed.deploy.containers.deployment import in_containers
from testbed.deploy.deployer import Deployer, Notice, Part, polls, with_usage
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import Meter
from testbed.deploy.record import Compose, StackRecord
from testbed.deploy.services import Deployment
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.files import tail
from testbed.model.project import Project


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
        cls.require()
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
        files = compose.describe(project, systems.declaration(variant).compose)
        services = compose.resolved(files, environ)
        ids = compose.image_ids(services)
        if missing := {name: services[name] for name, id_ in ids.items() if id_ is None}:
            with step(f"Fetching the images of {variant}"):
                compose.fetch_images(files, missing, environ, project.logs / "compose.log")
            ids = compose.image_ids(services)
        return {service: ids[service] for service in sorted(ids)}

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
    def amqp_settings(
        cls, record: StackRecord, environ: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        services = compose.resolved(_files(record), environ)
        for service in services.values():
            settings = service.get("environment") or {}
            if "RABBITMQ_PORT" in settings:
                server, port = settings["RABBITMQ_HOST"], int(settings["RABBITMQ_PORT"])
                return settings | {
                    "RABBITMQ_HOST": ports.LOOPBACK,
                    "RABBITMQ_PORT": str(compose.published(services, server, port)),
                }
        return None

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

    def suspended(self, service: str) -> AbstractContextManager[None]:
        return compose.paused(self._files, service)

    def cut_off(self, service: str) -> AbstractContextManager[None]:
        return compose.disconnected(self._files, service)

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

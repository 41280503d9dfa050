"""Deploys a system on Kubernetes, in a namespace of its own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from testbed.deploy import composefile, deployments, ports, programs
from testbed.deploy.deployer import Deployer, Notice, Part, polls, with_usage
from testbed.deploy.deployments import Choice
from testbed.deploy.kubernetes import cluster
from testbed.deploy.meter import Meter
from testbed.deploy.programs import ProcessId
from testbed.deploy.record import Cluster, Running, StackRecord
from testbed.deploy.services import Deployment
from testbed.model.errors import UserError
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import Endpoint

FORWARD = "port-forward"
"""The name prefix of the port-forward processes. One leads to the front door, for the check of full
answers; one to the database, which is emptied between runs.
"""


def overlays(project: Project, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder with a kustomization for each system, and one for the load generators.

    The environment variable ``KUBERNETES_OVERLAYS`` names it, if it is not the project's.
    """
    given = environ.get("KUBERNETES_OVERLAYS")
    return Path(given or project.root / "kubernetes" / "overlays").absolute()


class ClusterDeployer(Deployer):
    """Deploys pods. Their metrics are not scraped."""

    where = "on Kubernetes"
    needs = ("a Kubernetes cluster",)
    on_this_machine = False

    @classmethod
    def describe(cls, choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
        """Return how a system is started on Kubernetes, by the current context of kubectl.

        Raises `UserError` if the cluster does not answer, has no room or lacks an image, or if the
        system has jars of its own or a number of services of a kind: manifests have their services.
        """
        deployments.require_services_as_declared(choice)
        front, suffix = choice.system.front, f"-{choice.port_offset}" if choice.port_offset else ""
        place = Cluster(cluster.context(), f"testbed-run-{choice.variant}{suffix}")
        services = deployments.described(choice, project, environ)
        settings = {**choice.settings, "TESTBED_PRESET": choice.preset}
        documents = cluster.changed(
            cluster.manifests(overlays(project, environ) / choice.variant),
            place.namespace,
            {name: settings for name, service in services.items() if service.module},
            choice.replicas,
            choice.limits,
        )
        cluster.require_possible(place, documents)

        def forwarded(endpoint: Endpoint) -> tuple[int, int]:
            return services[endpoint.service].ports[
                endpoint.port
            ] + choice.port_offset, endpoint.port

        led_to, uri = {front.service: forwarded(front)}, None
        if (reset := choice.system.reset) is not None:
            led_to[reset.service] = forwarded(reset)
            account = composefile.variables(project, environ).get("MONGODB_ACCOUNT", "")
            uri = f"mongodb://{account}{ports.LOOPBACK}:{led_to[reset.service][0]}/?directConnection=true"
        account = "{POSTGRESQL_USERNAME}:{POSTGRESQL_PASSWORD}"
        if (restore := choice.system.restore) is not None:
            led_to[restore.service] = forwarded(restore)
            account = account.format_map(composefile.variables(project, environ))
        return Deployment(
            variant=choice.variant,
            preset=choice.preset,
            backends=choice.backends,
            phases=(),
            converged=deployments.convergence(choice.system, led_to[front.service][0]),
            front_ports=(front.port,),
            front_host=f"{front.service}.{place.namespace}.svc",
            mongodb_uri=uri,
            postgresql_uri=deployments.postgresql_uri(
                choice.system, lambda service, _: led_to[service][0], account
            ),
            stored=choice.stored,
            cluster=place,
            manifests=tuple(documents),
            forwarded=led_to,
        )

    @classmethod
    def images(
        cls, project: Project, deployment: Deployment, *_: object
    ) -> Mapping[str, str | None]:
        """Return the name of each image."""
        return cluster.images(deployment.manifests)

    @classmethod
    def nodes(cls, deployment: Deployment) -> dict[str, Any] | None:
        return cluster.described(_place(deployment).context)

    @classmethod
    def parts(cls, record: StackRecord) -> list[Part]:
        pods = cluster.pods(_place(record))
        names = {name: pod.name for name, pod in pods.items()}
        return [
            *super().parts(record),
            *with_usage(
                (
                    Part(name, "ready" if pod.ready else pod.problem or "not ready", pod.ready)
                    for name, pod in pods.items()
                ),
                cluster.meter(_place(record), names),
            ),
        ]

    @classmethod
    def logs_command(cls, record: StackRecord, service: str | None, follow: bool) -> list[str]:
        return cluster.logs_command(_place(record), service, follow)

    @classmethod
    def end(cls, record: StackRecord, grace_s: float) -> list[str]:
        killed = programs.stop((running.process for running in record.running), grace_s)
        cluster.delete(_place(record))
        return [running.name for running in record.running if running.process in killed]

    def start(self, notice: Notice) -> None:
        cluster.apply(self._place, self._deployment.manifests)
        limit_s = max(self._ready_s, cluster.READY_LIMIT_S)
        expected = cluster.expected(self._deployment.manifests)
        if late := cluster.late(self._place, expected, limit_s, notice):
            raise UserError(
                f"not ready in {limit_s:.0f} s: {', '.join(late)}",
                f"See the logs in {self._project.shown(self._project.logs)}.",
            )
        for service, (local, port) in self._deployment.forwarded.items():
            self._forward(service, local, port)

    def keep_logs(self) -> None:
        with contextlib.suppress(UserError):
            for name, pod in self._pods().items():
                self._project.logs.mkdir(parents=True, exist_ok=True)
                log = self._project.logs / f"{name}.log"
                log.write_text(cluster.logs(self._place, pod.name), encoding="utf-8")

    def require_alive(self, *, at_once: bool = False) -> None:
        if at_once:
            return
        for name, pod in self._pods().items():
            if pod.restarts or pod.problem:
                self.keep_logs()
                why = pod.problem or f"started again {pod.restarts} times"
                raise UserError(f"pod {pod.name} of {name}: {why}")

    def meter(self) -> Meter:
        ready = {name: pod.name for name, pod in self._pods().items() if pod.ready}
        return cluster.meter(self._place, ready)

    @property
    def _place(self) -> Cluster:
        return _place(self._deployment)

    def _pods(self) -> dict[str, cluster.Pod]:
        return cluster.pods(self._place)

    def _forward(self, service: str, local: int, port: int) -> None:
        log = self._project.logs / f"{FORWARD}-{service}.log"
        command = cluster.forward_command(self._place, service, local, port)
        with programs.uninterrupted():
            started = programs.start(command, self._environ, log, self._project.root)
            running = Running(log.stem, ProcessId.of(started.pid), (local,), None, log)
            self._stored.set_running((*self._stored.record.running, running))
        for _ in polls(self._ready_s):
            if ports.accepts(local):
                return
            if running.process.find() is None:
                break
        raise UserError(f"{service} cannot be reached at port {local}:\n{tail(log)}")


def _place(stack: Deployment | StackRecord) -> Cluster:
    assert stack.cluster is not None
    return stack.cluster

"""Deploys a system on Kubernetes, in a namespace of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from testbed.deploy import ports, programs
from testbed.deploy.deployer import Deployer, Notice, Part, polls, with_usage
from testbed.deploy.deployments import Choice
from testbed.deploy.kubernetes import cluster
from testbed.deploy.kubernetes.deployment import in_cluster
from testbed.deploy.meter import Meter
from testbed.deploy.programs import ProcessId
from testbed.deploy.record import Cluster, Running, StackRecord
from testbed.deploy.services import Deployment
from testbed.model.errors import UserError
from testbed.model.files import tail
from testbed.model.project import Project

FORWARD = "port-forward"
"""The name prefix of the port-forward processes. One leads to the front door, for the check of full
answers; one to the database, which is emptied between runs.
"""


class ClusterDeployer(Deployer):
    """Deploys pods. Their metrics are not scraped."""

    needs = ("a Kubernetes cluster",)
    on_this_machine = False

    @classmethod
    def describe(cls, choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
        return in_cluster(choice, project, environ)

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

    @classmethod
    def amqp_settings(
        cls, record: StackRecord, environ: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        raise UserError("on Kubernetes no queue can be reached from here")

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

    def stop_instance(self, name: str, grace_s: float) -> bool:
        raise _by_itself(name)

    def kill_instance(self, name: str) -> None:
        raise _by_itself(name)

    def start_instance(self, name: str, cpus: float | None) -> None:
        raise _by_itself(name)

    def meter(self) -> Meter:
        ready = {name: pod.name for name, pod in self._pods().items() if pod.ready}
        return cluster.meter(self._place, ready)

    def pids(self) -> tuple[int, ...]:
        return ()

    def endpoints(self) -> dict[str, int]:
        return {}

    def suspended(self, service: str) -> contextlib.AbstractContextManager[None]:
        raise UserError(f"{service} cannot be suspended on Kubernetes", cluster.WITHOUT)

    def cut_off(self, service: str) -> contextlib.AbstractContextManager[None]:
        raise UserError(f"{service} cannot be cut off on Kubernetes", cluster.WITHOUT)

    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        if cpus:
            raise UserError("limits cannot change during a run on Kubernetes", cluster.WITHOUT)

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


def _by_itself(name: str) -> UserError:
    return UserError(
        f"{name} cannot be stopped or started by itself on Kubernetes", cluster.WITHOUT
    )

"""Deploys a system on Kubernetes, in a namespace of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from testbed.deploy import cluster, ports, processes
from testbed.deploy.deployer import Deployer, Notice, polls
from testbed.deploy.meter import Meter
from testbed.deploy.processes import ProcessId
from testbed.deploy.record import Cluster, Running
from testbed.model.errors import UserError
from testbed.model.files import tail

FORWARD = "port-forward"
"""The name prefix of the port-forward processes. One leads to the front door, for the check of full
answers; one to the database, which is emptied between runs.
"""


class ClusterDeployer(Deployer):
    """Deploys pods. Their metrics are not scraped."""

    def start(self, notice: Notice) -> None:
        cluster.apply(self._cluster, self._deployment.manifests)
        limit_s = max(self._ready_s, cluster.READY_LIMIT_S)
        expected = cluster.expected(self._deployment.manifests)
        if late := cluster.late(self._cluster, expected, limit_s, notice):
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
                log.write_text(cluster.logs(self._cluster, pod.name), encoding="utf-8")

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
        return cluster.meter(self._cluster, ready)

    def pids(self) -> tuple[int, ...]:
        return ()

    def endpoints(self) -> dict[str, int]:
        return {}

    def held(self, service: str) -> contextlib.AbstractContextManager[None]:
        raise UserError(f"{service} cannot be suspended on Kubernetes", cluster.WITHOUT)

    def cut_off(self, service: str) -> contextlib.AbstractContextManager[None]:
        raise UserError(f"{service} cannot be cut off on Kubernetes", cluster.WITHOUT)

    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        if cpus:
            raise UserError("limits cannot change during a run on Kubernetes", cluster.WITHOUT)

    @property
    def _cluster(self) -> Cluster:
        assert self._deployment.cluster is not None
        return self._deployment.cluster

    def _pods(self) -> dict[str, cluster.Pod]:
        return cluster.pods(self._cluster)

    def _forward(self, service: str, local: int, port: int) -> None:
        log = self._project.logs / f"{FORWARD}-{service}.log"
        command = cluster.forward_command(self._cluster, service, local, port)
        with processes.uninterrupted():
            started = processes.start(command, self._environ, log, self._project.root)
            one = Running(log.stem, ProcessId.of(started.pid), (local,), None, log)
            self._stored.set_running((*self._stored.record.running, one))
        for _ in polls(self._ready_s):
            if ports.accepts(local):
                return
            if one.process.find() is None:
                break
        raise UserError(f"{service} cannot be reached at port {local}:\n{tail(log)}")


def _by_itself(name: str) -> UserError:
    return UserError(
        f"{name} cannot be stopped or started by itself on Kubernetes", cluster.WITHOUT
    )

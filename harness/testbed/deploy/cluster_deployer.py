"""Deploys a system on Kubernetes, in a namespace of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from testbed.deploy import cluster, ports, processes
from testbed.deploy.deployer import Deployer, Notice, polls
from testbed.deploy.meter import Meter
from testbed.deploy.processes import ProcessId
from testbed.deploy.record import Cluster, Running
from testbed.model.errors import UserError

READY_LIMIT_S = 300.0
"""The least time limit of all pods together: images may have to be pulled."""

ASK_EVERY_S = 1.0
"""How often the cluster is asked while it is waited for."""

FORWARD = "port-forward"
"""The process that leads to the database, which the harness empties between runs."""


class ClusterDeployer(Deployer):
    """Deploys pods. What they tell about themselves is not asked for."""

    move = "Stop what uses them, or choose others: --port-offset moves the database's."

    def start(self, notice: Notice) -> None:
        cluster.apply(self._cluster, self._deployment.manifests)
        expected = {
            one["metadata"]["name"]: one["spec"]["replicas"]
            for one in self._deployment.manifests
            if one["kind"] == "Deployment"
        }
        self._await_ready(expected, notice)
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

    @contextlib.contextmanager
    def held(self, service: str) -> Iterator[None]:
        raise UserError(f"{service} cannot be suspended on Kubernetes", cluster.WITHOUT)
        yield

    @contextlib.contextmanager
    def cut_off(self, service: str) -> Iterator[None]:
        raise UserError(f"{service} cannot be cut off on Kubernetes", cluster.WITHOUT)
        yield

    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        if cpus:
            raise UserError("limits cannot change during a run on Kubernetes", cluster.WITHOUT)

    @property
    def _cluster(self) -> Cluster:
        assert self._deployment.cluster is not None
        return self._deployment.cluster

    def _pods(self) -> dict[str, cluster.Pod]:
        return cluster.pods(self._cluster)

    def _await_ready(self, expected: Mapping[str, int], notice: Notice) -> None:
        """Wait until so many pods of each service are ready."""
        late: list[str] = []
        limit_s = max(self._ready_s, READY_LIMIT_S)
        for _ in polls(limit_s, ASK_EVERY_S):
            found = self._pods().values()
            for pod in found:
                if pod.problem is not None and pod.service in expected:
                    raise UserError(f"pod {pod.name} does not start: {pod.problem}")
            late = [
                service
                for service, count in expected.items()
                if sum(pod.ready for pod in found if pod.service == service) < count
            ]
            if not late:
                return
            notice(", ".join(late))
        self.keep_logs()
        raise UserError(
            f"not ready in {limit_s:.0f} s: {', '.join(late)}",
            f"See the logs in {self._project.shown(self._project.logs)}.",
        )

    def _forward(self, service: str, local: int, port: int) -> None:
        log = self._project.logs / f"{FORWARD}.log"
        command = cluster.forward_command(self._cluster, service, local, port)
        with processes.uninterrupted():
            started = processes.start(command, self._environ, log, self._project.root)
            one = Running(FORWARD, ProcessId.of(started.pid), (local,), None, log)
            self._stored.set_running((*self._stored.record.running, one))
        for _ in polls(self._ready_s):
            if ports.accepts(local):
                return
        raise UserError(f"{service} cannot be reached at port {local}", f"See {log}.")


def _by_itself(name: str) -> UserError:
    return UserError(
        f"{name} cannot be stopped or started by itself on Kubernetes", cluster.WITHOUT
    )

"""Deploys a system as containers, by its compose file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from testbed.deploy import compose
from testbed.deploy.deployer import Deployer, Notice, polls
from testbed.deploy.meter import Meter
from testbed.deploy.record import Compose
from testbed.model.errors import UserError
from testbed.model.files import tail


class ContainerDeployer(Deployer):
    """Deploys the containers of a compose stack."""

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
            one = compose.find(self._files, name)
            if one.state == "running" and one.health in ("healthy", ""):
                return
        raise UserError(f"not healthy in {self._ready_s:.0f} s: {name}")

    def meter(self) -> Meter:
        return compose.meter(self._running())

    def pids(self) -> tuple[int, ...]:
        found = compose.pids(self._running()).values()
        return tuple(int(pid) for pid in found if pid.isdigit())

    def endpoints(self) -> dict[str, int]:
        published = dict(self._deployment.published)
        if scaled := self._deployment.scaled:
            for one in compose.containers(self._files):
                if scaled.get(one.service) in one.ports:
                    published[one.name] = (one.ports[scaled[one.service]],)
        return {
            name: found[0]
            for name, found in published.items()
            if found and name not in self._deployment.others
        }

    def held(self, service: str) -> AbstractContextManager[None]:
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
        assert self._deployment.compose is not None
        return self._deployment.compose

    def _running(self) -> dict[str, str]:
        """Return the ids of the system's running containers, by instance."""
        return {
            one.name: one.id
            for one in compose.containers(self._files)
            if one.state == "running" and one.service not in self._deployment.watching
        }

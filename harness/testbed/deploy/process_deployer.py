"""Deploys a system as processes of this machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from testbed.deploy import groups, processes
from testbed.deploy.deployer import Deployer, Notice, polls
from testbed.deploy.groups import LimitedMeter
from testbed.deploy.meter import Meter, ProcessMeter
from testbed.deploy.processes import ProcessId
from testbed.deploy.record import Running
from testbed.deploy.services import Service, client
from testbed.model.errors import UserError, unknown
from testbed.model.files import tail
from testbed.model.systems import service_of


class ProcessDeployer(Deployer):
    """Deploys processes, and lists them in the stack's record."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._ending: set[str] = set()

    def start(self, notice: Notice) -> None:
        for phase in self._deployment.phases:
            for service in phase:
                self._launch(service)
            self._await_ready(phase, notice)

    def keep_logs(self) -> None:
        """Do nothing: processes write to log files already."""

    def require_alive(self, *, at_once: bool = False) -> None:
        with self._stored.changing:
            for one in self._running:
                if one.name not in self._ending and one.process.find() is None:
                    raise UserError(
                        f"{one.name} ended by itself; the end of {self._project.shown(one.log)}:\n"
                        + tail(one.log)
                    )

    def stop_instance(self, name: str, grace_s: float) -> bool:
        with self._leaving(name) as process:
            return bool(processes.stop([process], grace_s))

    def kill_instance(self, name: str) -> None:
        with self._leaving(name) as process:
            processes.kill([process])

    def start_instance(self, name: str, cpus: float | None) -> None:
        (service,) = (one for one in self._deployment.services if one.name == name)
        self._launch(service, cpus)
        self._await_ready((service,), lambda _: None)

    def meter(self) -> Meter:
        meter = ProcessMeter({one.name: one.process for one in self._running})
        limited = {one.name: one.groups for one in self._running if one.groups}
        return LimitedMeter(meter, limited) if limited else meter

    def pids(self) -> tuple[int, ...]:
        return tuple(one.process.pid for one in self._running)

    def endpoints(self) -> dict[str, int]:
        return {
            one.name: one.ports[0] for one in self._running if one.ports and one.health is not None
        }

    @contextlib.contextmanager
    def held(self, service: str) -> Iterator[None]:
        instances = [one.process for one in self._running if service_of(one.name) == service]
        found = [process for one in instances if (process := one.find()) is not None]
        if not found:
            known = ", ".join(one.name for one in self._running)
            raise UserError(f"service {service!r} does not run; choose from: {known}")
        try:
            for process in found:
                process.suspend()
            yield
        finally:
            for process in found:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    def cut_off(self, service: str) -> contextlib.AbstractContextManager[None]:
        """Suspend every instance: processes share the network of this machine."""
        return self.held(service)

    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        """Limit instances that were started with limits, that is, in groups of their own."""
        for one in self._running:
            if (service := service_of(one.name)) in cpus:
                try:
                    groups.set_cpus(one.groups, cpus[service])
                except OSError as problem:
                    raise UserError(
                        f"the CPU of {one.name} cannot be limited: {problem}"
                    ) from problem

    @property
    def _running(self) -> tuple[Running, ...]:
        return self._stored.record.running

    @contextlib.contextmanager
    def _leaving(self, name: str) -> Iterator[ProcessId]:
        """Yield the process of an instance to end; then the record no longer has it.

        An end takes a while: meanwhile others may start and stop.
        """
        with processes.uninterrupted():
            with self._stored.changing:
                known = {one.name: one for one in self._running}
                if name not in known:
                    raise unknown("service", name, known)
                self._ending.add(name)
            try:
                yield known[name].process
                with self._stored.changing:
                    groups.remove(known[name].groups)
                    self._stored.set_running(one for one in self._running if one.name != name)
            finally:
                self._ending.discard(name)

    def _launch(self, service: Service, cpus: float | None = None) -> None:
        log = self._project.logs / f"{service.name}.log"
        with processes.uninterrupted(), self._stored.changing:
            command = service.command
            folders: tuple[Path, ...] = ()
            try:
                if service.limits is not None:
                    # The port makes the name unique on this machine.
                    name = f"testbed-{service.name}-{service.ports[0]}"
                    folders = groups.create(name, service.limits, groups.parents())
                    if cpus is not None:
                        groups.set_cpus(folders, cpus)
                    command = groups.joined(command, folders)
                started = processes.start(
                    command, {**self._environ, **service.environ}, log, self._project.root
                )
            except OSError as problem:
                groups.remove(folders)
                raise UserError(f"{service.name} cannot be started: {problem}") from problem
            one = Running(
                service.name,
                ProcessId.of(started.pid),
                service.ports,
                service.health,
                log,
                groups=folders,
            )
            self._stored.set_running((*self._running, one))

    def _await_ready(self, services: Sequence[Service], notice: Notice) -> None:
        began = time.monotonic()
        pending = {service.name: service for service in services}
        with client() as http:
            for _ in polls(self._ready_s):
                notice(", ".join(pending))
                self.require_alive()
                for name in [name for name, one in pending.items() if one.ready(http)]:
                    del pending[name]
                    ready_s = round(time.monotonic() - began, 2)
                    with self._stored.changing:
                        self._stored.set_running(
                            replace(one, ready_s=ready_s) if one.name == name else one
                            for one in self._running
                        )
                if not pending:
                    return
        late = next(one for one in self._running if one.name in pending)
        raise UserError(
            f"not ready in {self._ready_s:.0f} s: {', '.join(pending)}; "
            f"the end of {self._project.shown(late.log)}:\n" + tail(late.log)
        )

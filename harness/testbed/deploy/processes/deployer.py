"""Deploys a system as processes of this machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from testbed.deploy import groups, programs
from testbed.deploy.building import aot_cache, jdk
from testbed.deploy.deployer import Deployer, Notice, Part, polls, with_usage
from testbed.deploy.deployments import Choice
from testbed.deploy.groups import LimitedMeter
from testbed.deploy.meter import Meter, ProcessMeter
from testbed.deploy.processes.deployment import in_processes, require_local_backends
from testbed.deploy.programs import ProcessId
from testbed.deploy.record import Running, StackRecord
from testbed.deploy.services import EMBEDDED, Deployment, Service, client
from testbed.model.errors import UserError, unknown
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import service_of


class ProcessDeployer(Deployer):
    """Deploys processes, and lists them in the stack's record."""

    from_jars = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ending: set[str] = set()

    @classmethod
    def describe(cls, choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
        described = in_processes(choice, project, jdk.for_services(), environ)
        if choice.limits:
            groups.require()
        if choice.backends == "local":
            require_local_backends(described, environ)
        return described

    @classmethod
    def parts(cls, record: StackRecord) -> list[Part]:
        processes = {running.name: running.process for running in record.running}
        parts = [
            replace(part, aot_cache=None if part.pid is None else aot_cache.in_use(part.pid))
            for part in super().parts(record)
        ]
        return with_usage(parts, ProcessMeter(processes))

    @classmethod
    def end(cls, record: StackRecord, grace_s: float) -> list[str]:
        """Stop all processes, the embedded backends last: so no service reports a lost one."""
        killed: list[ProcessId] = []
        for is_embedded in (False, True):
            some = [
                running.process
                for running in record.running
                if (running.name == EMBEDDED) is is_embedded
            ]
            killed += programs.stop(some, grace_s)
        groups.remove(folder for running in record.running for folder in running.groups)
        return [running.name for running in record.running if running.process in killed]

    @classmethod
    def amqp_settings(cls, record: StackRecord, environ: Mapping[str, str]) -> Mapping[str, str]:
        """Return the settings of a service that runs."""
        for running in record.running:
            process = running.process.find()
            settings = {} if process is None else process.environ()
            # The backends inherit the shell, whose variables may lead to another server.
            if running.name != EMBEDDED and {"RABBITMQ_HOST", "RABBITMQ_PORT"} <= settings.keys():
                return settings
        return {}

    def start(self, notice: Notice) -> None:
        for phase in self._deployment.phases:
            for service in phase:
                self._launch(service)
            self._await_ready(phase, notice)

    def keep_logs(self) -> None:
        """Do nothing: processes write to log files already."""

    def require_alive(self, *, at_once: bool = False) -> None:
        with self._stored.changing:
            for running in self._running:
                if running.name not in self._ending and running.process.find() is None:
                    log = running.log
                    raise UserError(
                        f"{running.name} ended by itself; the end of {self._project.shown(log)}:\n"
                        + tail(log)
                    )

    def stop_instance(self, name: str, grace_s: float) -> bool:
        with self._leaving(name) as process:
            return bool(programs.stop([process], grace_s))

    def kill_instance(self, name: str) -> None:
        with self._leaving(name) as process:
            programs.kill([process])

    def start_instance(self, name: str, cpus: float | None) -> None:
        (service,) = (service for service in self._deployment.services if service.name == name)
        self._launch(service, cpus)
        self._await_ready((service,), lambda _: None)

    def meter(self) -> Meter:
        meter = ProcessMeter({running.name: running.process for running in self._running})
        limited = {running.name: running.groups for running in self._running if running.groups}
        return LimitedMeter(meter, limited) if limited else meter

    def pids(self) -> tuple[int, ...]:
        return tuple(running.process.pid for running in self._running)

    def endpoints(self) -> dict[str, int]:
        return {
            running.name: running.ports[0]
            for running in self._running
            if running.ports and running.health is not None
        }

    @contextlib.contextmanager
    def suspended(self, service: str) -> Iterator[None]:
        instances = [running for running in self._running if service_of(running.name) == service]
        alive = [
            process for instance in instances if (process := instance.process.find()) is not None
        ]
        if not alive:
            choices = ", ".join(running.name for running in self._running)
            raise UserError(f"service {service!r} does not run; choose from: {choices}")
        try:
            for process in alive:
                process.suspend()
            yield
        finally:
            for process in alive:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    def cut_off(self, service: str) -> contextlib.AbstractContextManager[None]:
        """Suspend every instance: processes share the network of this machine."""
        return self.suspended(service)

    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        """Limit instances that were started with limits, that is, in groups of their own."""
        for running in self._running:
            if (service := service_of(running.name)) in cpus:
                try:
                    groups.set_cpus(running.groups, cpus[service])
                except OSError as problem:
                    raise UserError(
                        f"the CPU of {running.name} cannot be limited: {problem}"
                    ) from problem

    @property
    def _running(self) -> tuple[Running, ...]:
        return self._stored.record.running

    @contextlib.contextmanager
    def _leaving(self, name: str) -> Iterator[ProcessId]:
        """Yield the process of an instance to end; then the record no longer has it.

        An end takes a while: meanwhile others may start and stop.
        """
        with programs.uninterrupted():
            with self._stored.changing:
                instances = {running.name: running for running in self._running}
                if name not in instances:
                    raise unknown("service", name, instances)
                self._ending.add(name)
            try:
                yield instances[name].process
                with self._stored.changing:
                    groups.remove(instances[name].groups)
                    self._stored.set_running(
                        running for running in self._running if running.name != name
                    )
            finally:
                self._ending.discard(name)

    def _launch(self, service: Service, cpus: float | None = None) -> None:
        log = self._project.logs / f"{service.name}.log"
        with programs.uninterrupted(), self._stored.changing:
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
                started = programs.start(
                    command, {**self._environ, **service.environ}, log, self._project.folder
                )
            except OSError as problem:
                groups.remove(folders)
                raise UserError(f"{service.name} cannot be started: {problem}") from problem
            running = Running(
                service.name,
                ProcessId.of(started.pid),
                service.ports,
                service.health,
                log,
                groups=folders,
            )
            self._stored.set_running((*self._running, running))

    def _await_ready(self, services: Sequence[Service], notice: Notice) -> None:
        began = time.monotonic()
        pending = {service.name: service for service in services}
        with client(headers=self._deployment.headers) as http:
            for _ in polls(self._ready_s):
                notice(", ".join(pending))
                self.require_alive()
                waiting = {name: service.why_not_ready(http) for name, service in pending.items()}
                for name in [name for name, why in waiting.items() if why is None]:
                    del pending[name]
                    ready_s = round(time.monotonic() - began, 2)
                    with self._stored.changing:
                        self._stored.set_running(
                            replace(running, ready_s=ready_s) if running.name == name else running
                            for running in self._running
                        )
                if not pending:
                    return
        late = next(running for running in self._running if running.name in pending)
        raise UserError(
            f"not ready in {self._ready_s:.0f} s: {', '.join(pending)}: {waiting[late.name]}; "
            f"the end of {self._project.shown(late.log)}:\n" + tail(late.log)
        )

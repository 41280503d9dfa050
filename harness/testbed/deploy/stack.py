"""Starts the services of a variant in order, each when those before are ready, and stops them."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import httpx
import psutil

from testbed.deploy import compose, groups, leftovers, ports, processes, record, watchdog
from testbed.deploy.groups import LimitedMeter
from testbed.deploy.meter import Meter, ProcessMeter
from testbed.deploy.processes import ProcessId
from testbed.deploy.record import Compose, Running, StackRecord
from testbed.deploy.services import Deployment, Service, client
from testbed.model.errors import UserError, unknown
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import service_of

POLL_S = 0.1
READY_LIMIT_S = 120.0
CONVERGED_LIMIT_S = 60.0

Notice = Callable[[str], None]
"""Progress listener: gets in a few words what is being waited for."""


class Stack:
    """The processes or containers of one deployment; every service inherits `environ`.

    `ready_s` and `converged_s` are time limits of a start in seconds: of one phase to ready, then
    to the first full answer.
    """

    def __init__(
        self,
        project: Project,
        deployment: Deployment,
        environ: Mapping[str, str],
        ready_s: float = READY_LIMIT_S,
        converged_s: float = CONVERGED_LIMIT_S,
    ) -> None:
        self._project = project
        self._environ = environ
        self._ready_s = ready_s
        self._converged_s = converged_s
        self._owner: ProcessId | None = None
        self._record: StackRecord | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        # Instances may be started and stopped beside each other; what runs and what is recorded
        # change together.
        self._changing = threading.RLock()
        self.deployment = deployment

    @property
    def record(self) -> StackRecord:
        """What runs now; raises `RuntimeError` if the stack has not been started."""
        if self._record is None:
            raise RuntimeError("the stack has not been started")
        return self._record

    def start(self, notice: Notice = lambda _: None, *, background: bool = False) -> None:
        """Start every service and wait until the front door gives every full answer.

        On an error or an interrupt, everything started is stopped before the error is raised. With
        `background`, the stack outlives this command.

        Raises `UserError` if a stack runs already, a port is taken, or a service ends or is not
        ready in time.
        """
        leftovers.clear(self._project)
        in_containers = self.deployment.compose is not None
        ports.require_free(
            self.deployment.ports, compose.MOVE_PORTS if in_containers else ports.MOVE_ALL
        )
        self._owner = processes.own()
        self._record = StackRecord(
            variant=self.deployment.variant,
            preset=self.deployment.preset,
            backends=self.deployment.backends,
            front_port=self.deployment.front_port,
            settings=dict(self.deployment.settings),
            started=record.now(),
            owner=self._owner,
            compose=self.deployment.compose,
        )
        record.create(self._project, self._record)
        began = time.monotonic()
        try:
            with processes.uninterrupted():
                self._guard = watchdog.start(self._project)
            if self.deployment.compose is not None:
                notice("healthy containers")
                compose.up(
                    self.deployment.compose,
                    {**self._environ, "TESTBED_PRESET": self.deployment.preset},
                    self._project.logs / "compose.log",
                )
            for phase in self.deployment.phases:
                for service in phase:
                    self._launch(service)
                self._await_ready(phase, notice)
            self.await_converged(notice, self._converged_s)
            elapsed = round(time.monotonic() - began, 2)
            self._save(
                replace(self.record, start_s=elapsed, owner=None if background else self._owner)
            )
            if background:
                self._dismiss_guard()
        except BaseException as problem:
            if isinstance(problem, UserError) and self.deployment.compose is not None:
                # Stopping removes the containers with their logs.
                compose.keep_logs(self.deployment.compose, self._project.logs)
            self.stop()
            raise

    def stop(self, grace_s: float = processes.STOP_GRACE_S) -> list[str]:
        """Stop every process; return the names of those that had to be killed.

        `grace_s` is the time for the services, and then for the backends, to end by themselves.
        """
        with processes.uninterrupted():
            killed = leftovers.end(self._project, self.record, grace_s)
            self._dismiss_guard()
            return killed

    def stop_service(self, name: str, grace_s: float = processes.STOP_GRACE_S) -> bool:
        """Ask one instance to end, and wait for it; return whether it had to be killed."""
        if self.record.compose is not None:
            return compose.stop(self.record.compose, name, grace_s)
        with self._leaving(name) as process:
            return bool(processes.stop([process], grace_s))

    def kill_service(self, name: str) -> None:
        """Kill one instance, as a crash ends it."""
        if self.record.compose is not None:
            compose.kill(self.record.compose, name)
            return
        with self._leaving(name) as process:
            processes.kill([process])

    def start_service(self, name: str, cpus: float | None = None) -> None:
        """Start one instance that does not run, and wait until it is ready.

        `cpus` is its CPU limit in cores from its start, where it is one that can be changed.
        """
        if self.record.compose is not None:
            compose.start(self.record.compose, name)
            self._await_healthy(self.record.compose, name)
            return
        (service,) = (one for one in self.deployment.services if one.name == name)
        self._launch(service, cpus)
        self._await_ready((service,), lambda _: None)

    def await_converged(self, notice: Notice, limit_s: float) -> None:
        """Wait until the front door gives a full answer.

        Raises `UserError` if a process ends or the limit passes. The error says what was missing
        last.
        """
        notice("a full answer")
        missing: str | None = "no answer yet"
        with client() as http:
            for _ in _polls(limit_s):
                if (missing := self._lack(http)) is None:
                    return
        raise UserError(
            f"{self.deployment.variant} was not complete in {limit_s:.0f} s: {missing}",
            f"See the logs in {self._project.shown(self._project.logs)}.",
        )

    def require_alive(self) -> None:
        """Check that no process or container has ended by itself.

        Raises `UserError` with the name of the first that has, and the end of its log.
        """
        self._require_processes()
        if self.record.compose is not None:
            for container in compose.containers(self.record.compose):
                if not container.as_meant:
                    log = self._project.logs / f"{container.name}.log"
                    compose.keep_logs(self.record.compose, self._project.logs)
                    raise UserError(
                        f"container {container.name} is {container.state}:\n" + tail(log)
                    )

    def missing(self) -> str | None:
        """Ask the front door once; return what is missing of a full answer, or None."""
        with client() as http:
            try:
                return self._lack(http)
            except UserError as problem:
                return problem.message.splitlines()[0].partition("; the end of ")[0]

    def meter(self) -> Meter:
        """Return the meter of the system's running processes or containers."""
        if self.record.compose is not None:
            return compose.meter(self._containers(self.record.compose))
        meter = ProcessMeter({one.name: one.process for one in self.record.running})
        limited = {one.name: one.groups for one in self.record.running if one.groups}
        return LimitedMeter(meter, limited) if limited else meter

    def pids(self) -> tuple[int, ...]:
        """Return the pids of the system's running processes; of a container, its first one."""
        if self.record.compose is None:
            return tuple(one.process.pid for one in self.record.running)
        found = compose.pids(self._containers(self.record.compose)).values()
        return tuple(int(pid) for pid in found if pid.isdigit())

    def endpoints(self) -> dict[str, int]:
        """Return the port at which each instance of an HTTP service answers about itself."""
        if self.record.compose is not None:
            published = dict(self.deployment.published)
            if scaled := self.deployment.scaled:
                for one in compose.containers(self.record.compose):
                    if scaled.get(one.service) in one.ports:
                        published[one.name] = (one.ports[scaled[one.service]],)
            return {
                name: found[0]
                for name, found in published.items()
                if found and name not in self.deployment.watching
            }
        return {
            one.name: one.ports[0]
            for one in self.record.running
            if one.ports and one.health is not None
        }

    @contextlib.contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Suspend every instance of a service while the body runs.

        They keep their connections but do not answer.

        Raises `UserError` if there is no such service.
        """
        if self.record.compose is not None:
            with compose.paused(self.record.compose, name):
                yield
            return
        instances = [one.process for one in self.record.running if service_of(one.name) == name]
        found = [process for one in instances if (process := one.find()) is not None]
        if not found:
            known = ", ".join(one.name for one in self.record.running)
            raise UserError(f"service {name!r} does not run; choose from: {known}")
        try:
            for process in found:
                process.suspend()
            yield
        finally:
            for process in found:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.resume()

    @contextlib.contextmanager
    def limited(self, cpus: Mapping[str, float]) -> Iterator[None]:
        """Limit the CPU of each instance of services while the body runs, in cores.

        Processes must have been started with groups of their own, that is, with `limits`. Raises
        `UserError` if a limit cannot be set.
        """
        try:
            self._set_cpus(cpus)
            yield
        finally:
            self._set_cpus(dict.fromkeys(cpus))

    @contextlib.contextmanager
    def cut_off(self, name: str) -> Iterator[None]:
        """Cut a service off the network while the body runs; without containers, suspend it.

        Raises `UserError` if there is no such service.
        """
        if self.record.compose is None:
            with self.held(name):
                yield
            return
        with compose.disconnected(self.record.compose, name):
            yield

    def _lack(self, http: httpx.Client) -> str | None:
        self._require_processes()
        try:
            return self.deployment.converged(http)
        except httpx.HTTPError as problem:
            return f"the front door does not answer ({type(problem).__name__})"

    def _set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        if self.record.compose is not None:
            # Docker takes a while to answer.
            found = compose.containers(self.record.compose) if cpus else ()
            for container in found:
                if container.service in cpus:
                    compose.set_cpus(container, cpus[container.service])
            return
        for one in self.record.running:
            if (service := service_of(one.name)) in cpus:
                try:
                    groups.set_cpus(one.groups, cpus[service])
                except OSError as problem:
                    raise UserError(
                        f"the CPU of {one.name} cannot be limited: {problem}"
                    ) from problem

    def _containers(self, files: Compose) -> dict[str, str]:
        """Return the ids of the system's running containers, by instance."""
        return {
            one.name: one.id
            for one in compose.containers(files)
            if one.state == "running" and one.service not in self.deployment.watching
        }

    def _require_processes(self) -> None:
        with self._changing:
            for one in self.record.running:
                if one.process.find() is None:
                    raise UserError(
                        f"{one.name} ended by itself; the end of {self._project.shown(one.log)}:\n"
                        + tail(one.log)
                    )

    @contextlib.contextmanager
    def _leaving(self, name: str) -> Iterator[ProcessId]:
        """Yield the process of an instance to end; then the record no longer has it."""
        with processes.uninterrupted(), self._changing:
            known = {one.name: one for one in self.record.running}
            if name not in known:
                raise unknown("service", name, known)
            yield known[name].process
            groups.remove(known.pop(name).groups)
            self._save(self.record.with_running(known.values()))

    def _launch(self, service: Service, cpus: float | None = None) -> None:
        log = self._project.logs / f"{service.name}.log"
        with processes.uninterrupted(), self._changing:
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
            self._save(self.record.with_running((*self.record.running, one)))

    def _await_ready(self, services: Sequence[Service], notice: Notice) -> None:
        began = time.monotonic()
        pending = {service.name: service for service in services}
        with client() as http:
            for _ in _polls(self._ready_s):
                notice(", ".join(pending))
                self._require_processes()
                for name in [name for name, one in pending.items() if one.ready(http)]:
                    del pending[name]
                    ready_s = round(time.monotonic() - began, 2)
                    with self._changing:
                        running = (
                            replace(one, ready_s=ready_s) if one.name == name else one
                            for one in self.record.running
                        )
                        self._save(self.record.with_running(running))
                if not pending:
                    return
        late = next(one for one in self.record.running if one.name in pending)
        raise UserError(
            f"not ready in {self._ready_s:.0f} s: {', '.join(pending)}; "
            f"the end of {self._project.shown(late.log)}:\n" + tail(late.log)
        )

    def _await_healthy(self, files: Compose, name: str) -> None:
        for _ in _polls(self._ready_s):
            one = compose.find(files, name)
            if one.state == "running" and one.health in ("healthy", ""):
                return
        raise UserError(f"not healthy in {self._ready_s:.0f} s: {name}")

    def _dismiss_guard(self) -> None:
        if self._guard is not None:
            watchdog.dismiss(self._guard)
            self._guard = None

    def _save(self, changed: StackRecord) -> None:
        self._record = changed
        record.save(self._project, changed)


def _polls(limit_s: float) -> Iterator[None]:
    """Yield with short waits until a time limit has passed."""
    deadline = time.monotonic() + limit_s
    while True:
        yield
        if time.monotonic() >= deadline:
            return
        time.sleep(POLL_S)

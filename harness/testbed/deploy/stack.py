"""Starts the services of a variant, waits until they are complete, and stops them."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager

import httpx

from testbed.deploy import leftovers, places, ports, programs, watchdog
from testbed.deploy.deployer import Notice, polls
from testbed.deploy.meter import Meter
from testbed.deploy.record import StackRecord, StoredRecord
from testbed.deploy.services import Deployment, client
from testbed.model.errors import UserError
from testbed.model.project import Project

READY_LIMIT_S = 120.0
CONVERGED_LIMIT_S = 60.0


class Stack:
    """The processes or containers of one deployment; every service inherits `environ`.

    What is asked of a single instance or service is passed on to the `Deployer`. `ready_s` and
    `converged_s` are time limits of a start in seconds: of one phase to ready, then
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
        self._converged_s = converged_s
        self._stored = StoredRecord(project)
        self._watchdog: subprocess.Popen[bytes] | None = None
        deployer = places.deployer(deployment.backends)
        self._deployer = deployer(project, deployment, self._stored, environ, ready_s)
        self.deployment = deployment

    @property
    def record(self) -> StackRecord:
        """What runs now; raises `RuntimeError` if the stack has not been started."""
        return self._stored.record

    def start(self, notice: Notice = lambda _: None, *, background: bool = False) -> None:
        """Start every service and wait until the front door gives every full answer.

        On an error or an interrupt, everything started is stopped before the error is raised. With
        `background`, the stack outlives this command.

        Raises `UserError` if a stack runs already, a port is taken, or a service ends or is not
        ready in time.
        """
        leftovers.clear(self._project)
        ports.require_free(self.deployment.ports)
        self._stored.begin(
            StackRecord(
                variant=self.deployment.variant,
                preset=self.deployment.preset,
                backends=self.deployment.backends,
                owner=programs.own(),
                compose=self.deployment.compose,
            )
        )
        began = time.monotonic()
        try:
            with programs.uninterrupted():
                self._watchdog = watchdog.start(self._project)
            self._deployer.start(notice)
            self.await_converged(notice, self._converged_s)
            elapsed = round(time.monotonic() - began, 2)
            self._stored.change(start_s=elapsed, owner=None if background else self.record.owner)
            if background:
                self._dismiss_watchdog()
        except BaseException as problem:
            try:
                if isinstance(problem, UserError):
                    self._deployer.keep_logs()
            finally:
                self.stop()
            raise

    def stop(self, grace_s: float = programs.STOP_GRACE_S) -> list[str]:
        """Stop every process; return the names of those that had to be killed.

        `grace_s` is the time for the services, and then for the backends, to end by themselves.
        """
        with programs.uninterrupted():
            killed = leftovers.end(self._project, self.record, grace_s)
            self._dismiss_watchdog()
            return killed

    def stop_service(self, name: str, grace_s: float = programs.STOP_GRACE_S) -> bool:
        return self._deployer.stop_instance(name, grace_s)

    def kill_service(self, name: str) -> None:
        self._deployer.kill_instance(name)

    def start_service(self, name: str, cpus: float | None = None) -> None:
        self._deployer.start_instance(name, cpus)

    def await_converged(self, notice: Notice, limit_s: float) -> None:
        """Wait until the front door gives a full answer.

        Raises `UserError` if a process ends or the limit passes. The error says what was missing
        last.
        """
        notice("a full answer")
        missing: str | None = "no answer yet"
        with client(headers=self.deployment.headers) as http:
            for _ in polls(limit_s):
                if (missing := self._lack(http)) is None:
                    return
        raise UserError(
            f"{self.deployment.variant} was not complete in {limit_s:.0f} s: {missing}",
            f"See the logs in {self._project.shown(self._project.logs)}.",
        )

    def require_alive(self) -> None:
        self._deployer.require_alive()

    def missing(self) -> str | None:
        """Ask the front door once; return what is missing of a full answer, or None."""
        with client(headers=self.deployment.headers) as http:
            try:
                return self._lack(http)
            except UserError as problem:
                return problem.message.splitlines()[0].partition("; the end of ")[0]

    def meter(self) -> Meter:
        return self._deployer.meter()

    def pids(self) -> tuple[int, ...]:
        return self._deployer.pids()

    def endpoints(self) -> dict[str, int]:
        return self._deployer.endpoints()

    def suspended(self, name: str) -> AbstractContextManager[None]:
        return self._deployer.suspended(name)

    @contextlib.contextmanager
    def limited(self, cpus: Mapping[str, float]) -> Iterator[None]:
        """Limit the CPU of each instance of services while the body runs, in cores.

        Processes must have been started with groups of their own, that is, with `limits`. Raises
        `UserError` if a limit cannot be set.
        """
        try:
            self._deployer.set_cpus(cpus)
            yield
        finally:
            self._deployer.set_cpus(dict.fromkeys(cpus))

    def cut_off(self, name: str) -> AbstractContextManager[None]:
        return self._deployer.cut_off(name)

    def _lack(self, http: httpx.Client) -> str | None:
        self._deployer.require_alive(at_once=True)
        try:
            return self.deployment.converged(http)
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            return f"the front door does not answer ({type(problem).__name__})"

    def _dismiss_watchdog(self) -> None:
        if self._watchdog is not None:
            watchdog.dismiss(self._watchdog)
            self._watchdog = None

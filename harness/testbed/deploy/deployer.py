"""What a stack does with the instances of a system, wherever they run."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import ClassVar

import httpx

from testbed.deploy import services
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import Meter, Usage
from testbed.deploy.record import Running, StackRecord, StoredRecord
from testbed.deploy.services import Deployment
from testbed.model.project import Project

POLL_S = 0.1

Notice = Callable[[str], None]
"""Progress listener: gets in a few words what is being waited for."""


@dataclass(frozen=True)
class Part:
    """A process or container of a stack."""

    service: str
    state: str
    as_meant: bool
    ports: tuple[int, ...] = ()
    start_s: float | None = None
    """Seconds from its start to ready; None if unknown."""
    pid: int | None = None
    aot_cache: bool | None = None
    """Whether its JVM uses an AOT cache; None if unknown."""
    usage: Usage | None = None


class Deployer(ABC):
    """Starts the instances of one deployment, and acts on them by name.

    Services inherit `environ`, and are ready in `ready_s` seconds. Each method raises `UserError`
    if it fails, or if there is no such instance or service. Class methods act on a system that is
    not started yet, or on what an earlier command recorded.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    """What it needs beyond a small machine, in words."""
    from_jars: ClassVar[bool] = False
    """Whether services run from the jars of this project, which are built before."""
    with_prometheus: ClassVar[bool] = False
    """Whether Prometheus and Grafana may run beside the system."""
    runtime: ClassVar[tuple[str, ...]] = ()
    """The names of programs of this machine that work for the services."""

    @classmethod
    def require(cls) -> None:
        """Check that what it needs is there; raise `UserError` if not."""
        return

    @classmethod
    @abstractmethod
    def describe(cls, choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
        """Return how a system is started; raise `UserError` if it cannot be."""

    @classmethod
    def images(
        cls,
        project: Project,
        deployment: Deployment,
        environ: Mapping[str, str],
        step: Callable[[str], AbstractContextManager[object]],
    ) -> Mapping[str, str | None]:
        """Return the image of each service; fetch missing ones, in a step with a title."""
        return {}

    @classmethod
    def parts(cls, record: StackRecord) -> list[Part]:
        """Return what there is of a stack, with its state and its use of resources now."""
        with services.client() as http:
            return [
                Part(
                    running.name,
                    _state(running, http),
                    running.process.find() is not None,
                    running.ports,
                    running.ready_s,
                    running.process.pid,
                )
                for running in record.running
            ]

    @classmethod
    def logs_command(cls, record: StackRecord, service: str | None, follow: bool) -> list[str]:
        """Return the command that prints the output of a stack; empty if log files have it."""
        return []

    @classmethod
    @abstractmethod
    def end(cls, record: StackRecord, grace_s: float) -> list[str]:
        """Stop all of a stack; return the names of killed processes."""

    @classmethod
    @abstractmethod
    def amqp_settings(cls, record: StackRecord, environ: Mapping[str, str]) -> Mapping[str, str]:
        """Return the settings with which a stack's AMQP server is reached; empty if it has none."""

    def __init__(
        self,
        project: Project,
        deployment: Deployment,
        stored: StoredRecord,
        environ: Mapping[str, str],
        ready_s: float,
    ) -> None:
        self._project = project
        self._deployment = deployment
        self._stored = stored
        self._environ = environ
        self._ready_s = ready_s

    @abstractmethod
    def start(self, notice: Notice) -> None:
        """Start every instance, each when those before are ready."""

    @abstractmethod
    def keep_logs(self) -> None:
        """Save the output of each instance, which stopping would remove."""

    @abstractmethod
    def require_alive(self, *, at_once: bool = False) -> None:
        """Check that no instance has ended by itself.

        With `at_once`, only what takes no time is checked.
        """

    @abstractmethod
    def stop_instance(self, name: str, grace_s: float) -> bool:
        """Ask an instance to end, and wait for it; return whether it had to be killed."""

    @abstractmethod
    def kill_instance(self, name: str) -> None:
        """Kill an instance, as a crash ends it."""

    @abstractmethod
    def start_instance(self, name: str, cpus: float | None) -> None:
        """Start an instance that does not run, and wait until it is ready.

        `cpus` is its CPU limit in cores from its start, where it is one that can be changed.
        """

    @abstractmethod
    def meter(self) -> Meter:
        """Return the meter of what runs."""

    @abstractmethod
    def pids(self) -> tuple[int, ...]:
        """Return the pids on this machine of what runs; of a container, its first process."""

    @abstractmethod
    def endpoints(self) -> dict[str, int]:
        """Return the port at which each instance of an HTTP service answers about itself."""

    @abstractmethod
    def suspended(self, service: str) -> AbstractContextManager[None]:
        """Suspend every instance of a service while the body runs."""

    @abstractmethod
    def cut_off(self, service: str) -> AbstractContextManager[None]:
        """Cut every instance of a service off the network while the body runs."""

    @abstractmethod
    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        """Limit the CPU of each instance of services, in cores; None lifts a limit."""


def polls(limit_s: float, every_s: float = POLL_S) -> Iterator[None]:
    """Yield with short waits until a time limit has passed."""
    deadline = time.monotonic() + limit_s
    while True:
        yield
        if time.monotonic() >= deadline:
            return
        time.sleep(every_s)


def with_usage(parts: Iterable[Part], meter: Meter) -> list[Part]:
    usage = meter.read(pss=True)
    return [replace(part, usage=usage.get(part.service)) for part in parts]


def _state(running: Running, http: httpx.Client) -> str:
    if running.process.find() is None:
        return "ended"
    if not running.ports:
        return "running"
    why = services.why_not_ready(http, running.ports, running.health)
    return "ready" if why is None else "not ready"

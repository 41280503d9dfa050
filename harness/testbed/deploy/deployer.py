"""What a stack does with the instances of a system, wherever they run."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

from testbed.deploy.meter import Meter
from testbed.deploy.record import StoredRecord
from testbed.deploy.services import Deployment
from testbed.model.project import Project

POLL_S = 0.1

Notice = Callable[[str], None]
"""Progress listener: gets in a few words what is being waited for."""


class Deployer(ABC):
    """Starts the instances of one deployment, and acts on them by name.

    Services inherit `environ`, and are ready in `ready_s` seconds. Each method raises `UserError`
    if it fails, or if there is no such instance or service.
    """

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
    def held(self, service: str) -> AbstractContextManager[None]:
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

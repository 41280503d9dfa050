"""What a stack does with the instances of a system, whether they are processes or containers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from testbed.deploy.meter import Meter

POLL_S = 0.1

Notice = Callable[[str], None]
"""Progress listener: gets in a few words what is being waited for."""


class Deployer(Protocol):
    """Starts the instances of one deployment, and acts on them by name.

    Each method raises `UserError` if it fails, or if there is no such instance or service.
    """

    @property
    def move(self) -> str:
        """The hint for ports that are taken."""
        ...

    def start(self, notice: Notice) -> None:
        """Start every instance, each when those before are ready."""
        ...

    def keep_logs(self) -> None:
        """Keep what stopping would remove: the output of each instance."""
        ...

    def require_alive(self, *, at_once: bool = False) -> None:
        """Check that no instance has ended by itself.

        With `at_once`, only what takes no time is checked.
        """
        ...

    def stop_instance(self, name: str, grace_s: float) -> bool:
        """Ask an instance to end, and wait for it; return whether it had to be killed."""
        ...

    def kill_instance(self, name: str) -> None:
        """Kill an instance, as a crash ends it."""
        ...

    def start_instance(self, name: str, cpus: float | None) -> None:
        """Start an instance that does not run, and wait until it is ready.

        `cpus` is its CPU limit in cores from its start, where it is one that can be changed.
        """
        ...

    def meter(self) -> Meter:
        """Return the meter of what runs."""
        ...

    def pids(self) -> tuple[int, ...]:
        """Return the pids on this machine of what runs; of a container, its first process."""
        ...

    def endpoints(self) -> dict[str, int]:
        """Return the port at which each instance of an HTTP service answers about itself."""
        ...

    def held(self, service: str) -> AbstractContextManager[None]:
        """Suspend every instance of a service while the body runs."""
        ...

    def cut_off(self, service: str) -> AbstractContextManager[None]:
        """Cut every instance of a service off the network while the body runs."""
        ...

    def set_cpus(self, cpus: Mapping[str, float | None]) -> None:
        """Limit the CPU of each instance of services, in cores; None lifts a limit."""
        ...


def polls(limit_s: float) -> Iterator[None]:
    """Yield with short waits until a time limit has passed."""
    deadline = time.monotonic() + limit_s
    while True:
        yield
        if time.monotonic() >= deadline:
            return
        time.sleep(POLL_S)

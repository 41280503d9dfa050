"""The parts of a stack: services, their start order, and when each is ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import httpx

from testbed.deploy import ports
from testbed.deploy.record import Compose
from testbed.experiment.parts import ServiceLimits

EMBEDDED = "embedded-backends"
"""The service that stands in for the servers of others."""

ELSEWHERE = "unknown"
"""The backends of a system that runs already."""

PROBE_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Service:
    """One process of a stack."""

    name: str
    """Unique in the stack; also the name of its log."""
    command: tuple[str, ...]
    ports: tuple[int, ...]
    """The TCP ports it serves, the one with its health first."""
    environ: Mapping[str, str] = field(default_factory=dict)
    """Settings, on top of the environment of the harness."""
    health: str | None = "/actuator/health/readiness"
    """The path that answers 200 when it is ready; None if open ports mean ready."""
    limits: ServiceLimits | None = None
    """Held by a control group of its own; None for no limits."""

    def ready(self, client: httpx.Client) -> bool:
        return self.why_not_ready(client) is None

    def why_not_ready(self, client: httpx.Client) -> str | None:
        return why_not_ready(client, self.ports, self.health)


def why_not_ready(client: httpx.Client, at: Sequence[int], health: str | None) -> str | None:
    """Return in words why a service is not ready; None if it is.

    It is if its health path answers 200; without one, if all of its ports are open.
    """
    if health is None:
        return None if all(ports.accepts(port) for port in at) else "its ports are not open"
    try:
        status = client.get(f"http://{ports.LOOPBACK}:{at[0]}{health}").status_code
    except httpx.HTTPError as problem:
        return f"{health} does not answer ({type(problem).__name__})"
    return None if status == httpx.codes.OK else f"{health} answers {status}"


Convergence = Callable[[httpx.Client], str | None]
"""Checks the front door for a full answer; returns what is missing, or None."""


@dataclass(frozen=True)
class Deployment:
    """How one variant is started."""

    variant: str
    preset: str
    backends: str
    phases: tuple[tuple[Service, ...], ...]
    """Services of one phase start together, once the phase before is ready."""
    converged: Convergence
    front_ports: tuple[int, ...]
    """Of each instance of the front door; operations ask them in turn."""
    mongodb_uri: str | None
    """Where the harness empties a collection between runs; None if it empties nothing."""
    postgresql_uri: str | None = None
    """Where the harness puts tables back between runs; None if there are none."""
    front_host: str = ports.LOOPBACK
    front_scheme: str = "http"
    front_prefix: str = ""
    """What all paths begin with."""
    token: str | None = field(default=None, repr=False)
    """What requests are sent with."""
    ask_token: Callable[[httpx.Client], str] | None = None
    """Gets a token from a service of the system, once it is up; None if none is needed."""
    spare: tuple[Service, ...] = ()
    """Instances that are started later, where they are needed."""
    stored: int = 0
    """Documents that the harness stores before each run."""
    compose: Compose | None = None
    """The containers to start instead of processes."""
    published: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The host ports of the containers, by service; the one with its health first."""
    watching: frozenset[str] = frozenset()
    """The containers that are not part of the system."""
    others: frozenset[str] = frozenset()
    """The containers of other images, which have no metrics."""
    scaled: Mapping[str, int] = field(default_factory=dict)
    """The services in several containers, with the port of their health in each. Docker chooses
    their host ports.
    """

    @property
    def front_port(self) -> int:
        return self.front_ports[0]

    @property
    def front_url(self) -> str:
        return f"{self.front_scheme}://{self.front_host}:{self.front_port}{self.front_prefix}"

    @property
    def front_properties(self) -> dict[str, str]:
        """Properties that the plans of a user's own system read, where they are not the default."""
        given = {"protocol": self.front_scheme, "prefix": self.front_prefix}
        return {} if self.front_url.startswith("http:") and not self.front_prefix else given

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the requests of the harness, without which it gets no right answer."""
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    @property
    def services(self) -> tuple[Service, ...]:
        """All services, in start order; those that start later come last."""
        return (*(service for phase in self.phases for service in phase), *self.spare)

    @property
    def ports(self) -> dict[str, tuple[int, ...]]:
        """The ports that must be free before the start, by service."""
        return {**{service.name: service.ports for service in self.services}, **self.published}


def client(
    timeout_s: float = PROBE_TIMEOUT_S, headers: Mapping[str, str] | None = None
) -> httpx.Client:
    """Return an HTTP client for requests to services: no proxy, timeout in seconds."""
    return httpx.Client(timeout=timeout_s, headers=headers, trust_env=False, verify=False)

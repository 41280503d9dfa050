"""What all deployments of a system have in common: its services, and its front door."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from testbed.deploy import composefile, ports, tokens
from testbed.deploy.composefile import ComposeService, Program
from testbed.deploy.registry import ADDRESS, Registry
from testbed.deploy.services import ELSEWHERE, EMBEDDED, Convergence, Deployment, Service
from testbed.experiment.parts import ServiceLimits
from testbed.model import systems
from testbed.model.errors import UserError, unknown
from testbed.model.project import Project
from testbed.model.systems import (
    BACKENDS,
    PRESETS,
    Probe,
    SystemDeclaration,
    Token,
    TokenService,
)

WAIT_S = 3
"""How long a fetch waits for its answer in the completeness check."""


@dataclass(frozen=True)
class Choice:
    """What the user asked for."""

    variant: str
    preset: str = "tuned"
    backends: str = "embedded"
    settings: Mapping[str, str] = field(default_factory=dict)
    """Environment settings for every service, on top of the preset."""
    port_offset: int = 0
    """Added to every port, including those of backends."""
    replicas: Mapping[str, int] = field(default_factory=dict)
    """Instances of each service; one where it is not named."""
    at_first: Mapping[str, int] = field(default_factory=dict)
    """Instances of a service that start with the system, if not all do."""
    limits: Mapping[str, ServiceLimits] = field(default_factory=dict)
    stored: int = 0
    """Documents that are stored before each run."""
    jars: str | None = None
    """The folder of the project with the services' jars; None for those that it builds."""
    command: str | None = None
    """What starts a system of the user's own."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Images in place of those of the user's compose file, by service."""

    def __post_init__(self) -> None:
        for parameter, value, choices in (
            ("variant", self.variant, systems.names()),
            ("preset", self.preset, PRESETS),
            ("backends", self.backends, BACKENDS),
        ):
            if value not in choices:
                raise unknown(parameter, value, choices)

    @property
    def system(self) -> SystemDeclaration:
        return systems.declaration(self.variant)

    def jar(self, project: Project, module: str) -> Path:
        if self.jars is None or module == EMBEDDED:
            return project.jar(module)
        return project.root / self.jars / f"{module}.jar"

    def instances(self, service: str) -> tuple[int, Mapping[str, str]]:
        """Return how many instances a service has, and the settings of its further ones."""
        for name, kind in self.system.kinds.items():
            if name in self.replicas and service in kind.services:
                left = self.replicas[name] - kind.services.index(service)
                last = service == kind.services[-1]
                return (max(left, 0), kind.further) if last else (int(left > 0), {})
        numbered = self.system.numbered.get(service)
        return self.replicas.get(service, 1), {numbered: "{number}"} if numbered else {}

    @property
    def tokens(self) -> TokenService | None:
        """What issues tokens to clients; None if nothing asks for them."""
        issuing = self.system.tokens
        if issuing is None or self.settings.get(issuing.setting, issuing.default) == "off":
            return None
        return issuing

    def is_first(self, service: Service) -> bool:
        """Return whether an instance starts with the system."""
        number = systems.number_of(service.name)
        return number <= self.at_first.get(systems.service_of(service.name), number)

    def complete(self) -> SystemDeclaration:
        """Return the system with the probes that fit the number of its services."""
        further = sum(
            self.replicas[name] - len(kind.services)
            for name, kind in self.system.kinds.items()
            if name in self.replicas
        )
        probes = tuple(
            probe.model_copy(
                update={"items": None if probe.items is None else probe.items + further}
            )
            for probe in self.system.complete
            if probe.service is None or self.instances(probe.service)[0]
        )
        return self.system.model_copy(update={"complete": probes})


def described(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> dict[str, ComposeService]:
    """Return the services of a system's compose file, without those that only watch it.

    A service that issues tokens is one of them where a setting asks for tokens.

    Raises `UserError` if the file cannot be read, or the offset moves a port out of range.
    """
    variables = composefile.variables(project, environ) | {"TESTBED_PRESET": choice.preset}
    every_service = composefile.read(project.root / choice.system.compose, variables)
    services = {
        name: service
        for name, service in every_service.items()
        if not service.profiles or (choice.tokens is not None and name == choice.tokens.service)
    }
    free = 65_535 - max(port for service in services.values() for port in service.ports.values())
    if not 0 <= choice.port_offset <= free:
        raise UserError(f"port offset {choice.port_offset} is out of range; choose 0 to {free}")
    return services


def in_containers_only(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> list[str]:
    """Return the services of a system that nothing stands in for without containers."""
    services = described(choice, project, environ).values()
    return [service.name for service in services if service.module is None and not service.stub]


def modules(choice: Choice, project: Project) -> tuple[str, ...]:
    """Return the modules whose jars a deployment needs."""
    if choice.system.own:
        return ()
    services = described(choice, project).values()
    own = dict.fromkeys(service.module for service in services if service.module)
    embedded = choice.backends == "embedded" and any(map(is_backend, services))
    return (*own, *([EMBEDDED] if embedded else []))


def programs(choice: Choice, project: Project) -> list[Program]:
    """Return the programs that a deployment runs beside jars."""
    if choice.system.own:
        return []
    services = described(choice, project).values()
    return [service.program for service in services if service.program is not None]


def is_backend(service: ComposeService) -> bool:
    """Return whether the embedded backends replace a service where there are no containers."""
    return service.module is None and service.program is None


def jars(choice: Choice, project: Project) -> list[Path]:
    """Return the jars that a deployment runs."""
    return [choice.jar(project, module) for module in modules(choice, project)]


def require_services_as_declared(choice: Choice) -> None:
    processes = "Choose backends embedded or local."
    if choice.jars is not None or choice.replicas.keys() & choice.system.kinds.keys():
        raise UserError(
            "jars, and numbers of services of a kind, are for services as processes only", processes
        )
    if choice.tokens is not None:
        raise UserError(f"{choice.tokens.setting} is for services as processes only", processes)
    for service in choice.system.numbered:
        if choice.replicas.get(service, 1) > 1:
            raise UserError(
                f"replicas: instances of {service} need a number, and only processes get one",
                processes,
            )


def elsewhere(variant: str, preset: str, target: str) -> Deployment:
    """Return a system that runs already, of which only the front door's URL is known."""
    url = urlsplit(target)
    host, port = str(url.hostname), url.port or (443 if url.scheme == "https" else 80)
    return Deployment(
        variant=variant,
        preset=preset,
        backends=ELSEWHERE,
        phases=(),
        converged=convergence(systems.declaration(variant), port, url=target),
        front_ports=(port,),
        front_host=host,
        front_scheme=url.scheme,
        front_prefix=url.path,
        mongodb_uri=None,
    )


def mongodb_uri(
    system: SystemDeclaration,
    port_of: Callable[[str, int], int],
    given: str | None = None,
    account: str = "",
) -> str | None:
    if system.reset is None:
        return None
    port = port_of(system.reset.service, system.reset.port)
    return given or f"mongodb://{account}{ports.LOOPBACK}:{port}"


def postgresql_uri(
    system: SystemDeclaration,
    port_of: Callable[[str, int], int],
    account: str,
    given: str | None = None,
) -> str | None:
    """Return the connection string of a system's PostgreSQL; None if it has none.

    `account` is NAME or NAME:PASSWORD.
    """
    if system.restore is None:
        return None
    port = port_of(system.restore.service, system.restore.port)
    return given or f"postgresql://{account}@{ports.LOOPBACK}:{port}"


def convergence(
    system: SystemDeclaration,
    port: int,
    registry: Registry | None = None,
    url: str | None = None,
    fetch: Callable[[httpx.Client], str] | None = None,
) -> Convergence:
    """Return the check that the front door of a system gives every full answer.

    With a `registry`, it must also know every instance. The front door is at a port of this
    machine, unless `url` says where. `fetch` gets the token without which it answers nothing.
    """
    base = url or f"http://{ports.LOOPBACK}:{port}"

    def missing(http: httpx.Client) -> str | None:
        headers = {} if fetch is None else {"Authorization": f"Bearer {fetch(http)}"}
        lacks = (
            lack
            for probe in system.complete
            if (lack := _lacks(http, base, probe, system, headers))
        )
        return next(lacks, None) or (None if registry is None else registry.missing(http))

    return missing


def issuer_of(choice: Choice, port_of: Callable[[str, int], int]) -> dict[str, str]:
    """Return the setting with the URL of what issues tokens; empty if nothing does."""
    issuing = choice.tokens
    if issuing is None:
        return {}
    port = port_of(issuing.service, issuing.port)
    return {issuing.issuer: f"http://{ports.LOOPBACK}:{port}{issuing.issuer_path}"}


def token_of(
    choice: Choice, port_of: Callable[[str, int], int]
) -> Callable[[httpx.Client], str] | None:
    """Return what fetches a token for requests of the harness; None if none is needed."""
    issuing = choice.tokens
    if issuing is None:
        return None
    token = Token(url=issuer_of(choice, port_of)[issuing.issuer] + issuing.path, form=issuing.form)
    return partial(tokens.ask, token=token)


def registry(
    services: Mapping[str, ComposeService], choice: Choice, port_of: Callable[[str, int], int]
) -> Registry | None:
    """Return the registry of the services in several instances; None if none of them registers."""
    expected = {
        name: first
        for name, count in choice.replicas.items()
        # With an empty address a service registers nowhere.
        if (first := choice.at_first.get(name, count)) > 1
        and name in services
        and services[name].environment.get(ADDRESS)
    }
    if not expected:
        return None
    # One registry for all.
    url = urlsplit(services[next(iter(expected))].environment[ADDRESS])
    port = port_of(str(url.hostname), url.port or 80)
    account, at, _ = url.netloc.rpartition("@")
    return Registry(f"http://{account}{at}{ports.LOOPBACK}:{port}{url.path}", expected)


def _lacks(
    http: httpx.Client,
    base: str,
    probe: Probe,
    system: SystemDeclaration,
    headers: Mapping[str, str],
) -> str | None:
    """Send one probe and return what its answer lacks; None if the answer is full."""
    asked = f"GET {probe.get}"
    answer = http.get(base + probe.get, headers=headers)
    if answer.status_code == httpx.codes.UNAUTHORIZED and system.accounts and not headers:
        # No more can be learned without an account, which the harness does not have.
        return None
    if system.protocol == "acknowledged":
        if answer.status_code != httpx.codes.ACCEPTED:
            return f"{asked} answers {answer.status_code}"
        waiting = {**headers, "Prefer": f"wait={WAIT_S}"}
        answer = http.get(f"{base}{probe.get}/{answer.text.strip()}", headers=waiting)
        asked = f"the result of {asked}"
    if answer.status_code != httpx.codes.OK:
        return f"{asked} answers {answer.status_code}"
    if probe.incomplete_header and (lack := answer.headers.get(probe.incomplete_header)):
        return f"{asked} misses {lack}"
    if probe.items is not None:
        try:
            count = len(answer.json())
        except (ValueError, TypeError):
            return f"{asked} is no list in JSON"
        if count < probe.items:
            return f"{asked} has {count} of {probe.items} entries"
    return None

"""Describes how a system is deployed: as processes or containers, from the same compose file."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx

from testbed.deploy import cluster, compose, composefile, ports
from testbed.deploy.composefile import MANAGEMENT_PORT, ComposeService
from testbed.deploy.jdk import Jdk
from testbed.deploy.record import Cluster
from testbed.deploy.registry import ADDRESS, Registry
from testbed.deploy.services import EMBEDDED, Convergence, Deployment, Service
from testbed.experiment.parts import ServiceLimits
from testbed.model import systems
from testbed.model.errors import UserError, unknown
from testbed.model.project import Project
from testbed.model.systems import BACKENDS, PRESETS, Endpoint, Probe, SystemDeclaration

BACKENDS_HEAP_GB = 3
"""The most heap of the embedded backends: enough for the reservations of a run, a million."""

BACKENDS_FLAGS = (
    "-XX:+UseSerialGC",
    "-Xms256m",
    f"-Xmx{BACKENDS_HEAP_GB}g",
    "-XX:+ExitOnOutOfMemoryError",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)
"""JVM arguments of the embedded backends. Presets share them: backends are not compared."""

OF_CONTAINERS = ("JAVA_OPTS", "LOGGING_STRUCTURED_FORMAT_CONSOLE")
"""Settings for containers only. Processes get flags in their command and log for people."""

STORED_PER_GB = 250_000
"""How many stored documents the embedded backends hold for each GB of further heap."""

MANAGEMENT_DISTANCE = 100
"""How far the port of a service's health and metrics is above its own."""

FURTHER_PORTS = range(8400, 8400 + MANAGEMENT_DISTANCE)
"""The ports of the further instances of services, before the offset.

The first instance has the port of the compose file. Stacks that run side by side have offsets
of multiples of 1,000. So no compose file may use a port that ends in 400 to 599.
"""

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

    def is_first(self, one: Service) -> bool:
        """Return whether an instance starts with the system."""
        service, number = systems.service_of(one.name), systems.number_of(one.name)
        return number <= self.at_first.get(service, number)

    def complete(self) -> SystemDeclaration:
        """Return the system with the probes that fit the number of its services."""
        further = sum(
            self.replicas[name] - len(kind.services)
            for name, kind in self.system.kinds.items()
            if name in self.replicas
        )
        probes = tuple(
            one.model_copy(update={"items": None if one.items is None else one.items + further})
            for one in self.system.complete
            if one.service is None or self.instances(one.service)[0]
        )
        return self.system.model_copy(update={"complete": probes})


def described(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> dict[str, ComposeService]:
    """Return the services of a system's compose file, without those that only watch it.

    Raises `UserError` if the file cannot be read, or the offset moves a port out of range.
    """
    variables = compose.variables(project, environ) | {"TESTBED_PRESET": choice.preset}
    found = composefile.read(project.root / choice.system.compose, variables)
    services = {name: one for name, one in found.items() if not one.profiles}
    free = 65_535 - max(port for one in services.values() for port in one.ports.values())
    if not 0 <= choice.port_offset <= free:
        raise UserError(f"port offset {choice.port_offset} is out of range; choose 0 to {free}")
    return services


def modules(choice: Choice, project: Project) -> tuple[str, ...]:
    """Return the modules whose jars a deployment needs."""
    of_services = [one.module for one in described(choice, project).values()]
    own = dict.fromkeys(module for module in of_services if module)
    embedded = choice.backends == "embedded" and None in of_services
    return (*own, *([EMBEDDED] if embedded else []))


def jars(choice: Choice, project: Project) -> list[Path]:
    """Return the jars that a deployment runs."""
    return [choice.jar(project, module) for module in modules(choice, project)]


def deployment(
    choice: Choice, project: Project, jdk: Jdk, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a system is started from jars, on embedded or local backends.

    Each service of the compose file becomes a process with the same settings, on the host port of
    its container. Host names become the loopback address. Services without a jar of the project are
    backends. One process of embedded backends replaces them. Further instances of a service get
    `FURTHER_PORTS`, in start order.

    `environ` gives the variables of the compose file, before ``.env``, and ``JAVA_OPTS``, which may
    also be a setting, so that systems of an experiment differ in their JVMs' flags. For local
    backends it also gives ``MONGODB_URI`` and ``RABBITMQ_*``. Raises `UserError` if the compose
    file cannot be read, an offset moves a port out of range, or a server runs in containers alone.
    """
    services = described(choice, project, environ)
    addresses = _Addresses(services, choice.port_offset)
    backends = [one for one in services.values() if one.module is None]
    if alone := [one.name for one in backends if one.stub is None]:
        raise UserError(
            f"{', '.join(alone)} runs in containers only",
            "Choose backends docker or kubernetes.",
        )
    variables = {**environ, **choice.settings}
    own = _local_backends(environ) if choice.backends == "local" else {}

    def process(one: ComposeService) -> Service:
        assert one.module is not None
        settings = {
            name: value for name, value in one.environment.items() if name not in OF_CONTAINERS
        }
        for other in one.after if choice.backends == "embedded" else ():
            if (stub := services[other].stub) is not None:
                settings |= stub.clients
        return Service(
            name=one.name,
            command=(
                str(jdk.java),
                *jvm_flags(project, choice.preset, one.module, variables),
                "-jar",
                str(choice.jar(project, one.module)),
            ),
            ports=tuple(addresses.port(one.name, port) for port in one.inside),
            environ={
                **addresses.on_this_machine(one, settings),
                "SERVER_ADDRESS": ports.LOOPBACK,
                "EUREKA_INSTANCE_IP_ADDRESS": ports.LOOPBACK,
                **_of_use_to(one, own),
                **choice.settings,
            },
            limits=choice.limits.get(one.name),
        )

    published = {port for one in services.values() for port in one.ports.values()}
    further = (port for port in FURTHER_PORTS if not {port, port + MANAGEMENT_DISTANCE} & published)

    def instances(one: ComposeService) -> Iterator[Service]:
        first = process(one)
        count, settings = choice.instances(one.name)
        if count:
            yield first
        for number in range(2, count + 1):
            port = next(further, None)
            if port is None:
                raise UserError(f"replicas: more than {len(FURTHER_PORTS)} further instances")
            # Also part of its id in the registry: host, service and port.
            moved = {"SERVER_PORT": port + choice.port_offset}
            if MANAGEMENT_PORT in first.environ:
                moved = {MANAGEMENT_PORT: moved["SERVER_PORT"] + MANAGEMENT_DISTANCE, **moved}
            yield replace(
                first,
                name=systems.instance(one.name, number),
                ports=tuple(moved.values()),
                environ={
                    **first.environ,
                    **{name: text.format(number=number) for name, text in settings.items()},
                    **{name: str(port) for name, port in moved.items()},
                },
            )

    order = composefile.phases(one for one in services.values() if one.module is not None)
    all_phases = [tuple(each for one in phase for each in instances(one)) for phase in order]
    started = [tuple(filter(choice.is_first, phase)) for phase in all_phases]
    spare = [one for phase in all_phases for one in phase if not choice.is_first(one)]
    if choice.backends == "embedded" and backends:
        embedded = _embedded(backends, addresses, project, jdk, choice.stored)
        started = _beside(embedded, started, services)
    front = choice.system.front
    front_port = addresses.port(front.service, front.port)
    front_ports = (
        int(one.environ["SERVER_PORT"])
        for one in itertools.chain(*started)
        if systems.service_of(one.name) == front.service != one.name
    )
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=tuple(started),
        spare=tuple(spare),
        converged=convergence(
            choice.complete(), front_port, _registry(services, choice, addresses.port)
        ),
        front_ports=(front_port, *front_ports),
        mongodb_uri=_mongodb_uri(choice.system, addresses.port, own.get("MONGODB_URI")),
        stored=choice.stored,
    )


def in_containers(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a system is started in containers, including backends.

    Raises `UserError` if it has jars of its own, or a number of services of a kind: images have the
    project's jars, and compose files their services.
    """
    _require_services_as_declared(choice)
    front = choice.system.front
    if choice.replicas.get(front.service, 1) > 1:
        raise UserError(
            f"replicas: the front door, {front.service}, cannot be several containers: they share "
            "its port",
            "Choose backends embedded or local.",
        )
    unmoved = compose.describe(project, choice.system.compose, environ)
    files = compose.moved(unmoved, project, choice.port_offset, environ)
    known = compose.resolved(files, environ)
    # Images have the name of the compose project: a moved stack uses those of the other.
    built = compose.resolved(unmoved, environ) if choice.port_offset else {}
    services = described(choice, project, environ)
    own = {name: tuple(one.ports) for name, one in services.items() if one.module}
    changes = compose.changes(
        own,
        choice.settings,
        choice.replicas,
        choice.limits,
        {name: one["image"] for name, one in built.items()},
    )
    scaled = {
        name: services[name].inside[0] for name, count in choice.replicas.items() if count > 1
    }
    port_of = partial(compose.published, known)
    front_port = port_of(front.service, front.port)
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=(),
        converged=convergence(choice.system, front_port, _registry(services, choice, port_of)),
        front_ports=(front_port,),
        mongodb_uri=_mongodb_uri(choice.system, port_of, account=_mongodb_account(choice, known)),
        stored=choice.stored,
        compose=compose.changed(files, project, changes),
        published=compose.published_ports(known) | dict.fromkeys(scaled, ()),
        others=frozenset(known.keys() - own.keys()),
        watching=compose.watching(known),
        scaled=scaled,
    )


def _require_services_as_declared(choice: Choice) -> None:
    processes = "Choose backends embedded or local."
    if choice.jars is not None or choice.replicas.keys() & choice.system.kinds.keys():
        raise UserError(
            "jars, and numbers of services of a kind, are for services as processes only", processes
        )
    for service in choice.system.numbered:
        if choice.replicas.get(service, 1) > 1:
            raise UserError(
                f"replicas: instances of {service} need a number, and only processes get one",
                processes,
            )


def in_cluster(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a system is started on Kubernetes, by the current context of kubectl.

    Raises `UserError` if the cluster does not answer, has no room or lacks an image, or if the
    system has jars of its own, or a number of services of a kind: manifests have their services.
    """
    _require_services_as_declared(choice)
    front, suffix = choice.system.front, f"-{choice.port_offset}" if choice.port_offset else ""
    known = Cluster(cluster.context(), f"testbed-run-{choice.variant}{suffix}")
    services = described(choice, project, environ)
    settings = {**choice.settings, "TESTBED_PRESET": choice.preset}
    documents = cluster.changed(
        cluster.manifests(overlays(project, environ) / choice.variant),
        known.namespace,
        {name: settings for name, one in services.items() if one.module},
        choice.replicas,
        choice.limits,
    )
    cluster.require_possible(known, documents)

    def forwarded(one: Endpoint) -> tuple[int, int]:
        return services[one.service].ports[one.port] + choice.port_offset, one.port

    led_to, uri = {front.service: forwarded(front)}, None
    if (reset := choice.system.reset) is not None:
        led_to[reset.service] = forwarded(reset)
        account = compose.variables(project, environ).get("MONGODB_ACCOUNT", "")
        uri = (
            f"mongodb://{account}{ports.LOOPBACK}:{led_to[reset.service][0]}/?directConnection=true"
        )
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=(),
        converged=convergence(choice.system, led_to[front.service][0]),
        front_ports=(front.port,),
        front_host=f"{front.service}.{known.namespace}.svc",
        mongodb_uri=uri,
        stored=choice.stored,
        cluster=known,
        manifests=tuple(documents),
        forwarded=led_to,
    )


def overlays(project: Project, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder with a kustomization for each system, and one for the load generators.

    The environment variable ``KUBERNETES_OVERLAYS`` names it, if it is not the project's.
    """
    given = environ.get("KUBERNETES_OVERLAYS")
    return Path(given or project.root / "kubernetes" / "overlays").absolute()


def elsewhere(variant: str, preset: str, target: str) -> Deployment:
    """Return a system that runs already, of which only the front door's URL is known."""
    url = urlsplit(target)
    host, port = str(url.hostname), int(url.port or 0)
    return Deployment(
        variant=variant,
        preset=preset,
        backends="unknown",
        phases=(),
        converged=convergence(systems.declaration(variant), port, host=host),
        front_ports=(port,),
        front_host=host,
        mongodb_uri=None,
    )


def _mongodb_uri(
    system: SystemDeclaration,
    port_of: Callable[[str, int], int],
    given: str | None = None,
    account: str = "",
) -> str | None:
    if system.reset is None:
        return None
    port = port_of(system.reset.service, system.reset.port)
    return given or f"mongodb://{account}{ports.LOOPBACK}:{port}"


def _mongodb_account(choice: Choice, services: Mapping[str, Any]) -> str:
    """Return the account of MongoDB's container for its address; empty if it has none."""
    if choice.system.reset is None:
        return ""
    environment = services[choice.system.reset.service].get("environment", {})
    name, password = (
        environment.get(f"MONGO_INITDB_ROOT_{one}") for one in ("USERNAME", "PASSWORD")
    )
    return f"{quote_plus(name)}:{quote_plus(password)}@" if name and password else ""


def convergence(
    system: SystemDeclaration,
    port: int,
    registry: Registry | None = None,
    host: str = ports.LOOPBACK,
) -> Convergence:
    """Return the check that the front door of a system gives every full answer.

    With a `registry`, it must also know every instance.
    """
    base = f"http://{host}:{port}"

    def missing(http: httpx.Client) -> str | None:
        lacks = (lack for probe in system.complete if (lack := _lacks(http, base, probe, system)))
        return next(lacks, None) or (None if registry is None else registry.missing(http))

    return missing


def jvm_flags(
    project: Project, preset: str, module: str, environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Return a preset's JVM arguments: for all, for a module, then ``JAVA_OPTS``."""
    own = project.presets / preset / f"{module}.jvm"
    return (
        f"@{project.presets / f'{preset}.jvm'}",
        *([f"@{own}"] if own.is_file() else []),
        *environ.get("JAVA_OPTS", "").split(),
    )


@dataclass(frozen=True)
class _Addresses:
    """The addresses of a compose file's services as processes of this machine."""

    services: Mapping[str, ComposeService]
    offset: int

    def port(self, service: str, port: int) -> int:
        """Return the host port of a service's port; raise `UserError` if it is not published."""
        published = self.services[service].ports.get(port)
        if published is None:
            raise UserError(f"port {port} of {service} is not published by the compose file")
        return published + self.offset

    def on_this_machine(self, one: ComposeService, settings: Mapping[str, str]) -> dict[str, str]:
        """Return the settings of a service, with addresses of services on this machine."""
        names = "|".join(map(re.escape, self.services))
        address = re.compile(rf"\b({names}):(\d+)\b")
        found = {
            name: address.sub(
                lambda match: f"{ports.LOOPBACK}:{self.port(match[1], int(match[2]))}", value
            )
            for name, value in settings.items()
        }
        for setting in {"SERVER_PORT", MANAGEMENT_PORT} & settings.keys():
            found[setting] = str(self.port(one.name, int(settings[setting])))
        for name, value in settings.items():
            # Host and port are two settings.
            if name.endswith("_HOST") and value in self.services:
                port = name.removesuffix("_HOST") + "_PORT"
                found[name] = ports.LOOPBACK
                found[port] = str(self.port(value, int(settings[port])))
        return found


def _embedded(
    backends: Iterable[ComposeService],
    addresses: _Addresses,
    project: Project,
    jdk: Jdk,
    stored: int,
) -> Service:
    """Return the process that replaces the backends of a system, with room for what is stored."""
    heap = [f"-Xmx{BACKENDS_HEAP_GB + stored // STORED_PER_GB}g"] if stored >= STORED_PER_GB else []
    listens = {"EMBEDDED_MONGODB_PORT": "off", "EMBEDDED_AMQP_PORT": "off"}
    taken = []
    for one in backends:
        assert one.stub is not None
        for setting, port in one.stub.listens.items():
            taken.append(addresses.port(one.name, port))
            listens[setting] = str(taken[-1])
    return Service(
        name=EMBEDDED,
        command=(str(jdk.java), *BACKENDS_FLAGS, *heap, "-jar", str(project.jar(EMBEDDED))),
        ports=tuple(taken),
        environ={"EMBEDDED_ADDRESS": ports.LOOPBACK, **listens},
        health=None,
    )


def _beside(
    embedded: Service, started: list[tuple[Service, ...]], services: Mapping[str, ComposeService]
) -> list[tuple[Service, ...]]:
    """Return start phases with the embedded backends, and beside them what needs no backend."""
    first, *later = started
    free = tuple(
        service
        for service in first
        if all(services[name].module for name in services[systems.service_of(service.name)].after)
    )
    waiting = tuple(service for service in first if service not in free)
    return [(embedded, *free), *([waiting] if waiting else []), *later]


def _registry(
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


def _local_backends(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the user's own backends."""
    return {
        "MONGODB_URI": environ.get("MONGODB_URI") or f"mongodb://{ports.LOOPBACK}:27017",
        "RABBITMQ_HOST": "localhost",
        "RABBITMQ_PORT": "5672",
        "RABBITMQ_USERNAME": "guest",
        "RABBITMQ_PASSWORD": "guest",
        **{name: value for name, value in environ.items() if name.startswith("RABBITMQ_")},
    }


def _of_use_to(one: ComposeService, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that share a prefix with settings of a service, such as ``RABBITMQ_``."""
    prefixes = {name.partition("_")[0] for name in one.environment}
    return {name: text for name, text in settings.items() if name.partition("_")[0] in prefixes}


def _lacks(http: httpx.Client, base: str, probe: Probe, system: SystemDeclaration) -> str | None:
    """Send one probe and return what its answer lacks; None if the answer is full."""
    asked = f"GET {probe.get}"
    answer = http.get(base + probe.get)
    if system.protocol == "acknowledged":
        if answer.status_code != httpx.codes.ACCEPTED:
            return f"{asked} answers {answer.status_code}"
        headers = {"Prefer": f"wait={WAIT_S}"}
        answer = http.get(f"{base}{probe.get}/{answer.text.strip()}", headers=headers)
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

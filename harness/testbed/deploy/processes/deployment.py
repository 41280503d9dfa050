"""Describes how a system is started as processes, on embedded or local backends."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from testbed.deploy import composefile, database, deployments, ports, tables
from testbed.deploy.building import distributions
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.composefile import MANAGEMENT_PORT, ComposeService, Stub
from testbed.deploy.deployments import Choice
from testbed.deploy.services import EMBEDDED, Deployment, Service
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project

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

_POSTGRESQL_ACCOUNTS = {"embedded": "postgres", "local": "testbed:testbed"}
"""The embedded PostgreSQL asks for no password."""

STORED_PER_GB = 250_000
"""How many stored documents the embedded backends hold for each GB of further heap."""

MANAGEMENT_DISTANCE = 100
"""How far the port of a service's health and metrics is above its own."""

FURTHER_PORTS = range(8400, 8400 + MANAGEMENT_DISTANCE)
"""The ports of the further instances of services, before the offset.

The first instance has the port of the compose file. Stacks that run side by side have offsets
of multiples of 1,000. So no compose file may use a port that ends in 400 to 599.
"""


def in_processes(
    choice: Choice, project: Project, jdk: Jdk, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a system is started from jars, on embedded or local backends.

    Each service of the compose file becomes a process with the same settings, on the host port of
    its container. Host names become the loopback address. Services without a jar of the project are
    backends, unless a program takes their place. One process of embedded backends replaces them.
    Further instances of a service get `FURTHER_PORTS`, in start order.

    `environ` gives the variables of the compose file, before ``.env``, and ``JAVA_OPTS``, which may
    also be a setting, so that systems of an experiment differ in their JVMs' flags. For local
    backends it also gives ``MONGODB_URI`` and ``RABBITMQ_*``. Raises `UserError` if the compose
    file cannot be read, an offset moves a port out of range, or a server runs in containers alone.
    """
    services = deployments.described(choice, project, environ)
    addresses = _Addresses(services, choice.port_offset)
    backends = [service for service in services.values() if deployments.is_backend(service)]
    if alone := deployments.in_containers_only(choice, project, environ):
        raise UserError(
            f"{', '.join(alone)} runs in containers only",
            "Choose backends docker.",
        )
    variables = {**environ, **choice.settings}
    issuer = deployments.issuer_of(choice, addresses.port)
    own = _local_backends(environ) if choice.backends == "local" else {}

    def program(service: ComposeService) -> Service:
        assert service.stub is not None
        assert service.program is not None
        home = distributions.home(project, service.program)
        file, *words = service.program.command
        return Service(
            name=service.name,
            command=(str(home / file), *words),
            ports=tuple(addresses.port(service.name, port) for port in service.inside),
            environ={
                **addresses.on_this_machine(service, service.environment),
                **choice.settings,
                **service.stub.settings,
                **{
                    name: str(addresses.port(service.name, port))
                    for name, port in service.stub.listens.items()
                },
                "JAVA_HOME": str(jdk.home),
            },
            health=service.program.health,
        )

    def process(service: ComposeService) -> Service:
        if service.module is None:
            return program(service)
        settings = {
            name: value for name, value in service.environment.items() if name not in OF_CONTAINERS
        }
        if choice.backends == "embedded":
            for stub in addresses.stubs(settings):
                settings |= stub.clients
        return Service(
            name=service.name,
            command=(
                str(jdk.java),
                *jvm_flags(project, choice.preset, service.module, variables),
                "-jar",
                str(choice.jar(project, service.module)),
            ),
            ports=tuple(addresses.port(service.name, port) for port in service.inside),
            environ={
                **addresses.on_this_machine(service, settings),
                "SERVER_ADDRESS": ports.LOOPBACK,
                "EUREKA_INSTANCE_IP_ADDRESS": ports.LOOPBACK,
                **_of_use_to(service, own),
                **issuer,
                **choice.settings,
            },
            limits=choice.limits.get(service.name),
        )

    published = {port for service in services.values() for port in service.ports.values()}
    further = (port for port in FURTHER_PORTS if not {port, port + MANAGEMENT_DISTANCE} & published)

    def instances(service: ComposeService) -> Iterator[Service]:
        first = process(service)
        count, settings = choice.instances(service.name)
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
                name=systems.instance(service.name, number),
                ports=tuple(moved.values()),
                environ={
                    **first.environ,
                    **{name: text.format(number=number) for name, text in settings.items()},
                    **{name: str(port) for name, port in moved.items()},
                },
            )

    order = composefile.phases(
        service for service in services.values() if not deployments.is_backend(service)
    )
    all_phases = [
        tuple(instance for service in phase for instance in instances(service)) for phase in order
    ]
    started = [tuple(filter(choice.is_first, phase)) for phase in all_phases]
    spare = [service for phase in all_phases for service in phase if not choice.is_first(service)]
    if choice.backends == "embedded" and backends:
        embedded = _embedded(backends, addresses, project, jdk, choice.stored)
        started = _beside(embedded, started, services)
    ask_token = deployments.token_of(choice, addresses.port)
    front = choice.system.front
    front_port = addresses.port(front.service, front.port)
    front_ports = (
        int(service.environ["SERVER_PORT"])
        for service in itertools.chain(*started)
        if systems.service_of(service.name) == front.service != service.name
    )
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=tuple(started),
        spare=tuple(spare),
        converged=deployments.convergence(
            choice.complete(),
            front_port,
            deployments.registry(services, choice, addresses.port),
            fetch=ask_token,
        ),
        ask_token=ask_token,
        front_ports=(front_port, *front_ports),
        mongodb_uri=deployments.mongodb_uri(choice.system, addresses.port, own.get("MONGODB_URI")),
        postgresql_uri=deployments.postgresql_uri(
            choice.system,
            addresses.port,
            _POSTGRESQL_ACCOUNTS[choice.backends],
            environ.get("POSTGRESQL_URI") if choice.backends == "local" else None,
        ),
        stored=choice.stored,
    )


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

    def stubs(self, settings: Mapping[str, str]) -> list[Stub]:
        """Return what stands in for the services that some settings lead to."""
        return [
            service.stub
            for name, service in self.services.items()
            if service.stub is not None
            and any(re.search(rf"\b{re.escape(name)}(:\d|$)", value) for value in settings.values())
        ]

    def on_this_machine(
        self, service: ComposeService, settings: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the settings of a service, with addresses of services on this machine."""
        names = "|".join(map(re.escape, self.services))
        address = re.compile(rf"\b({names}):(\d+)\b")
        local = {
            name: address.sub(
                lambda match: f"{ports.LOOPBACK}:{self.port(match[1], int(match[2]))}", value
            )
            for name, value in settings.items()
        }
        for setting in {"SERVER_PORT", MANAGEMENT_PORT} & settings.keys():
            local[setting] = str(self.port(service.name, int(settings[setting])))
        for name, value in settings.items():
            # Host and port are two settings.
            if name.endswith("_HOST") and value in self.services:
                port = name.removesuffix("_HOST") + "_PORT"
                local[name] = ports.LOOPBACK
                local[port] = str(self.port(value, int(settings[port])))
        return local


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
    for service in backends:
        assert service.stub is not None
        for setting, port in service.stub.listens.items():
            taken.append(addresses.port(service.name, port))
            listens[setting] = str(taken[-1])
        listens |= service.stub.settings
    return Service(
        name=EMBEDDED,
        command=(str(jdk.java), *BACKENDS_FLAGS, *heap, "-jar", str(project.jar(EMBEDDED))),
        ports=tuple(taken),
        environ={
            "EMBEDDED_ADDRESS": ports.LOOPBACK,
            # Its programs are unpacked there once.
            "EMBEDDED_POSTGRESQL_FOLDER": str(project.state / "postgresql"),
            **listens,
        },
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
        if not any(
            deployments.is_backend(services[name])
            for name in services[systems.service_of(service.name)].after
        )
    )
    waiting = tuple(service for service in first if service not in free)
    return [(embedded, *free), *([waiting] if waiting else []), *later]


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


def _of_use_to(service: ComposeService, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that share a prefix with settings of a service, such as ``RABBITMQ_``."""
    prefixes = {name.partition("_")[0] for name in service.environment}
    return {name: text for name, text in settings.items() if name.partition("_")[0] in prefixes}


def require_local_backends(deployment: Deployment, environ: Mapping[str, str]) -> None:
    """Check that the user's own backends answer; raise `UserError` if one does not."""
    if deployment.mongodb_uri is not None:
        database.require_answer(deployment.mongodb_uri)
    if deployment.postgresql_uri is not None:
        tables.require_answer(deployment.postgresql_uri)
    if any("RABBITMQ_HOST" in service.environ for service in deployment.services):
        host = environ.get("RABBITMQ_HOST", "localhost")
        port = ports.parse("RABBITMQ_PORT", environ.get("RABBITMQ_PORT", "5672"))
        if not ports.accepts(port, host):
            raise UserError(
                f"no AMQP server at {host}:{port}",
                "Is it running, and do RABBITMQ_HOST and RABBITMQ_PORT lead to it?",
            )

"""The variants of the product, and how each is deployed as local processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from testbed.deploy import compose, ports
from testbed.deploy.jdk import Jdk
from testbed.deploy.services import Convergence, Deployment, Service
from testbed.model.errors import UserError, unknown
from testbed.model.project import Project
from testbed.model.systems import (
    BACKENDS,
    CINEMA_SERVICES,
    CINEMAS,
    FRONT_SERVICE,
    PRESETS,
    VARIANTS,
    cinema_service,
)

FRONT_PORT = 8099
AGGREGATOR_PORT = 8081
EUREKA_PORT = 8761
MONGODB_PORT = 27017
AMQP_PORT = 5672

BACKENDS_FLAGS = (
    "-XX:+UseSerialGC",
    "-Xms256m",
    # Holds every reservation of a run: a few hundred thousand.
    "-Xmx1g",
    "-XX:+ExitOnOutOfMemoryError",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)
"""The JVM arguments of the embedded backends: the same under every preset, as they are not what is
compared."""

MODULES = {
    "sync": ("eureka-server", "api-gateway-service", "aggregator-service", "cinema-service"),
    "async": ("broker-service", "cinema-service"),
}
"""The modules that a variant's processes run, backends apart."""


@dataclass(frozen=True)
class Choice:
    """What the user asked for.

    Parameters
    ----------
    variant, preset, backends
        By name.
    settings
        Environment settings for every service, on top of the preset.
    port_offset
        Added to every port, those of backends included.
    apart
        Whether the same variant is up already: containers then get other names.
    """

    variant: str
    preset: str = "tuned"
    backends: str = "embedded"
    settings: Mapping[str, str] = field(default_factory=dict)
    port_offset: int = 0
    apart: bool = False

    def __post_init__(self) -> None:
        for parameter, value, choices in (
            ("variant", self.variant, VARIANTS),
            ("preset", self.preset, PRESETS),
            ("backends", self.backends, BACKENDS),
        ):
            if value not in choices:
                raise unknown(parameter, value, choices)
        highest = max(MONGODB_PORT, EUREKA_PORT)
        if not 0 <= self.port_offset <= 65535 - highest:
            raise UserError(
                f"port offset {self.port_offset} is out of range; choose 0 to {65535 - highest}"
            )

    def port(self, default: int) -> int:
        """Return the port that takes the place of a default one."""
        return default + self.port_offset


def modules(choice: Choice) -> tuple[str, ...]:
    """Return the modules whose jars a deployment needs."""
    extra = ("embedded-backends",) if choice.backends == "embedded" else ()
    return (*MODULES[choice.variant], *extra)


def deployment(
    choice: Choice, project: Project, jdk: Jdk, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a variant is started from jars, on embedded or local backends.

    Parameters
    ----------
    choice
        What to start.
    project
        Where jars and JVM arguments are.
    jdk
        What runs the services.
    environ
        Where ``MONGODB_URI``, ``RABBITMQ_*`` and ``JAVA_OPTS`` come from.
    """
    flags = jvm_flags(project, choice.preset, environ)

    def service(name: str, module: str, port: int, **settings: str) -> Service:
        return Service(
            name=name,
            command=(str(jdk.java), *flags, "-jar", str(project.jar(module))),
            ports=(port,),
            environ={**common, **settings, "SERVER_PORT": str(port)},
        )

    backends, connections = _backends(choice, project, jdk, environ)
    eureka_url = f"http://{ports.LOOPBACK}:{choice.port(EUREKA_PORT)}/eureka/"
    common = {
        **connections,
        "SERVER_ADDRESS": ports.LOOPBACK,
        "TESTBED_PRESET": choice.preset,
        "TESTBED_VARIANT": choice.variant,
        "EUREKA_URL": eureka_url,
        "EUREKA_INSTANCE_IP_ADDRESS": ports.LOOPBACK,
        "AGGREGATOR_GATEWAY_URL": f"http://{ports.LOOPBACK}:{choice.port(FRONT_PORT)}",
        **choice.settings,
    }
    transport = "http" if choice.variant == "sync" else "amqp"
    cinemas = tuple(
        service(
            cinema_service(name),
            "cinema-service",
            choice.port(port),
            CINEMA_NAME=name,
            CINEMA_TRANSPORT=transport,
        )
        for name, port in CINEMAS.items()
    )
    front = choice.port(FRONT_PORT)
    phases: list[tuple[Service, ...]]
    if choice.variant == "sync":
        registry = service("eureka-server", "eureka-server", choice.port(EUREKA_PORT))
        aggregator = service(
            "aggregator-service", "aggregator-service", choice.port(AGGREGATOR_PORT)
        )
        gateway = service("api-gateway-service", "api-gateway-service", front)
        phases = [backends, (registry,), (*cinemas, aggregator, gateway)]
    else:
        broker = service("broker-service", "broker-service", front)
        phases = [backends, (*cinemas, broker)]
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=tuple(phase for phase in phases if phase),
        converged=convergence(choice.variant, front),
        front_port=front,
        mongodb_uri=connections["MONGODB_URI"],
        settings=choice.settings,
    )


def in_containers(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a variant is started in containers, backends included."""
    files = compose.describe(project, choice.variant, environ)
    files = compose.moved(files, project, choice.port_offset, apart=choice.apart)
    known = compose.resolved(files, environ)
    own = {*MODULES[choice.variant], *CINEMA_SERVICES}
    front = compose.published(known, FRONT_SERVICE[choice.variant], FRONT_PORT)
    mongodb = compose.published(known, "mongodb", MONGODB_PORT)
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=(),
        converged=convergence(choice.variant, front),
        front_port=front,
        mongodb_uri=f"mongodb://{ports.LOOPBACK}:{mongodb}",
        settings=choice.settings,
        compose=compose.with_settings(files, project, own & set(known), choice.settings),
        published=compose.published_ports(known),
        watching=compose.watching(known),
    )


def convergence(variant: str, port: int) -> Convergence:
    """Return the check that the front door of a variant reaches every cinema."""
    base = f"http://{ports.LOOPBACK}:{port}"
    missing = _sync_missing if variant == "sync" else _async_missing
    return lambda http: missing(http, base)


def jvm_flags(project: Project, preset: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the JVM arguments of a preset, ``JAVA_OPTS`` after them."""
    return (
        f"@{project.presets / f'{preset}.jvm'}",
        *environ.get("JAVA_OPTS", "").split(),
    )


def _backends(
    choice: Choice, project: Project, jdk: Jdk, environ: Mapping[str, str]
) -> tuple[tuple[Service, ...], dict[str, str]]:
    """Return the processes that serve the backends, and the settings that lead to them."""
    if choice.backends != "embedded":
        return (), {
            "MONGODB_URI": environ.get("MONGODB_URI")
            or f"mongodb://{ports.LOOPBACK}:{MONGODB_PORT}",
            **{name: value for name, value in environ.items() if name.startswith("RABBITMQ_")},
        }
    mongodb, amqp = choice.port(MONGODB_PORT), choice.port(AMQP_PORT)
    with_amqp = choice.variant == "async"
    service = Service(
        name="embedded-backends",
        command=(
            str(jdk.java),
            *BACKENDS_FLAGS,
            "-jar",
            str(project.jar("embedded-backends")),
        ),
        ports=(mongodb, amqp) if with_amqp else (mongodb,),
        environ={
            "EMBEDDED_ADDRESS": ports.LOOPBACK,
            "EMBEDDED_MONGODB_PORT": str(mongodb),
            "EMBEDDED_AMQP_PORT": str(amqp) if with_amqp else "off",
        },
        health=None,
    )
    connections = {"MONGODB_URI": f"mongodb://{ports.LOOPBACK}:{mongodb}"}
    if with_amqp:
        connections |= {
            "RABBITMQ_HOST": ports.LOOPBACK,
            "RABBITMQ_PORT": str(amqp),
            "RABBITMQ_USERNAME": "guest",
            "RABBITMQ_PASSWORD": "guest",
            "RABBITMQ_VIRTUAL_HOST": "/",
        }
    return (service,), connections


def _sync_missing(client: httpx.Client, base: str) -> str | None:
    answer = client.get(f"{base}/api/movie/list")
    if (missing := _list_missing(answer)) is not None:
        return missing
    # The gateway has a route and a breaker of its own for each cinema.
    for name in CINEMAS:
        status = client.get(f"{base}/cinema/{name}/movie/list").status_code
        if status != httpx.codes.OK:
            return f"GET /cinema/{name}/movie/list answers {status}"
    return None


def _async_missing(client: httpx.Client, base: str) -> str | None:
    request = client.get(f"{base}/api/movie/list")
    if request.status_code != httpx.codes.ACCEPTED:
        return f"GET /api/movie/list answers {request.status_code}"
    answer = client.get(
        f"{base}/api/movie/list/{request.text.strip()}", headers={"Prefer": "wait=3"}
    )
    return _list_missing(answer)


def _list_missing(answer: httpx.Response) -> str | None:
    if answer.status_code != httpx.codes.OK:
        return f"the list answers {answer.status_code}"
    if missing := answer.headers.get("Cinemas-Missing"):
        return f"the list misses {missing}"
    answered = len(answer.json())
    if answered < len(CINEMAS):
        return f"the list has {answered} of {len(CINEMAS)} cinemas"
    return None


def jars(choice: Choice, project: Project) -> list[Path]:
    """Return the jars that a deployment runs."""
    return [project.jar(module) for module in modules(choice)]

"""Describes how a system is started in containers, including backends."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote_plus

from testbed.deploy import deployments
from testbed.deploy.containers import compose
from testbed.deploy.deployments import Choice
from testbed.deploy.services import Deployment
from testbed.model.errors import UserError
from testbed.model.project import Project


def in_containers(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a system is started in containers, including backends.

    Raises `UserError` if it has jars of its own, or a number of services of a kind: images have the
    project's jars, and compose files their services.
    """
    deployments.require_services_as_declared(choice)
    front = choice.system.front
    if choice.replicas.get(front.service, 1) > 1:
        raise UserError(
            f"replicas: the front door, {front.service}, cannot be several containers: they share "
            "its port",
            "Choose backends embedded or local.",
        )
    unmoved = compose.describe(project, choice.system.compose, environ)
    files = compose.moved(unmoved, project, choice.port_offset, environ)
    resolved = compose.resolved(files, environ)
    # Images have the name of the compose project: a moved stack uses those of the other.
    built = compose.resolved(unmoved, environ) if choice.port_offset else {}
    services = deployments.described(choice, project, environ)
    own = {name: tuple(service.ports) for name, service in services.items() if service.module}
    changes = compose.changes(
        own,
        choice.settings,
        choice.replicas,
        choice.limits,
        {name: service["image"] for name, service in built.items()},
    )
    scaled = {
        name: services[name].inside[0] for name, count in choice.replicas.items() if count > 1
    }
    port_of = partial(compose.published, resolved)
    front_port = port_of(front.service, front.port)
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=(),
        converged=deployments.convergence(
            choice.system, front_port, deployments.registry(services, choice, port_of)
        ),
        front_ports=(front_port,),
        mongodb_uri=deployments.mongodb_uri(
            choice.system, port_of, account=_mongodb_account(choice, resolved)
        ),
        stored=choice.stored,
        compose=compose.changed(files, project, changes),
        published=compose.published_ports(resolved) | dict.fromkeys(scaled, ()),
        others=frozenset(resolved.keys() - own.keys()),
        watching=compose.watching(resolved),
        scaled=scaled,
    )


def _mongodb_account(choice: Choice, services: Mapping[str, Any]) -> str:
    """Return the account of MongoDB's container for its address; empty if it has none."""
    if choice.system.reset is None:
        return ""
    environment = services[choice.system.reset.service].get("environment", {})
    name, password = (
        environment.get(f"MONGO_INITDB_ROOT_{part}") for part in ("USERNAME", "PASSWORD")
    )
    return f"{quote_plus(name)}:{quote_plus(password)}@" if name and password else ""

"""Describes how a system is started on Kubernetes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from testbed.deploy import composefile, deployments, ports
from testbed.deploy.deployments import Choice
from testbed.deploy.kubernetes import cluster
from testbed.deploy.record import Cluster
from testbed.deploy.services import Deployment
from testbed.model.project import Project
from testbed.model.systems import Endpoint


def in_cluster(
    choice: Choice, project: Project, environ: Mapping[str, str] = os.environ
) -> Deployment:
    """Return how a system is started on Kubernetes, by the current context of kubectl.

    Raises `UserError` if the cluster does not answer, has no room or lacks an image, or if the
    system has jars of its own, or a number of services of a kind: manifests have their services.
    """
    deployments.require_services_as_declared(choice)
    front, suffix = choice.system.front, f"-{choice.port_offset}" if choice.port_offset else ""
    place = Cluster(cluster.context(), f"testbed-run-{choice.variant}{suffix}")
    services = deployments.described(choice, project, environ)
    settings = {**choice.settings, "TESTBED_PRESET": choice.preset}
    documents = cluster.changed(
        cluster.manifests(overlays(project, environ) / choice.variant),
        place.namespace,
        {name: settings for name, service in services.items() if service.module},
        choice.replicas,
        choice.limits,
    )
    cluster.require_possible(place, documents)

    def forwarded(endpoint: Endpoint) -> tuple[int, int]:
        return services[endpoint.service].ports[endpoint.port] + choice.port_offset, endpoint.port

    led_to, uri = {front.service: forwarded(front)}, None
    if (reset := choice.system.reset) is not None:
        led_to[reset.service] = forwarded(reset)
        account = composefile.variables(project, environ).get("MONGODB_ACCOUNT", "")
        uri = (
            f"mongodb://{account}{ports.LOOPBACK}:{led_to[reset.service][0]}/?directConnection=true"
        )
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=(),
        converged=deployments.convergence(choice.system, led_to[front.service][0]),
        front_ports=(front.port,),
        front_host=f"{front.service}.{place.namespace}.svc",
        mongodb_uri=uri,
        stored=choice.stored,
        cluster=place,
        manifests=tuple(documents),
        forwarded=led_to,
    )


def overlays(project: Project, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder with a kustomization for each system, and one for the load generators.

    The environment variable ``KUBERNETES_OVERLAYS`` names it, if it is not the project's.
    """
    given = environ.get("KUBERNETES_OVERLAYS")
    return Path(given or project.root / "kubernetes" / "overlays").absolute()

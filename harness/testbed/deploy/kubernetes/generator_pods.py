"""Starts load generators on Kubernetes: the pods of a job, in a namespace of their own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testbed.deploy import programs
from testbed.deploy.kubernetes import cluster
from testbed.deploy.record import Cluster
from testbed.model.errors import UserError

NAME = "load-generator"
"""The kustomization, the job and its image."""

NAMESPACE = "testbed-run-load"


@dataclass(frozen=True)
class GeneratorPods:
    """Load generators that are not started yet."""

    place: Cluster
    manifests: tuple[dict[str, Any], ...]
    cpus: float
    """The cores that each may use."""

    @contextlib.contextmanager
    def started(self) -> Iterator[list[str]]:
        """Start the pods and return their names; they are deleted with the context.

        Raises `UserError` if they do not become ready.
        """
        try:
            cluster.apply(self.place, self.manifests)
            expected, limit_s = cluster.expected(self.manifests), cluster.READY_LIMIT_S
            if cluster.late(self.place, expected, limit_s):
                raise UserError(f"the load generators are not ready in {limit_s:.0f} s")
            yield [pod.name for pod in cluster.pods(self.place).values()]
        finally:
            with programs.uninterrupted():
                cluster.delete(self.place)


def generator_pods(overlays: Path, count: int) -> GeneratorPods:
    """Return so many load generators, checked to be possible in the current context.

    Raises `UserError` if the cluster does not answer, has no room or lacks the image, or if the
    job has no limit of CPU: the load could then take the systems' processors.
    """
    place = Cluster(cluster.context(), NAMESPACE)
    documents = cluster.changed(
        cluster.manifests(overlays / NAME), place.namespace, replicas={NAME: count}
    )
    (job,) = (document for document in documents if document["kind"] == "Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    limit = container.get("resources", {}).get("limits", {}).get("cpu")
    if limit is None:
        raise UserError(f"{overlays / NAME}: the job has no limit of CPU")
    cluster.require_possible(place, documents)
    return GeneratorPods(place, tuple(documents), cluster.quantity(limit))

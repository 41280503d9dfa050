"""Trains the AOT caches of a deployment, by starting it under load."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from testbed.deploy.building import aot_cache
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.services import Deployment, Service
from testbed.deploy.stack import Stack
from testbed.model import files
from testbed.model.errors import UserError
from testbed.model.project import Project

WRITE_LIMIT_S = 120.0
"""The time limit for all services to write their caches at the same time, when stopped."""

GIVE_UP_S = 0.5
"""The time limit to stop where no cache is wanted: too short to begin writing one."""


def train(
    deployment: Deployment,
    project: Project,
    jdk: Jdk,
    environ: Mapping[str, str],
    load: Callable[[Stack, Path], None],
    notice: Callable[[str], None] = lambda _: None,
) -> None:
    """Start a deployment, put load on it, stop it, and keep the caches that its JVMs write.

    Needed once per build, variant and set of JVM arguments, besides those of the heap's size. If
    services share a cache, the first is trained. Services inherit `environ`. `load` may write into
    the folder that it gets, which is removed afterwards.

    Raises `UserError` if the deployment cannot be started or loaded, or a service writes no cache.
    """
    prepared_jars = aot_cache.locate(deployment, project, jdk)
    aot_cache.unpack_all(deployment, prepared_jars, jdk)
    # Beside the builds of one module: `prune` then also removes what a killed command leaves.
    beside = next(iter(prepared_jars.values())).jar.parents[1]
    with tempfile.TemporaryDirectory(dir=beside, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        trained: dict[Path, str] = {}

        def in_training(service: Service) -> Service:
            prepared = prepared_jars.get(service.name)
            if prepared is None:
                return service
            if prepared.cache.is_file() or prepared.cache in trained:
                return prepared.started(service)
            trained[prepared.cache] = service.name
            return prepared.started(service, f"-XX:AOTCacheOutput={folder / service.name}.aot")

        stack = Stack(project, aot_cache.with_each(deployment, in_training), environ)
        stack.start(lambda what: notice(f"waiting for {what}"))
        try:
            load(stack, folder)
            stack.require_alive()
        except BaseException:
            stack.stop(GIVE_UP_S)
            raise
        notice("writing the caches")
        killed = stack.stop(WRITE_LIMIT_S)
        for service_name in trained.values():
            if service_name in killed or not (folder / f"{service_name}.aot").is_file():
                raise UserError(
                    f"{service_name} wrote no AOT cache; the end of its log:\n"
                    + files.tail(project.logs / f"{service_name}.log")
                )
        for cache, service_name in trained.items():
            (folder / f"{service_name}.aot").replace(cache)
            aot_cache.prune(cache.parent)

"""Builds, lays out and checks what a command needs before it starts anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from testbed import build, ceiling, compose, database, jdk, load, ports, staging, variants
from testbed.cli.console import console
from testbed.errors import UserError
from testbed.project import Project
from testbed.services import Deployment
from testbed.steps import step
from testbed.variants import Choice


def build_jars(project: Project, java: jdk.Jdk, *, force: bool = False) -> None:
    """Build the jars of modules that changed, or of all."""
    known = build.modules(project)
    runnable = [module.name for module in known if module.runnable]
    names = runnable if force else build.stale(project, known)
    if not names:
        return
    with step(console, f"Building {', '.join(names)}"):
        build.build(project, java, names)


def lay_out_jmeter(project: Project, java: jdk.Jdk, *, force: bool = False) -> None:
    """Lay out JMeter where it is not, or anew."""
    if force or not build.jmeter_is_laid_out(project):
        with step(console, "Laying out JMeter"):
            build.lay_out_jmeter(project, java)


def prepare(
    project: Project, choice: Choice, environ: Mapping[str, str], *, build_first: bool
) -> Deployment:
    """Return a deployment that is ready to be started: everything that can be checked before is."""
    if choice.backends == "docker":
        compose.require_docker()
        in_containers = variants.in_containers(choice, project, environ)
        ports.require_free(in_containers.ports, compose.MOVE_PORTS)
        return in_containers
    java = jdk.for_services()
    deployment = variants.deployment(choice, project, java, environ)
    ports.require_free(deployment.ports)
    if choice.backends == "local":
        _require_local_backends(choice, deployment.mongodb_uri)
    if build_first:
        build.maven()
        build_jars(project, java)
    build.require_jars(project, variants.jars(choice, project))
    return staged(deployment, project, java, environ)


def staged(
    deployment: Deployment, project: Project, java: jdk.Jdk, environ: Mapping[str, str]
) -> Deployment:
    """Return a deployment that starts from prepared jars; prepares those that are not yet."""
    if staging.is_staged(deployment, project, java):
        return staging.stage(deployment, project, java, environ)
    title = f"Preparing {deployment.variant} (preset {deployment.preset}) for quick starts"
    with step(console, title) as detail:
        return staging.stage(deployment, project, java, environ, detail)


def _require_local_backends(choice: Choice, mongodb_uri: str) -> None:
    database.require_answer(mongodb_uri)
    if choice.variant == "async":
        host = os.environ.get("RABBITMQ_HOST", "localhost")
        port = ports.parse("RABBITMQ_PORT", os.environ.get("RABBITMQ_PORT", variants.AMQP_PORT))
        if not ports.accepts(port, host):
            raise UserError(
                f"no AMQP server at {host}:{port}",
                "Is it running, and do RABBITMQ_HOST and RABBITMQ_PORT lead to it?",
            )


def measure_ceilings(
    project: Project,
    of_variants: Iterable[str],
    workloads: Sequence[str],
    java: jdk.Jdk,
    *,
    anew: bool = False,
) -> dict[str, float]:
    """Return what the generator reaches with each plan; measures what is not known yet."""
    plans = [
        load.plan_file(project, variant, workload)
        for variant in of_variants
        for workload in workloads
    ]
    known = ceiling.known(project, plans, java)
    if len(known) == len(plans) and not anew:
        return known
    with step(console, "Measuring what the load generator can do at most") as detail:
        return ceiling.measure(project, plans, java, detail, anew=anew)


def measuring_environ(*, watched: bool = False) -> dict[str, str]:
    """Return an environment in which nothing runs beside what is measured, unless it is watched."""
    return dict(os.environ) if watched else {**os.environ, "COMPOSE_PROFILES": ""}

"""Builds and checks what a command needs before it starts anything."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from testbed.cli.console import console, step
from testbed.deploy import deployments, ports, training
from testbed.deploy.building import aot_cache, build, distributions, jdk, jmeter_parts
from testbed.deploy.composefile import Program
from testbed.deploy.deployer import Notice
from testbed.deploy.deployments import Choice
from testbed.deploy.places import deployer
from testbed.deploy.processes.deployment import in_processes
from testbed.deploy.services import EMBEDDED, Deployment
from testbed.deploy.stack import Stack
from testbed.experiment.declaration import Experiment
from testbed.measure import ceiling, load, metrics
from testbed.measure.load import Generator
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project

PAYS_FROM = 5
"""Starts of a system from which on training its AOT caches takes less time than it saves.

Measured on 2 cores: three minutes of training for both variants, 40 s less for each start.
"""

TRAINING_OFFSETS = 30_000
"""Training tries port offsets below this, in steps of 1,000."""

TRAINING_THREADS = 10
TRAINING_S = 3
"""How long training puts each workload on: enough to load the classes of its requests."""


def build_changed(
    project: Project,
    java: jdk.Jdk,
    needed: Iterable[str] | None = None,
    *,
    jmeter: bool = False,
    checked: bool = False,
    force: bool = False,
) -> None:
    """Build the jars of changed modules and, with `jmeter`, lay out JMeter where it is missing.

    `needed` names the modules to look at; None means all. See `build.build` for `checked`. With
    `force` everything is made anew.
    """
    every = build.modules(project)
    changed = [module.name for module in every if module.runnable]
    if not force:
        changed = build.stale(project, every, checked=checked)
    if needed is not None:
        wanted = set(needed)
        changed = [name for name in changed if name in wanted]
    jmeter = jmeter and (force or not build.jmeter_is_laid_out(project))
    if changed or jmeter:
        build.maven()
        with step(console, f"Building {', '.join([*changed, *(['JMeter'] if jmeter else [])])}"):
            build.build(project, java, changed, checked=checked, jmeter=jmeter)


def jmeter_is_there(project: Project) -> bool:
    if project.is_checkout:
        return build.jmeter_is_laid_out(project)
    return jmeter_parts.is_complete(project.jmeter_home)


def lay_out_jmeter(project: Project) -> None:
    """Lay out JMeter where it is missing: by Maven, or without sources from Maven's repository."""
    if jmeter_is_there(project):
        return
    if project.is_checkout:
        build_changed(project, jdk.for_services(), (), jmeter=True)
    else:
        with step(console, "Fetching JMeter") as detail:
            jmeter_parts.fetch(project.jmeter_home, detail)


def write_plans(project: Project, plan: Experiment) -> None:
    """Write the load plans of the user's own systems, if an experiment has some."""
    own = {system.variant for system in plan.compared if systems.declaration(system.variant).own}
    if own:
        # Imported here: other experiments need no templates.
        from testbed.measure import plans

        plans.write_own(project, own)
    if plan.opens:
        for name, workload in itertools.product(sorted(own), plan.workloads):
            if user_plan := systems.user_plan(name, workload):
                user_plan.require_open()


def build_for(project: Project, choices: Iterable[Choice], *, generator: bool) -> None:
    """Build what changed of the jars that some systems need; with `generator`, JMeter too.

    Programs of others that they run are fetched where they are missing.
    """
    choices = list(choices)
    needed = modules(project, choices, generator=generator)
    if needed:
        build_changed(project, jdk.for_services(), needed, jmeter=generator)
    for choice in choices:
        for program in programs(project, choice):
            if not distributions.is_laid_out(project, program):
                with step(console, f"Fetching and preparing {Path(program.archive).name}"):
                    distributions.lay_out(project, program, jdk.for_services())


def programs(project: Project, choice: Choice) -> list[Program]:
    """Return the programs of others that a system runs as processes."""
    return deployments.programs(choice, project) if deployer(choice.backends).from_jars else []


def modules(project: Project, choices: Iterable[Choice], *, generator: bool) -> set[str]:
    """Return the modules whose jars some systems need; with `generator`, that of JMeter too."""
    needed = {load.MODULE} if generator else set()
    for choice in choices:
        if deployer(choice.backends).from_jars:
            own = deployments.modules(choice, project)
            needed |= {module for module in own if choice.jars is None or module == EMBEDDED}
    return needed


def described(project: Project, choice: Choice, environ: Mapping[str, str]) -> Deployment:
    """Return a deployment, before anything is built; raise `UserError` if it cannot be started."""
    deployment = deployer(choice.backends).describe(choice, project, environ)
    ports.require_free(deployment.ports)
    return deployment


def caches_pay(project: Project, every: Iterable[Deployment], starts: int) -> bool:
    """Return whether systems that start so often are started from AOT caches.

    All systems of an experiment start in the same way: from caches if all have them, or if there
    are so many starts that training takes less time than it saves.
    """
    return starts >= PAYS_FROM or not untrained(project, every)


def untrained(project: Project, every: Iterable[Deployment]) -> int:
    """Return how many deployments lack an AOT cache."""
    java = jdk.for_services()
    return sum(not aot_cache.is_trained(deployment, project, java) for deployment in every)


def startable(
    project: Project,
    choice: Choice,
    deployment: Deployment,
    environ: Mapping[str, str],
    *,
    caches: bool,
) -> Deployment:
    """Return a deployment with its jars unpacked; with `caches` it starts from AOT caches.

    Missing caches are trained. Raises `UserError` if a jar is missing.
    """
    if not deployer(choice.backends).from_jars:
        return deployment
    java = jdk.for_services()
    build.require_jars(project, deployments.jars(choice, project))
    for program in programs(project, choice):
        distributions.require(project, program)
    if caches:
        return trained(project, choice, java, environ)
    return aot_cache.from_copies(deployment, project, java)


def prepare(
    project: Project,
    choice: Choice,
    environ: Mapping[str, str],
    *,
    build_first: bool,
    generator: bool = False,
) -> Deployment:
    """Return one system ready to start, from AOT caches if it has them.

    With `build_first` its jars are built, and with `generator` JMeter too, where they are not up to
    date. Raises `UserError` if the system cannot be started.
    """
    deployment = described(project, choice, environ)
    if build_first:
        build_for(project, [choice], generator=generator)
    caches = caches_pay(project, [deployment], starts=1)
    return startable(project, choice, deployment, environ, caches=caches)


def trained(
    project: Project, choice: Choice, java: jdk.Jdk, environ: Mapping[str, str]
) -> Deployment:
    """Return a deployment that starts from AOT caches; train missing ones."""
    deployment = in_processes(choice, project, java, environ)
    if not aot_cache.is_trained(deployment, project, java):
        build.require_jars(project, deployments.jars(replace(choice, backends="embedded"), project))
        lay_out_jmeter(project)
        plain = _to_train(project, choice, java, environ)
        title = f"Training {choice.variant} (preset {choice.preset}) for quick starts"
        with step(console, title) as detail:
            put_load = partial(_put_training_load, project, detail)
            training.train(plain, project, java, environ, put_load, detail)
    return aot_cache.use(deployment, project, java)


def _to_train(
    project: Project, choice: Choice, java: jdk.Jdk, environ: Mapping[str, str]
) -> Deployment:
    """Return the deployment to train: embedded backends, all else by default, free ports."""

    # A cache is that of a JVM with these flags. A small heap might not carry the load.
    given = {**environ, **choice.settings}.get("JAVA_OPTS", "").split()
    flags = {"JAVA_OPTS": " ".join(aot_cache.of_any_heap(given))}

    def moved(offset: int) -> Deployment:
        plain = replace(
            choice, backends="embedded", settings=flags, port_offset=offset, replicas={}, limits={}
        )
        return in_processes(plain, project, java, environ)

    for offset in range(choice.port_offset, TRAINING_OFFSETS, 1000):
        deployment = moved(offset)
        if not ports.taken(port for some in deployment.ports.values() for port in some):
            return deployment
    return moved(choice.port_offset)


def _put_training_load(project: Project, notice: Notice, stack: Stack, folder: Path) -> None:
    """Put load on a stack and read its metrics, as an experiment does.

    Raises `UserError` when no operation of a workload succeeds. A system may refuse most.
    """
    command = load.generator_command(project, jdk.for_jmeter())
    with load.Generator.started(command, folder / "generator.log") as generator:
        for workload in systems.declaration(stack.deployment.variant).workloads:
            notice(f"under load: {workload}")
            metrics.keep(folder, stack.endpoints())
            training = load.load_for(
                project,
                stack.deployment.variant,
                workload,
                threads=TRAINING_THREADS,
                ramp=0,
                ports=stack.deployment.front_ports,
                duration=TRAINING_S,
            )
            seen = generator.run(training, folder / f"{workload}.csv").seen
            if seen.failed == seen.operations:
                raise UserError(
                    f"the training load {workload} failed: none of {seen.operations} operations "
                    "succeeded"
                )


def measure_ceilings(
    project: Project, java: jdk.Jdk, plans: Sequence[str], generator: Generator, anew: bool
) -> dict[str, float]:
    """Return a generator's highest rate with each plan, in operations/s.

    Measures unknown ones; with `anew` all.
    """
    # What a user's own plan asks for, the reference server does not answer.
    declared = systems.declarations().items()
    of_users = {f"{name}-{plan}.jmx" for name, system in declared for plan in system.plans}
    files = [project.plan_named(plan) for plan in plans if plan not in of_users]
    ceilings = {} if anew else ceiling.kept(project, files, java)
    if len(ceilings) == len(files):
        return ceilings
    with step(console, "Measuring what the load generator can do at most") as detail:
        return ceiling.measure(project, files, java, detail, generator=generator, anew=anew)


def measure_bare_servers(
    project: Project, of_variants: Iterable[str], workloads: Sequence[str], java: jdk.Jdk
) -> dict[str, dict[str, Any]]:
    """Return what servers without work reach with each plan; measure what is not known."""
    plans = _plans(project, of_variants, workloads)
    with step(console, "Measuring servers that do no work") as detail:
        return ceiling.bare(project, plans, java, jdk.for_services(), detail)


def _plans(project: Project, of_variants: Iterable[str], workloads: Sequence[str]) -> list[Path]:
    return [
        project.plan(variant, workload)
        for variant in of_variants
        for workload in workloads
        if workload in systems.declaration(variant).every_workload
    ]


def measuring_environ(*, watched: bool = False) -> dict[str, str]:
    """Return an environment in which nothing runs beside the measurement, unless `watched`."""
    return dict(os.environ) if watched else {**os.environ, "COMPOSE_PROFILES": ""}

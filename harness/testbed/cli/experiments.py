"""Commands that measure: run and compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich.markup import escape

from testbed.cli.console import console, seconds, step
from testbed.cli.options import NoBuildOption, OffsetOption, parse_percent
from testbed.cli.preparing import (
    build_for,
    caches_pay,
    described,
    lay_out_jmeter,
    measure_bare_servers,
    measure_ceilings,
    measuring_environ,
    startable,
)
from testbed.cli.progress import Progress
from testbed.cli.reports import write_report
from testbed.deploy import cluster, compose, deployments, jdk, leftovers, machine, namespace
from testbed.deploy.deployments import Choice
from testbed.deploy.generator_pods import generator_pods
from testbed.deploy.meter import MB
from testbed.deploy.record import now
from testbed.deploy.stack import Stack
from testbed.experiment import planning, reading
from testbed.experiment.declaration import Experiment
from testbed.experiment.demand import Records
from testbed.experiment.schedule import prepared, slots
from testbed.measure import environment, load, pods, results_directory, runner
from testbed.measure.dependencies import Dependencies
from testbed.measure.load import Generator
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.watch.annotations import Annotations, Grafana

SLOT_PORTS = 1000
"""The distance between the ports of systems that are up together."""


def run(
    name: Annotated[
        str | None,
        typer.Argument(metavar="EXPERIMENT", help="A file, or the name of one that ships."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RESULTS", help="Go on with a stopped experiment.")
    ] = None,
    only_plan: Annotated[
        bool, typer.Option("--plan", help="Show the order and the time it will take; run nothing.")
    ] = False,
    watched: Annotated[
        bool,
        typer.Option(
            "--watched",
            help="In containers: let Prometheus and Grafana run too. They take their share of the "
            "machine, and are not counted as part of the system.",
        ),
    ] = False,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
) -> None:
    """Carry out an experiment; Ctrl-C stops it, --resume continues it."""
    project = Project.find()
    if (name is None) == (resume is None):
        raise UserError(
            "give an experiment, or --resume RESULTS",
            f"Shipped experiments: {', '.join(reading.shipped(project))}.",
        )
    known = None if resume is None else resume.absolute()
    if known is not None:
        plan = results_directory.declared(known)
    else:
        assert name is not None
        plan = reading.load(project, name)
    if only_plan:
        _print_plan(plan, {} if known is None else results_directory.finished(known))
        return
    results = _measure(
        project, plan, port_offset, results=known, watched=watched, build_first=not no_build
    )
    shown = escape(project.shown(results))
    console.print(f"Results: [bold]{shown}[/bold]")
    console.print(f"Report:  ./testbed report {shown}")


def compare(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="One pair of starts, in 8 minutes. Another pair may differ."),
    ] = False,
    pairs: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Pairs of starts to measure.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT",
            help="Add pairs until every cell would show a difference of this size, such as 10%.",
        ),
    ] = None,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
) -> None:
    """Compare both variants in 15 minutes: both up, warm, and loaded in turns."""
    if sum((quick, pairs is not None, until is not None)) > 1:
        raise UserError("--quick, --pairs and --until exclude each other: give one")
    project = Project.find()
    began = time.monotonic()
    plan = reading.load(project, "quick" if quick else "compare")
    if pairs is not None:
        plan = reading.changed(plan, repetitions=pairs)
    if until is not None:
        plan = reading.changed(plan, precision={"could_tell": parse_percent(until)})
    results = _measure(project, plan, port_offset, build_first=not no_build)
    write_report(project, results)
    console.print(f"[dim]{seconds(began)} in all[/dim]")


def _measure(
    project: Project,
    plan: Experiment,
    port_offset: int,
    *,
    results: Path | None = None,
    watched: bool = False,
    build_first: bool,
) -> Path:
    """Measure an experiment, or the rest of the one in `results`; return the results directory."""
    if results is not None and (results / "ending.json").is_file():
        console.print("Every run is there already.")
        return results
    leftovers.clear_all(project)
    if results is None:
        plan = prepared(plan, psutil.virtual_memory().available / MB)
    dependencies = _dependencies(
        project,
        plan,
        port_offset,
        caches=None if results is None else results_directory.aot_caches(results),
        watched=watched,
        build_first=build_first,
    )
    if results is not None:
        results_directory.require_same(dependencies, results)
    if plan.local_ports is not None:
        namespace.enter(plan.local_ports)
        console.print(
            f"In a network of its own, with {plan.local_ports.last - plan.local_ports.first + 1} "
            "ports for connections."
        )
    if results is None:
        results = results_directory.new_results(project, plan.name, now())
        results_directory.begin(dependencies, plan, results)
    expected = planning.expect(plan, results_directory.finished(results))
    shown = escape(project.shown(results))
    console.print(f"[bold]{plan.name}[/bold]: {expected.told}, into {shown}", soft_wrap=True)
    try:
        with Progress(console, expected) as show:
            runner.carry_out(dependencies, plan, results, show)
    except BaseException:
        console.print(f"To go on: ./testbed run --resume {shown}")
        raise
    return results


def _print_plan(plan: Experiment, done: Records) -> None:
    for line in planning.lines(plan, done):
        console.print(escape(line), soft_wrap=True)
    console.print(f"[bold]{plan.name}[/bold]: {planning.expect(plan, done).told}")


def _dependencies(
    project: Project,
    plan: Experiment,
    port_offset: int,
    *,
    caches: bool | None,
    watched: bool,
    build_first: bool,
) -> Dependencies:
    """Check and build everything that an experiment needs; return its dependencies.

    `caches` says whether systems start from AOT caches; None lets the number of starts decide.
    """
    if watched and plan.backends != "docker":
        raise UserError(
            f"--watched: backends {plan.backends!r} come without Prometheus; "
            "write `backends: docker` into the experiment",
            "A Prometheus of your own can ask ./testbed live, and each service.",
        )
    planning.require_cores(plan, machine.usable_cpus())
    places = slots(plan)
    started = [system for system in plan.compared if system.target is None]
    choices = {
        system.name: Choice(
            system.variant,
            system.preset,
            plan.backends,
            dict(system.settings),
            port_offset + SLOT_PORTS * places[system.name],
            replicas=system.replicas,
            at_first={} if (rule := system.autoscale) is None else {rule.service: rule.least},
            limits={name: one.at_start for name, one in system.limits.items()},
            stored=system.stored,
            jars=system.jars,
        )
        for system in started
    }
    environ = measuring_environ(watched=watched)
    described_systems = {
        name: described(project, choice, environ) for name, choice in choices.items()
    }
    if build_first:
        build_for(project, choices.values(), generator=plan.backends != "kubernetes")
    generators = _in_pods(project, plan) if plan.backends == "kubernetes" else _here(project, plan)
    if caches is None:
        starts = planning.expect(plan, {}).starts
        caches = caches_pay(project, described_systems.values(), starts)
    # Once for the whole experiment: later builds do not affect it.
    prepared_systems = {
        name: startable(project, choices[name], deployment, environ, caches=caches)
        for name, deployment in described_systems.items()
    } | {
        one.name: deployments.elsewhere(one.variant, one.preset, one.target)
        for one in plan.compared
        if one.target is not None
    }
    from_jars = plan.backends in ("embedded", "local")
    jars = sorted({jar for one in choices.values() for jar in deployments.jars(one, project)})
    clusters = {one.cluster.context for one in prepared_systems.values() if one.cluster is not None}

    def describe() -> dict[str, Any]:
        images: dict[str, str | None] = dict(generators.images)
        if plan.backends == "docker":
            images = _images(project, [one.variant for one in started], environ)
        for one in prepared_systems.values():
            named = cluster.images(one.manifests).items()
            images |= {f"{one.variant}/{service}": image for service, image in named}
        return environment.describe(
            project,
            jdk.for_services() if from_jars and started else None,
            generators.java,
            sorted({system.preset for system in started}),
            jars if from_jars else [],
            images,
            next(map(cluster.described, clusters), None),
            aot_caches=caches if from_jars and started else None,
        )

    return Dependencies(
        project=project,
        generators=generators.start,
        system=lambda system: Stack(
            project.beside(places[system.name]), prepared_systems[system.name], environ
        ),
        describe=describe,
        ceilings=generators.ceilings,
        bare_servers=generators.bare_servers,
        annotate=Annotations(Grafana.find(project), _notice).annotate,
    )


@dataclass(frozen=True)
class _Generators:
    """How load is put on the systems of an experiment."""

    start: Callable[[Path, int], AbstractContextManager[Sequence[Generator]]]
    java: jdk.Jdk | None = None
    """The JDK of generators on this machine."""
    images: Mapping[str, str] = field(default_factory=dict)
    """The images of others."""
    ceilings: Callable[[Sequence[str]], Mapping[str, float]] = lambda _: {}
    bare_servers: Callable[[], Mapping[str, Any]] = dict


def _here(project: Project, plan: Experiment) -> _Generators:
    java = jdk.for_jmeter()
    # Without a build of the modules it may be missing.
    lay_out_jmeter(project)
    variants = list(dict.fromkeys(system.variant for system in plan.compared))
    return _Generators(
        # The module is built together with the systems.
        lambda log, count: load.several(load.generator_command(project, java), log, count),
        java,
        ceilings=lambda plans: measure_ceilings(project, plans, java),
        bare_servers=lambda: measure_bare_servers(project, variants, plan.workloads, java),
    )


def _in_pods(project: Project, plan: Experiment) -> _Generators:
    most = max(system.generators for system in plan.compared)
    those = generator_pods(deployments.overlays(project), most)
    return _Generators(
        partial(pods.several, those, project), images=cluster.images(those.manifests)
    )


def _notice(text: str) -> None:
    console.print(f"[yellow]{escape(text)}[/yellow]", soft_wrap=True)


def _images(
    project: Project, variants: Iterable[str], environ: Mapping[str, str]
) -> dict[str, str | None]:
    """Return the image id of every container of some variants; fetch missing images."""
    ids: dict[str, str | None] = {}
    for variant in dict.fromkeys(variants):
        files = compose.describe(project, systems.declaration(variant).compose)
        services = compose.resolved(files, environ)
        known = compose.image_ids(services)
        if missing := {name: services[name] for name, id_ in known.items() if id_ is None}:
            with step(console, f"Fetching the images of {variant}"):
                compose.fetch_images(files, missing, environ, project.logs / "compose.log")
            known = compose.image_ids(services)
        ids |= {f"{variant}/{service}": known[service] for service in sorted(known)}
    return ids

"""Commands that measure: run and compare."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich.markup import escape

from testbed import LAUNCHER
from testbed.cli import gates, listing, summaries
from testbed.cli.console import EXIT_FAILED, console, output_as, print_json, step
from testbed.cli.gates import Gate
from testbed.cli.options import (
    FailIfOption,
    JsonOption,
    JunitOption,
    MarkdownOption,
    NoBuildOption,
    OffsetOption,
    PairsOption,
    QuickOption,
    UntilOption,
    parse_percent,
    parse_rate,
    require_one_length,
)
from testbed.cli.preparing import (
    build_for,
    caches_pay,
    described,
    jmeter_is_there,
    lay_out_jmeter,
    measure_bare_servers,
    measure_ceilings,
    measuring_environ,
    modules,
    startable,
    untrained,
    write_plans,
)
from testbed.cli.progress import Progress
from testbed.cli.reports import as_data, decided, write_report
from testbed.cli.steps import (
    BARE,
    BARE_S,
    CEILING,
    CEILING_S,
    KEPT,
    PREPARE,
    PROBE_S,
    PROCESSOR,
    REPORT,
    REPORT_S,
    TRAIN,
    TRAIN_S,
    Pace,
    Step,
    Steps,
    of_experiment,
    preparation,
)
from testbed.deploy import deployments, leftovers, machine, tokens
from testbed.deploy.building import build, jdk
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import MB
from testbed.deploy.places import deployer
from testbed.deploy.record import now
from testbed.deploy.stack import Stack
from testbed.experiment import planning, reading
from testbed.experiment.declaration import Experiment
from testbed.experiment.runs import Records
from testbed.experiment.schedule import lowered, prepared, slots
from testbed.measure import (
    answers,
    environment,
    load,
    machine_watch,
    results_directory,
    runner,
)
from testbed.measure.dependencies import Dependencies
from testbed.measure.load import Generator
from testbed.measure.machine_watch import Others, Watch
from testbed.model import files
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.model.systems import OWN_PLACES
from testbed.model.words import about
from testbed.watch.annotations import Annotations, Grafana

ALL_THERE = "Every run is there already."

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
    until: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT",
            help="With --resume, of results that grew until they were decided: go on until every "
            "cell is known within so much. Their decisions keep their 5 %.",
        ),
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
    fail_if: FailIfOption = None,
    as_json: JsonOption = False,
    junit: JunitOption = None,
    markdown: MarkdownOption = None,
) -> None:
    """Carry out an experiment; without one, list those that ship, by question.

    Ctrl-C stops it, --resume continues it.
    """
    project = Project.find()
    if until is not None and resume is None:
        raise UserError("--until needs --resume RESULTS; ./testbed compare has an --until too")
    if name is not None and resume is not None:
        raise UserError("an experiment and --resume exclude each other: give one")
    if resume is not None:
        results: Path | None = resume.absolute()
        plan = further(results_directory.declared(resume), resume, until)
        done = results_directory.finished(resume)
    elif name is not None:
        results, plan, done = None, reading.load(project, name), {}
    else:
        listing.show(project, as_json=as_json)
        return
    if only_plan:
        if results is not None and has_ended(plan, results) and not as_json:
            console.print(ALL_THERE)
        else:
            _show_plan(project, plan, done, as_json=as_json)
        return
    wanted = _gates(plan, fail_if)
    with output_as(json_only=as_json):
        results = _measure(
            project, plan, port_offset, results=results, watched=watched, build_first=not no_build
        )
        shown = escape(project.shown(results))
        console.print(f"Results: [bold]{shown}[/bold]")
        console.print(f"Report:  {LAUNCHER} report {shown}")
        _end(project, results, wanted, as_json=as_json, junit=junit, markdown=markdown)


def compare(
    quick: QuickOption = False,
    pairs: PairsOption = None,
    until: UntilOption = None,
    rate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATE",
            help="Let users arrive at this rate, whether or not answers keep up: operations/s, or "
            "a share such as 50% of what the slower variant serves. Repeatable.",
        ),
    ] = None,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
    fail_if: FailIfOption = None,
    as_json: JsonOption = False,
    junit: JunitOption = None,
    markdown: MarkdownOption = None,
) -> None:
    """Compare both variants: both up, warm, and loaded in turns."""
    require_one_length(quick=quick, pairs=pairs, until=until)
    project = Project.find()
    plan = reading.load(project, "quick" if quick else "compare")
    if rate:
        rates = [parse_rate(text) for text in rate]
        # A share is one of what is served by the most users.
        threads = plan.threads[-1:] if any(isinstance(rate, str) for rate in rates) else ()
        plan = reading.changed(plan, name=f"{plan.name}-rate", threads=threads, rates=rates)
    if pairs is not None:
        plan = reading.changed(plan, repetitions=pairs)
    if until is not None:
        plan = reading.changed(plan, precision={"within": parse_percent(until)})
    measured_to_the_end(
        plan,
        port_offset,
        build_first=not no_build,
        fail_if=fail_if,
        as_json=as_json,
        junit=junit,
        markdown=markdown,
    )


def measured_to_the_end(
    plan: Experiment,
    port_offset: int,
    *,
    build_first: bool = True,
    fail_if: Sequence[str] | None = None,
    as_json: bool = False,
    junit: Path | None = None,
    markdown: Path | None = None,
) -> Path:
    """Measure an experiment and write its report; return the results directory.

    Exits with 1 if a gate fails.
    """
    project = Project.find()
    wanted = _gates(plan, fail_if)
    with output_as(json_only=as_json):
        results = _measure(project, plan, port_offset, build_first=build_first, reported=True)
        _end(project, results, wanted, as_json=as_json, junit=junit, markdown=markdown)
    return results


def further(plan: Experiment, results: Path, until: str | None) -> Experiment:
    """Return the plan by which results go on, if they had ended: with another budget.

    Raises `UserError` if a further look would make false decisions more frequent than promised.
    """
    if plan.precision is None:
        if until is not None:
            raise UserError(
                "--until: these results were planned with a fixed number of pairs; more pairs "
                "after a look at them would decide falsely more often than in 5 %",
                "./testbed compare --until measures what may be looked at.",
            )
        return plan
    changes: dict[str, Any] = plan.precision.model_dump()
    names = results_directory.ENDING, results_directory.FORMER_ENDING
    file = next(filter(Path.is_file, (results / name for name in names)), None)
    if file is not None:
        changes["budget_min"] += json.loads(file.read_text(encoding="utf-8"))["spent_min"]
    if until is not None:
        changes["within"] = parse_percent(until)
    return reading.changed(plan, precision=changes)


def closer(plan: Experiment, begun: Experiment) -> str:
    """Return the option by which results go on to another precision than they began with."""
    if plan.precision is None or begun.precision is None:
        return ""
    if plan.precision.within == begun.precision.within:
        return ""
    return f" --until {100 * plan.precision.within:g}%"


def has_ended(plan: Experiment, results: Path) -> bool:
    """Return whether nothing is left to measure by a plan."""
    file = results / results_directory.ENDING
    if not file.is_file():
        return False
    if plan.precision is None:
        return True
    reached = json.loads(file.read_text(encoding="utf-8")).get("reach") or {}
    return all(far is not None and far <= plan.precision.within for far in reached.values())


def _gates(plan: Experiment, given: Sequence[str] | None) -> tuple[Gate, ...]:
    """Return the gates of a command, checked before anything is started."""
    wanted = gates.parse(given or ())
    if wanted:
        gates.require_decisions(plan)
    return wanted


def _end(
    project: Project,
    results: Path,
    wanted: Sequence[Gate],
    *,
    as_json: bool,
    junit: Path | None = None,
    markdown: Path | None = None,
) -> None:
    """Write what is decided in the forms that are asked for; exit with 1 if a gate fails."""
    if not (wanted or as_json or junit or markdown):
        return
    decisions = decided(results)
    failed = gates.failures(wanted, decisions)
    if junit is not None:
        files.write(junit, summaries.junit(results.name, decisions, failed).encode())
    if markdown is not None:
        files.write(markdown, summaries.markdown(results.name, decisions, failed).encode())
    for failure in failed:
        console.print(f"[red]failed[/red] {escape(str(failure))}", soft_wrap=True)
    if as_json:
        print_json(as_data(project, results, decisions, failed))
    if failed:
        raise typer.Exit(EXIT_FAILED)


def _measure(
    project: Project,
    plan: Experiment,
    port_offset: int,
    *,
    results: Path | None = None,
    watched: bool = False,
    build_first: bool,
    reported: bool = False,
) -> Path:
    """Measure an experiment, or the rest of the one in `results`; return the results directory.

    With `reported`, the report is written too.
    """
    if results is not None and has_ended(plan, results):
        console.print(ALL_THERE)
        return results
    leftovers.clear_all(project)
    others = _tell_of_others()
    too_much: dict[str, Any] = {}
    if results is None:
        fitting = prepared(plan, psutil.virtual_memory().available / MB)
        too_much, plan = lowered(plan, fitting), fitting
    expected = planning.expect(plan, {} if results is None else results_directory.finished(results))
    console.print(f"[bold]{plan.name}[/bold]: {expected.words}")
    planned = [
        _preparation(project, plan, build_first=build_first),
        *of_experiment(expected),
        *([Step(REPORT, "writing the report", REPORT_S)] if reported else []),
    ]
    pace = Pace.read(project.state / KEPT)
    pace.learn(Step(PROCESSOR, "probing", PROBE_S), machine.probe_s())
    with Steps(console, planned, pace, expected.bound) as steps:
        steps.begin(PREPARE)
        try:
            results = _carry_out(
                project,
                plan,
                port_offset,
                results,
                steps,
                others,
                too_much,
                watched=watched,
                build_first=build_first,
            )
        finally:
            tokens.forget(project, {system.variant for system in plan.compared})
        if reported:
            steps.begin(REPORT)
            write_report(project, results)
    return results


def _preparation(project: Project, plan: Experiment, *, build_first: bool) -> Step:
    stale: set[str] = set()
    if build_first and project.is_checkout:
        needed = modules(project, _choices(plan, 0).values(), generator=True)
        stale = needed.intersection(build.stale(project, build.modules(project)))
    return preparation(len(stale), jmeter=not jmeter_is_there(project))


def _carry_out(
    project: Project,
    plan: Experiment,
    port_offset: int,
    results: Path | None,
    steps: Steps,
    others: Others | None,
    too_much: Mapping[str, Any],
    *,
    watched: bool,
    build_first: bool,
) -> Path:
    dependencies = _dependencies(
        project,
        plan,
        port_offset,
        steps,
        caches=None if results is None else results_directory.aot_caches(results),
        watched=watched,
        build_first=build_first,
    )
    if results is not None:
        results_directory.require_same(dependencies, results)
    if results is None:
        results = results_directory.new_results(project, plan.name, now())
        results_directory.begin(dependencies, plan, results)
        results_directory.describe_lowered(results, too_much)
        if others is not None:
            results_directory.describe_others(results, {"at_start": asdict(others)})
    shown = escape(project.shown(results))
    console.print(f"Results: {shown}", soft_wrap=True)
    show = Progress(console, steps, planning.expect(plan, results_directory.finished(results)))
    try:
        runner.carry_out(dependencies, plan, results, show)
    except BaseException:
        until = closer(plan, results_directory.declared(results))
        console.print(f"To go on: {LAUNCHER} run --resume {shown}{until}", soft_wrap=True)
        raise
    return results


def _tell_of_others() -> Others | None:
    """Watch the machine for a moment, and tell whether other programs would disturb blocks."""
    others = machine_watch.sample(Watch())
    if others is not None and others.disturbing:
        _notice(
            f"Other programs use {machine_watch.words(others)}. Close them, or go on: blocks that "
            "they disturb are measured again."
        )
    return others


def _watch(plan: Experiment) -> Watch | None:
    """Return what watches other programs; None if the systems' own cannot be told from them."""
    if any(system.target for system in plan.compared):
        return None
    return Watch(deployer(plan.backends).runtime)


def _show_plan(project: Project, plan: Experiment, done: Records, *, as_json: bool) -> None:
    if as_json:
        print_json(listing.plan_as_data(project, plan, done))
        return
    for line in planning.lines(plan, done):
        console.print(escape(line), soft_wrap=True)
    expected = planning.expect(plan, done)
    length = about(listing.expected_s(project, expected), expected.bound)
    console.print(f"[bold]{plan.name}[/bold]: {expected.words}, {length}")


def _choices(plan: Experiment, port_offset: int) -> dict[str, Choice]:
    """Return what is deployed of each system that the experiment starts, by name."""
    places = slots(plan)
    return {
        system.name: Choice(
            system.variant,
            system.preset,
            plan.backends,
            dict(system.settings),
            port_offset + SLOT_PORTS * places[system.name],
            replicas=system.replicas,
            at_first={rule.service: rule.least for rule in system.autoscale},
            limits={name: limit.at_start for name, limit in system.limits.items()},
            stored=system.stored,
            jars=system.jars,
            command=system.command,
            images=system.images,
        )
        for system in plan.compared
        if system.target is None
    }


def _dependencies(
    project: Project,
    plan: Experiment,
    port_offset: int,
    steps: Steps,
    *,
    caches: bool | None,
    watched: bool,
    build_first: bool,
) -> Dependencies:
    """Check and build everything that an experiment needs; return its dependencies.

    What takes long and was not planned is a step of its own in `steps`. `caches` says whether
    systems start from AOT caches; None lets the number of starts decide.
    """
    place = deployer(plan.backends)
    if watched and not place.with_prometheus:
        raise UserError(
            f"--watched: backends {plan.backends!r} come without Prometheus; "
            "write `backends: docker` into the experiment",
            "A Prometheus of your own can ask ./testbed live, and each service.",
        )
    planning.require_cores(plan, machine.usable_cpus())
    places = slots(plan)
    started = [system for system in plan.compared if system.target is None]
    choices = _choices(plan, port_offset)
    environ = measuring_environ(watched=watched)
    described_systems = {
        name: described(project, choice, environ) for name, choice in choices.items()
    }
    if build_first and project.is_checkout:
        build_for(project, choices.values(), generator=True)
    write_plans(project, plan)
    kept = tokens.keep(project, (system.variant for system in plan.compared))
    java = jdk.for_jmeter()
    # Without a build of the modules it may be missing.
    lay_out_jmeter(project)
    from_jars = place.from_jars and bool(started)
    if not from_jars:
        caches = False
    if caches is None:
        starts = len(planning.expect(plan, {}).starts)
        caches = caches_pay(project, described_systems.values(), starts)
    if caches and (missing := untrained(project, described_systems.values())):
        steps.insert(Step(TRAIN, "training AOT caches for quick starts", TRAIN_S * missing))
    # Once for the whole experiment: later builds do not affect it.
    prepared_systems = {
        name: startable(project, choices[name], deployment, environ, caches=caches)
        for name, deployment in described_systems.items()
    } | {
        system.name: deployments.elsewhere(system.variant, system.preset, system.target)
        for system in plan.compared
        if system.target is not None
    }
    prepared_systems = {
        name: replace(deployment, token=kept.get(deployment.variant))
        for name, deployment in prepared_systems.items()
    }
    jars = {jar for choice in choices.values() for jar in deployments.jars(choice, project)}
    # Systems of one variant have the same images, but for those of a user's compose file.
    with_images = {
        name if choices[name].images else deployment.variant: deployment
        for name, deployment in described_systems.items()
    }

    def describe() -> dict[str, Any]:
        images: dict[str, str | None] = {}
        for name, deployment in with_images.items():
            own = place.images(project, deployment, environ, partial(step, console))
            images |= {f"{name}/{service}": image for service, image in own.items()}
        return environment.describe(
            project,
            jdk.for_services() if from_jars else None,
            java,
            [] if plan.backends in OWN_PLACES else sorted({system.preset for system in started}),
            sorted(jars) if from_jars else [],
            images,
            aot_caches=caches if from_jars else None,
        )

    def ceilings(names: Sequence[str], generator: Generator, anew: bool) -> Mapping[str, float]:
        title = "measuring what the load generator can do at most"
        steps.insert(Step(CEILING, title, CEILING_S * len(names)))
        try:
            return measure_ceilings(project, java, names, generator, anew)
        except UserError as problem:
            if not plan.declares:
                raise
            # Of a user's own system only one answer is known, which may not be right every time.
            _notice(problem.message)
            return {}

    def bare_servers() -> Mapping[str, Any]:
        variants = list(dict.fromkeys(system.variant for system in plan.compared))
        count = len(variants) * len(plan.workloads)
        steps.insert(Step(BARE, "measuring servers that do no work", BARE_S * count))
        return measure_bare_servers(project, variants, plan.workloads, java)

    return Dependencies(
        project=project,
        # The module is built together with the systems.
        generators=lambda log, count: load.several(
            load.generator_command(project, java), log, count
        ),
        system=lambda system: Stack(
            project.beside(places[system.name]), prepared_systems[system.name], environ
        ),
        describe=describe,
        ceilings=ceilings,
        bare_servers=bare_servers,
        keep_answers=partial(answers.keep, project),
        watch=_watch(plan),
        annotate=Annotations(Grafana.find(project), _notice).annotate,
    )


def _notice(text: str) -> None:
    console.print(f"[yellow]{escape(text)}[/yellow]", soft_wrap=True)

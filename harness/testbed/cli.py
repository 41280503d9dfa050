"""The commands of ``./testbed``."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from testbed import (
    build,
    ceiling,
    compose,
    database,
    doctor,
    environment,
    experiment,
    jdk,
    live,
    load,
    namespace,
    planning,
    ports,
    processes,
    record,
    runner,
    selftest,
    services,
    stack,
    staging,
    variants,
)
from testbed.doctor import Verdict
from testbed.errors import UserError, unknown
from testbed.experiment import WORKLOADS, Experiment
from testbed.meter import ProcessMeter, Usage
from testbed.progress import Progress
from testbed.project import Project
from testbed.record import Running, StackRecord
from testbed.services import Deployment
from testbed.stack import Stack
from testbed.steps import duration, step
from testbed.variants import VARIANTS, Choice

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

app = typer.Typer(
    help="Starts the variants of one product, puts the same load on them, and compares them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)

VariantArgument = Annotated[str, typer.Argument(help="sync or async.", show_default=False)]
BackendsOption = Annotated[
    str,
    typer.Option(
        help="embedded: MongoDB and AMQP in one JVM. docker: the whole variant in containers. "
        "local: servers that run already, at MONGODB_URI and RABBITMQ_*."
    ),
]
PresetOption = Annotated[str, typer.Option(help="tuned or thesis.")]
SettingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting for every service, such as AGGREGATOR_FAN_OUT=sequential. Repeatable.",
    ),
]
OffsetOption = Annotated[
    int, typer.Option(help="Added to every port, to run beside something else.")
]
NoBuildOption = Annotated[
    bool, typer.Option("--no-build", help="Take the jars as they are, changed sources or not.")
]


@app.command("doctor")
def doctor_command() -> None:
    """Check what this machine has for building and running."""
    project = Project.find()
    with console.status("Looking around …"):
        findings = doctor.examine(project)
    marks = {
        Verdict.GOOD: "[green]✓[/green]",
        Verdict.NOTE: "[yellow]![/yellow]",
        Verdict.BAD: "[red]✗[/red]",
    }
    table = Table.grid(padding=(0, 1))
    for finding in findings:
        table.add_row(marks[finding.verdict], f"[bold]{finding.subject}[/]", escape(finding.text))
    console.print(table)
    if any(finding.verdict is Verdict.BAD for finding in findings):
        raise typer.Exit(EXIT_FAILED)


@app.command("build")
def build_command(
    force: Annotated[bool, typer.Option("--force", help="Build everything anew.")] = False,
) -> None:
    """Build what changed: the services' jars, and JMeter's layout.

    At the end it measures, once per machine, what JMeter can do at most.
    """
    project = Project.find()
    stack.clear_leftover(project)
    java = jdk.for_services()
    build.maven()
    _build_jars(project, java, force=force)
    for variant in VARIANTS:
        _staged(variants.deployment(Choice(variant), project, java), project, java, os.environ)
    _lay_out_jmeter(project, java, force=force)
    _ceilings(project, VARIANTS, WORKLOADS, jdk.for_jmeter(), anew=force)


@app.command()
def up(
    variant: VariantArgument,
    backends: BackendsOption = "embedded",
    preset: PresetOption = "tuned",
    setting: SettingOption = None,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
) -> None:
    """Start a variant, and leave it running in the background.

    It is up when every process is ready and a list names all cinemas.
    """
    project = Project.find()
    choice = Choice(variant, preset, backends, _settings(setting), port_offset)
    stack.clear_leftover(project)
    deployment = _deployment(project, choice, os.environ, build_first=not no_build)
    started = Stack(project, deployment, os.environ)
    with step(console, f"Starting {variant} (preset {preset}, backends {backends})") as detail:
        started.start(lambda what: detail(f"waiting for {what}"), background=True)
    _print_status(started.record)
    console.print(
        f"Front door: [bold]http://localhost:{started.record.front_port}[/bold]   "
        "End it with: ./testbed down"
    )


@app.command()
def down() -> None:
    """End the running variant: every process that was started for it."""
    project = Project.find()
    known = record.load(project)
    if known is None:
        console.print("Nothing is running.")
        return
    if record.owner_alive(known):
        stack.require_none(project)
    with step(console, f"Ending {known.variant}"), processes.uninterrupted():
        killed = stack.end(project, known)
    if killed:
        console.print(f"Had to be killed: {', '.join(killed)}")


@app.command()
def status() -> None:
    """Show what runs: processes, readiness, start-up time, memory."""
    project = Project.find()
    known = record.load(project)
    if known is None:
        console.print("Nothing is running.")
        return
    _print_status(known)
    if len(known.alive()) < len(known.running):
        raise typer.Exit(EXIT_FAILED)


@app.command()
def logs(
    service: Annotated[
        str | None, typer.Argument(help="One service; all if not given.", show_default=False)
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until interrupted.")
    ] = False,
) -> None:
    """Show the end of the logs of the variant that runs, or ran last."""
    project = Project.find()
    known = record.load(project)
    if known is not None and known.compose is not None:
        command = compose.logs_command(known.compose, service, follow)
        raise typer.Exit(processes.run_in_foreground(command, os.environ, project.root))
    files = {file.stem: file for file in sorted(project.logs.glob("*.log"))}
    if not files:
        raise UserError("no logs yet", "Start something first: ./testbed up sync")
    if service is not None and service not in files:
        raise unknown("service", service, files)
    chosen = [files[service]] if service else list(files.values())
    if follow:
        command = ["tail", "-n", "100", "-F", *map(str, chosen)]
        raise typer.Exit(processes.run_in_foreground(command, os.environ, project.root))
    for file in chosen:
        if len(chosen) > 1:
            console.rule(file.stem, align="left")
        console.out(stack.tail(file, lines=100 if service else 20))


@app.command()
def run(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="EXPERIMENT", help="A file, or the name of one that ships.", show_default=False
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RESULTS", help="Go on with a stopped experiment.", show_default=False
        ),
    ] = None,
    only_plan: Annotated[
        bool, typer.Option("--plan", help="Show the order and the time it will take; run nothing.")
    ] = False,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
) -> None:
    """Carry out an experiment; Ctrl-C stops it, --resume goes on."""
    project = Project.find()
    if (name is None) == (resume is None):
        raise UserError(
            "give an experiment, or --resume RESULTS",
            f"Shipped experiments: {', '.join(experiment.shipped(project))}.",
        )
    if only_plan:
        _print_plan(project, name, resume)
        return
    if name is not None:
        plan = experiment.load(project, name)
        results = _run(project, plan, port_offset, build_first=not no_build)
    else:
        assert resume is not None
        results = _resume(project, resume.absolute(), port_offset, build_first=not no_build)
    console.print(f"Results: [bold]{project.shown(results)}[/bold]")
    console.print(f"Report:  ./testbed report {project.shown(results)}")


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="A result directory.", show_default=False)],
    against: Annotated[
        Path | None,
        typer.Option("--compare", help="Set the results beside these, the base, instead."),
    ] = None,
    fail_above: Annotated[
        float | None,
        typer.Option(
            help="With --compare: exit with 1 when a figure is decided to be worse by "
            "more than this factor, for example 1.10."
        ),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --compare: even if the environments differ.")
    ] = False,
) -> None:
    """Compute the summary, the figures and the report of results, or compare two of them."""
    if against is None:
        if fail_above is not None or anyway:
            raise UserError("--fail-above and --anyway need --compare RESULTS")
        _report(Project.find(), results)
    elif _compare_results(results, against, fail_above, anyway=anyway):
        raise typer.Exit(EXIT_FAILED)


@app.command()
def compare(
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look, in 3 minutes instead of 10.")
    ] = False,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
) -> None:
    """Measure both variants under both workloads, then report."""
    project = Project.find()
    began = time.monotonic()
    plan = experiment.load(project, "quick" if quick else "compare")
    results = _run(project, plan, port_offset, build_first=not no_build)
    _report(project, results)
    console.print(f"[dim]{duration(time.monotonic() - began)} in all[/dim]")


@app.command()
def test() -> None:
    """Run every test: services, harness, and the contract on each variant."""
    project = Project.find()
    stack.clear_leftover(project)
    java = jdk.for_services()
    _lay_out_jmeter(project, java)
    verdicts = selftest.run_all(
        selftest.suites(project),
        java,
        os.environ,
        lambda suite: console.rule(f"[bold]{suite.name}[/bold]", align="left"),
    )
    console.rule("[bold]summary[/bold]", align="left")
    table = Table.grid(padding=(0, 2))
    for verdict in verdicts:
        table.add_row(
            "[green]passed[/green]" if verdict.passed else "[red]FAILED[/red]",
            verdict.suite.name,
            f"[dim]{duration(verdict.elapsed_s)}[/dim]",
        )
    console.print(table)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(EXIT_FAILED)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)
def jmeter(context: typer.Context) -> None:
    """Run the stock JMeter with the arguments after --."""
    project = Project.find()
    if not build.jmeter_is_laid_out(project):
        _lay_out_jmeter(project, jdk.for_services())
    command = [*load.jmeter_command(project, jdk.for_jmeter()), *context.args]
    if not {"-j", "--jmeterlogfile"} & set(context.args):
        # Else it is written to the working folder.
        command += ["-j", str(project.state / "jmeter.log")]
    sys.stdout.flush()
    os.execv(command[0], command)


@app.command("live")
def live_command(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to answer.")] = live.PORT,
) -> None:
    """Show Prometheus what JMeter does, by what grows in results/, until interrupted."""
    try:
        server = live.serve(live.Exporter(Project.find().results), ports.LOOPBACK, port)
    except OSError as problem:
        raise UserError(f"port {port}: {problem.strerror}", "Choose another one.") from problem
    with server:
        console.print(f"http://{ports.LOOPBACK}:{port}{live.PATH}")
        server.serve_forever()


def main() -> None:
    """Run a command; tell a user's mistake without a stack trace."""
    processes.end_on_signals()
    try:
        app(prog_name="./testbed")
    except UserError as problem:
        errors.print(f"[bold red]testbed:[/bold red] {escape(problem.message)}", soft_wrap=True)
        if problem.hint:
            errors.print(escape(problem.hint), soft_wrap=True)
        sys.exit(EXIT_FAILED)
    except processes.Interrupted:
        errors.print("[yellow]Interrupted; what was started has been ended.[/yellow]")
        sys.exit(EXIT_INTERRUPTED)


def _settings(given: list[str] | None) -> dict[str, str]:
    settings = {}
    for one in given or []:
        key, separator, value = one.partition("=")
        if not separator or not key.replace("_", "").isalnum():
            raise UserError(f"--set {one!r} is not of the form KEY=VALUE")
        settings[key] = value
    return settings


def _build_jars(project: Project, java: jdk.Jdk, *, force: bool = False) -> None:
    known = build.modules(project)
    runnable = [module.name for module in known if module.runnable]
    names = runnable if force else build.stale(project, known)
    if not names:
        return
    with step(console, f"Building {', '.join(names)}"):
        build.build(project, java, names)


def _lay_out_jmeter(project: Project, java: jdk.Jdk, *, force: bool = False) -> None:
    if force or not build.jmeter_is_laid_out(project):
        with step(console, "Laying out JMeter"):
            build.lay_out_jmeter(project, java)


def _deployment(
    project: Project, choice: Choice, environ: Mapping[str, str], *, build_first: bool
) -> Deployment:
    """Return a deployment that is ready to be started: everything that can be checked before is."""
    if choice.backends == "docker":
        compose.require_docker()
        in_containers = variants.in_containers(choice, project, environ)
        ports.require_free(in_containers.ports)
        return in_containers
    java = jdk.for_services()
    deployment = variants.deployment(choice, project, java, environ)
    ports.require_free(deployment.ports)
    if choice.backends == "local":
        _require_local_backends(choice, deployment.mongodb_uri)
    if build_first:
        build.maven()
        _build_jars(project, java)
    build.require_jars(project, variants.jars(choice, project))
    return _staged(deployment, project, java, environ)


def _staged(
    deployment: Deployment, project: Project, java: jdk.Jdk, environ: Mapping[str, str]
) -> Deployment:
    if staging.is_staged(deployment, project, java):
        return staging.stage(deployment, project, java, environ)
    title = f"Preparing {deployment.variant} (preset {deployment.preset}) for quick starts"
    with step(console, title) as detail:
        return staging.stage(deployment, project, java, environ, detail)


def _require_local_backends(choice: Choice, mongodb_uri: str) -> None:
    database.require_answer(mongodb_uri)
    if choice.variant == "async":
        host = os.environ.get("RABBITMQ_HOST", "localhost")
        port = int(os.environ.get("RABBITMQ_PORT", variants.AMQP_PORT))
        if not ports.accepts(port, host):
            raise UserError(
                f"no AMQP server at {host}:{port}",
                "Is it running, and do RABBITMQ_HOST and RABBITMQ_PORT lead to it?",
            )


def _bench(
    project: Project, plan: Experiment, port_offset: int, *, build_first: bool
) -> runner.Bench:
    """Return what an experiment is carried out with; everything it needs is checked and built."""
    stack.clear_leftover(project)
    generator_java = jdk.for_jmeter()
    choices = {
        system.name: Choice(
            system.variant, system.preset, plan.backends, dict(system.settings), port_offset
        )
        for system in plan.compared
    }
    environ = _bare_environ()
    # Once for the whole experiment: a build in the meantime does not reach it.
    deployments = {
        name: _deployment(project, choice, environ, build_first=build_first)
        for name, choice in choices.items()
    }
    if not build.jmeter_is_laid_out(project):
        _lay_out_jmeter(project, jdk.for_services())
    in_containers = plan.backends == "docker"
    jars = sorted({jar for one in choices.values() for jar in variants.jars(one, project)})

    def describe() -> dict[str, Any]:
        return environment.describe(
            project,
            None if in_containers else jdk.for_services(),
            generator_java,
            sorted({system.preset for system in plan.compared}),
            [] if in_containers else jars,
            _images(project, plan) if in_containers else {},
        )

    return runner.Bench(
        project=project,
        generator=load.jmeter_command(project, generator_java),
        system=lambda system: Stack(project, deployments[system.name], environ),
        describe=describe,
        ceilings=lambda: _ceilings(
            project,
            dict.fromkeys(system.variant for system in plan.compared),
            plan.workloads,
            generator_java,
        ),
    )


def _images(project: Project, plan: Experiment) -> dict[str, str | None]:
    """Return the image of every container of an experiment; fetches those that are missing."""
    ids: dict[str, str | None] = {}
    for variant in dict.fromkeys(system.variant for system in plan.compared):
        files = compose.describe(project, variant)
        services = compose.resolved(files, _bare_environ())
        if None in compose.image_ids(services).values():
            with step(console, f"Fetching the images of {variant}"):
                compose.fetch_images(files, _bare_environ(), project.logs / "compose.log")
        known = compose.image_ids(services)
        ids |= {f"{variant}/{service}": known[service] for service in sorted(known)}
    return ids


def _ceilings(
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


def _bare_environ() -> dict[str, str]:
    """Return an environment in which nothing runs beside what is measured."""
    return {**os.environ, "COMPOSE_PROFILES": ""}


def _run(project: Project, plan: Experiment, port_offset: int, *, build_first: bool) -> Path:
    bench = _bench(project, plan, port_offset, build_first=build_first)
    _enter_network(plan)
    results = runner.new_results(project, plan.name, record.now())
    runner.begin(bench, plan, results)
    _carry_out(project, bench, plan, results)
    return results


def _enter_network(plan: Experiment) -> None:
    if plan.local_ports is not None:
        namespace.enter(plan.local_ports)
        console.print(
            f"In a network of its own, with {plan.local_ports.last - plan.local_ports.first + 1} "
            "ports for connections."
        )


def _resume(project: Project, results: Path, port_offset: int, *, build_first: bool) -> Path:
    plan = runner.declared(results)
    bench = _bench(project, plan, port_offset, build_first=build_first)
    runner.require_same(bench, results)
    _enter_network(plan)
    _carry_out(project, bench, plan, results)
    return results


def _carry_out(project: Project, bench: runner.Bench, plan: Experiment, results: Path) -> None:
    if (results / "ending.json").is_file():
        console.print("Every run is there already.")
        return
    expected = planning.expect(plan, runner.finished(results))
    console.print(
        f"[bold]{plan.name}[/bold]: {expected.told}, into {project.shown(results)}",
        soft_wrap=True,
    )
    try:
        with Progress(console, expected) as show:
            runner.carry_out(bench, plan, results, show)
    except BaseException:
        console.print(f"To go on: ./testbed run --resume {project.shown(results)}")
        raise


def _print_plan(project: Project, name: str | None, results: Path | None) -> None:
    if results is not None:
        plan, done = runner.declared(results), runner.finished(results)
    else:
        assert name is not None
        plan, done = experiment.load(project, name), {}
    for line in planning.lines(plan, done):
        console.print(escape(line), soft_wrap=True)
    console.print(f"[bold]{plan.name}[/bold]: {planning.expect(plan, done).told}")


def _report(project: Project, results: Path) -> None:
    # Loaded here: the numerical libraries take a second, which no other command should wait for.
    from testbed.analysis import report as analysis_report
    from testbed.analysis import samples, summary, tables, verdicts

    with step(console, "Writing the report"):
        page = analysis_report.write_report(results)
        judged = verdicts.judge_all(samples.load(results))
    tables.print_table(summary.tabulate(judged.used), console)
    for verdict in judged.verdicts.values():
        if verdict.status != "valid":
            console.print(f"[yellow]{verdict.run_id}[/yellow] {verdict}", highlight=False)
    console.print(f"Report: [bold]{project.shown(page)}[/bold]")


def _compare_results(results: Path, base: Path, fail_above: float | None, *, anyway: bool) -> bool:
    """Print two results side by side; return whether there is a regression to fail on."""
    from testbed.analysis import comparison

    with step(console, "Comparing"):
        compared = comparison.side_by_side(results, base, anyway=anyway)
        found = [] if fail_above is None else comparison.regressions(compared, fail_above)
    comparison.print_comparison(compared, console)
    if fail_above is not None:
        for one in found:
            console.print(f"[red]worse[/red] {one}", highlight=False)
        console.print(
            f"{len(found)} decided regressions beyond a factor of {fail_above:g}"
            if found
            else f"no decided regression beyond a factor of {fail_above:g}"
        )
    return bool(found)


def _print_status(known: StackRecord) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), title_justify="left")
    for heading, justify in (
        ("service", "left"),
        ("port", "right"),
        ("state", "left"),
        ("start s", "right"),
        ("RSS MB", "right"),
        ("CPU s", "right"),
        ("pid", "right"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    usage = _usage(known)
    with services.client() as http:
        for one in known.running:
            state = _state(one, http)
            used = usage.get(one.name)
            table.add_row(
                one.name,
                " ".join(map(str, one.ports)),
                state,
                "" if one.ready_s is None else f"{one.ready_s:.1f}",
                "" if used is None else f"{used.rss_mb:.0f}",
                "" if used is None else f"{used.cpu_s:.1f}",
                str(one.process.pid),
            )
    if known.compose is not None:
        for container in compose.containers(known.compose):
            used = usage.get(container.service)
            table.add_row(
                container.service,
                "",
                container.state,
                "",
                "" if used is None else f"{used.rss_mb:.0f}",
                "" if used is None else f"{used.cpu_s:.1f}",
                "",
            )
    console.print(table)
    total = sum(one.rss_mb for one in usage.values())
    started = "" if known.start_s is None else f", all cinemas found after {known.start_s:.1f} s"
    console.print(
        f"{known.variant}, preset {known.preset}, backends {known.backends}: "
        f"{total:,.0f} MB together{started}"
    )


def _state(one: Running, http: httpx.Client) -> str:
    if one.process.find() is None:
        return "[red]ended[/red]"
    if not one.ports:
        return "running"
    if one.health is None:
        ready = all(ports.accepts(port) for port in one.ports)
    else:
        ready = services.is_ready(http, one.ports[0], one.health)
    return "[green]ready[/green]" if ready else "[yellow]not ready[/yellow]"


def _usage(known: StackRecord) -> dict[str, Usage]:
    if known.compose is not None:
        ids = {one.service: one.id for one in compose.containers(known.compose)}
        return compose.ContainerMeter(ids).read()
    return ProcessMeter({one.name: one.process for one in known.running}).read()

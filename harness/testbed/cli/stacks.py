"""Commands on one running variant: up, down, status, logs, dead-letters, live."""

from __future__ import annotations

import os
from typing import Annotated

import httpx
import typer
from rich.markup import escape
from rich.table import Table

from testbed.cli.console import EXIT_FAILED, console, step
from testbed.cli.options import (
    BackendsOption,
    NoBuildOption,
    OffsetOption,
    PresetOption,
    SettingOption,
    VariantArgument,
    parse_settings,
)
from testbed.cli.preparing import build_for, caches_pay, described, startable
from testbed.deploy import (
    cluster,
    compose,
    deadletters,
    leftovers,
    ports,
    processes,
    record,
    services,
)
from testbed.deploy.deadletters import DeadLetter
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import ProcessMeter
from testbed.deploy.record import Running, StackRecord
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError, unknown
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import names
from testbed.watch import live as exporter


def up(
    variant: VariantArgument,
    backends: BackendsOption = "embedded",
    preset: PresetOption = "tuned",
    setting: SettingOption = None,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
) -> None:
    """Start a variant in the background, and wait until every process is ready and the
    front door gives full answers.
    """
    project = Project.find()
    choice = Choice(variant, preset, backends, parse_settings(setting), port_offset)
    leftovers.clear_all(project)
    deployment = described(project, choice, os.environ)
    if not no_build:
        build_for(project, [choice], generator=False)
    caches = caches_pay(project, [deployment], starts=1)
    deployment = startable(project, choice, deployment, os.environ, caches=caches)
    started = Stack(project, deployment, os.environ)
    with step(console, f"Starting {variant} (preset {preset}, backends {backends})") as detail:
        started.start(lambda what: detail(f"waiting for {what}"), background=True)
    _print_status(started.record)
    console.print(
        f"Front door: [bold]http://localhost:{deployment.front_port}[/bold]   "
        "End it with: ./testbed down"
    )


def down() -> None:
    """End every process that was started for a variant."""
    running = _running()
    for project, known in running:
        if record.owner_alive(known):
            leftovers.require_none(project)
    for project, known in running:
        with step(console, f"Ending {known.variant}"), processes.uninterrupted():
            killed = leftovers.end(project, known)
        if killed:
            console.print(f"Had to be killed: {', '.join(killed)}")


def status() -> None:
    """Show what runs: processes, readiness, start-up time, memory."""
    running = _running()
    as_meant = [_print_status(known) for _, known in running]
    if not all(as_meant):
        raise typer.Exit(EXIT_FAILED)


def logs(
    service: Annotated[str | None, typer.Argument(help="One service; all if not given.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until interrupted.")
    ] = False,
) -> None:
    """Show the end of the logs of the running variant, or of the last one."""
    project = Project.find()
    known = record.load(project)
    if known is not None and known.compose is not None:
        command = compose.logs_command(known.compose, service, follow)
        raise typer.Exit(processes.run_in_foreground(command, os.environ, project.root))
    if known is not None and known.cluster is not None:
        command = cluster.logs_command(known.cluster, service, follow)
        raise typer.Exit(processes.run_in_foreground(command, os.environ, project.root))
    files = {
        file.stem if one == project else f"{one.state.name}/{file.stem}": file
        for one in project.every_stack()
        for file in sorted(one.logs.glob("*.log"))
    }
    if not files:
        raise UserError("no logs yet", f"Start something first: ./testbed up {names()[0]}")
    if service is not None and service not in files:
        raise unknown("service", service, files)
    chosen = [files[service]] if service else list(files.values())
    if follow:
        command = ["tail", "-n", "100", "-F", *map(str, chosen)]
        raise typer.Exit(processes.run_in_foreground(command, os.environ, project.root))
    for file in chosen:
        if len(chosen) > 1:
            console.rule(escape(project.shown(file)), align="left")
        console.out(tail(file, lines=100 if service else 20))


def dead_letters(
    replay: Annotated[
        bool, typer.Option("--replay", help="Send them again to where they were sent at first.")
    ] = False,
    purge: Annotated[bool, typer.Option("--purge", help="Delete them.")] = False,
    queue: Annotated[str, typer.Option(help="Where they are.")] = deadletters.QUEUE,
) -> None:
    """Show the messages of the running variant that its services have set aside."""
    if replay and purge:
        raise UserError("--replay and --purge exclude each other")
    known = record.load(Project.find())
    if known is None or not known.is_up:
        raise UserError("nothing is running", "Messages are kept while their variant runs.")
    with deadletters.connected(known, os.environ) as channel:
        if replay:
            console.print(f"Sent again: {deadletters.replay(channel, queue)}")
        elif purge:
            console.print(f"Deleted: {deadletters.purge(channel, queue)}")
        else:
            console.print(_shown(deadletters.peek(channel, queue)), markup=False)


def live(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to answer.")] = exporter.PORT,
) -> None:
    """Export JMeter's progress in results/ to Prometheus, until interrupted."""
    try:
        server = exporter.serve(exporter.Exporter(Project.find().results), ports.LOOPBACK, port)
    except OSError as problem:
        raise UserError(f"port {port}: {problem.strerror}", "Choose another one.") from problem
    with server:
        console.print(f"http://{ports.LOOPBACK}:{port}{exporter.PATH}")
        server.serve_forever()


def _running() -> list[tuple[Project, StackRecord]]:
    """Return every stack that runs; print a message if there is none."""
    found = [(one, record.load(one)) for one in Project.find().every_stack()]
    running = [(one, known) for one, known in found if known is not None]
    if not running:
        console.print("Nothing is running.")
    return running


def _print_status(known: StackRecord) -> bool:
    """Print what runs of a stack; return whether all of it is as meant."""
    table = Table(box=None, padding=(0, 2, 0, 0), title_justify="left")
    for heading in ("service", "port", "state", "start s", "RSS MB", "CPU s", "pid"):
        table.add_column(heading, justify="left" if heading in ("service", "state") else "right")
    containers = [] if known.compose is None else compose.containers(known.compose)
    pods = {} if known.cluster is None else cluster.pods(known.cluster)
    if known.compose is not None:
        usage = compose.inner_meter({one.name: one.id for one in containers}).read()
    elif known.cluster is not None:
        usage = cluster.meter(known.cluster, {name: pod.name for name, pod in pods.items()}).read()
    else:
        usage = ProcessMeter({one.name: one.process for one in known.running}).read()

    def add(name: str, port: str, state: str, start_s: str, pid: str) -> None:
        used = usage.get(name)
        resources = ("", "") if used is None else (f"{used.rss_mb:.0f}", f"{used.cpu_s:.1f}")
        table.add_row(name, port, state, start_s, *resources, pid)

    with services.client() as http:
        for one in known.running:
            start_s = "" if one.ready_s is None else f"{one.ready_s:.1f}"
            ports_ = " ".join(map(str, one.ports))
            add(one.name, ports_, _state(one, http), start_s, str(one.process.pid))
    for container in containers:
        add(container.name, "", container.state, "", "")
    for name, pod in pods.items():
        add(name, "", "ready" if pod.ready else pod.problem or "not ready", "", "")
    console.print(table)
    total = sum(one.rss_mb for one in usage.values())
    started = "" if known.start_s is None else f", complete after {known.start_s:.1f} s"
    console.print(
        f"{known.variant}, preset {known.preset}, backends {known.backends}: "
        f"{total:,.0f} MB together{started}"
    )
    return (
        len(known.alive()) == len(known.running)
        and all(container.as_meant for container in containers)
        and all(pod.ready for pod in pods.values())
    )


def _state(one: Running, http: httpx.Client) -> str:
    if one.process.find() is None:
        return "[red]ended[/red]"
    if not one.ports:
        return "running"
    ready = services.is_ready(http, one.ports, one.health)
    return "[green]ready[/green]" if ready else "[yellow]not ready[/yellow]"


def _shown(letters: list[DeadLetter]) -> Table | str:
    if not letters:
        return "No message was set aside."
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("type", "correlation id", "sent to", "reason"):
        table.add_column(heading)
    for one in letters:
        table.add_row(one.type, one.correlation_id, one.routing_key or "unknown", one.reason)
    return table

"""Commands on one running variant: up, down, status, logs, dead-letters, live."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from testbed.cli.console import EXIT_FAILED, console, output_as, print_json, step
from testbed.cli.options import (
    BackendsOption,
    JsonOption,
    NoBuildOption,
    OffsetOption,
    PresetOption,
    SettingOption,
    VariantArgument,
    parse_settings,
)
from testbed.cli.preparing import prepare
from testbed.deploy import deadletters, leftovers, ports, programs, record
from testbed.deploy.deadletters import DeadLetter
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import Usage
from testbed.deploy.places import deployer
from testbed.deploy.record import StackRecord
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError, unknown
from testbed.model.files import tail
from testbed.model.project import Project
from testbed.model.systems import names
from testbed.watch import live as exporter

COLORS = {"ready": "green", "not ready": "yellow", "ended": "red"}
"""The colours of states."""


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
    deployment = prepare(project, choice, os.environ, build_first=not no_build)
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
    for project, stack in running:
        if record.owner_alive(stack):
            leftovers.require_none(project)
    for project, stack in running:
        with step(console, f"Ending {stack.variant}"), programs.uninterrupted():
            killed = leftovers.end(project, stack)
        if killed:
            console.print(f"Had to be killed: {', '.join(killed)}")


def status(as_json: JsonOption = False) -> None:
    """Show what runs: processes, readiness, start-up time, memory."""
    with output_as(json_only=as_json):
        running = _running()
        if as_json:
            stacks = [_as_data(stack) for _, stack in running]
            as_meant = [data["as_meant"] for data in stacks]
            print_json({"stacks": stacks})
        else:
            as_meant = [_print_status(stack) for _, stack in running]
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
    stack = record.load(project)
    if stack is not None and (
        command := deployer(stack.backends).logs_command(stack, service, follow)
    ):
        raise typer.Exit(programs.run_in_foreground(command, os.environ, project.root))
    files = {
        file.stem if place == project else f"{place.state.name}/{file.stem}": file
        for place in project.every_stack()
        for file in sorted(place.logs.glob("*.log"))
    }
    if not files:
        raise UserError("no logs yet", f"Start something first: ./testbed up {names()[0]}")
    if service is not None and service not in files:
        raise unknown("service", service, files)
    chosen = [files[service]] if service else list(files.values())
    if follow:
        command = ["tail", "-n", "100", "-F", *map(str, chosen)]
        raise typer.Exit(programs.run_in_foreground(command, os.environ, project.root))
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
    stack = record.load(Project.find())
    if stack is None or not stack.is_up:
        raise UserError("nothing is running", "Messages are kept while their variant runs.")
    with deadletters.connected(stack, os.environ) as channel:
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
    stacks = [(place, record.load(place)) for place in Project.find().every_stack()]
    running = [(place, stack) for place, stack in stacks if stack is not None]
    if not running:
        console.print("Nothing is running.")
    return running


def _print_status(stack: StackRecord) -> bool:
    """Print what runs of a stack; return whether all of it is as meant."""
    parts = deployer(stack.backends).parts(stack)
    usages = [part.usage for part in parts if part.usage is not None]
    memory = _memory_name(usages)
    table = Table(box=None, padding=(0, 2, 0, 0), title_justify="left")
    for heading in ("service", "port", "state", "start s", f"{memory} MB", "CPU s", "AOT", "pid"):
        table.add_column(heading, justify="left" if heading in ("service", "state") else "right")
    for part in parts:
        used = part.usage
        color = COLORS.get(part.state)
        table.add_row(
            part.service,
            " ".join(map(str, part.ports)),
            f"[{color}]{escape(part.state)}[/{color}]" if color else escape(part.state),
            "" if part.start_s is None else f"{part.start_s:.1f}",
            "" if used is None else f"{_memory_mb(used, memory):.0f}",
            "" if used is None else f"{used.cpu_s:.1f}",
            {None: "", True: "yes", False: "no"}[part.aot_cache],
            "" if part.pid is None else str(part.pid),
        )
    console.print(table)
    total = sum(_memory_mb(usage, memory) for usage in usages)
    started = "" if stack.start_s is None else f", complete after {stack.start_s:.1f} s"
    console.print(
        f"{stack.variant}, preset {stack.preset}, backends {stack.backends}: "
        f"{total:,.0f} MB together{started}"
    )
    return all(part.as_meant for part in parts)


def _memory_name(usages: Sequence[Usage]) -> str:
    """Return by what memory is shown: PSS if all have it, else RSS."""
    return "PSS" if usages and all(usage.pss_mb is not None for usage in usages) else "RSS"


def _memory_mb(usage: Usage, name: str) -> float:
    return usage.pss_mb if name == "PSS" and usage.pss_mb is not None else usage.rss_mb


def _as_data(stack: StackRecord) -> dict[str, Any]:
    """Return the status of a stack for JSON, as ``docs/report.md`` describes it."""
    parts = deployer(stack.backends).parts(stack)
    return {
        "variant": stack.variant,
        "preset": stack.preset,
        "backends": stack.backends,
        "start_s": stack.start_s,
        "as_meant": all(part.as_meant for part in parts),
        "services": [
            {
                "service": part.service,
                "state": part.state,
                "ports": list(part.ports),
                "pid": part.pid,
                "aot_cache": part.aot_cache,
                "start_s": part.start_s,
                **{
                    figure: _rounded(part.usage, figure) for figure in ("cpu_s", "rss_mb", "pss_mb")
                },
            }
            for part in parts
        ],
    }


def _rounded(usage: Usage | None, figure: str) -> float | None:
    value: float | None = getattr(usage, figure, None)
    return None if value is None else round(value, 1)


def _shown(letters: list[DeadLetter]) -> Table | str:
    if not letters:
        return "No message was set aside."
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("type", "correlation id", "sent to", "reason"):
        table.add_column(heading)
    for letter in letters:
        sent_to = letter.routing_key or "unknown"
        table.add_row(letter.type, letter.correlation_id, sent_to, letter.reason)
    return table

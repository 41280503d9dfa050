"""The command that profiles a system under load: profile."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from testbed.analysis import flames
from testbed.cli.console import console, step
from testbed.cli.options import (
    NoBuildOption,
    OffsetOption,
    PresetOption,
    SettingOption,
    VariantArgument,
    parse_settings,
)
from testbed.cli.preparing import measuring_environ, prepare
from testbed.deploy import leftovers, record
from testbed.deploy.building import jdk
from testbed.deploy.deployments import Choice
from testbed.deploy.stack import Stack
from testbed.measure import load, profiling, results_directory
from testbed.model import files, systems
from testbed.model.errors import unknown
from testbed.model.project import Project


def profile(
    system: VariantArgument,
    workload: Annotated[str, typer.Argument(help="One of the system's.")],
    threads: Annotated[int, typer.Option(min=1, max=999, help="Users of a closed loop.")] = 100,
    warm_up: Annotated[int, typer.Option(min=1, help="Seconds of load before.")] = 120,
    seconds: Annotated[int, typer.Option(min=1, help="Seconds that are recorded.")] = 30,
    preset: PresetOption = "tuned",
    setting: SettingOption = None,
    port_offset: OffsetOption = 0,
    no_build: NoBuildOption = False,
) -> None:
    """Record where a warm system's CPU time goes, and draw it as a flame graph."""
    project = Project.find()
    declared = systems.declaration(system)
    if workload not in declared.every_workload:
        raise unknown("workload", workload, declared.every_workload)
    leftovers.clear_all(project)
    java = jdk.for_services()
    settings = {**declared.measured, **parse_settings(setting)}
    choice = Choice(system, preset, "embedded", settings, port_offset)
    environ = measuring_environ()
    deployment = prepare(project, choice, environ, build_first=not no_build, generator=True)
    ports = deployment.front_ports
    before, recorded = (
        load.load_for(
            project, system, workload, threads=threads, ramp=0, ports=ports, duration=length
        )
        for length in (warm_up, seconds)
    )
    command = load.generator_command(project, jdk.for_jmeter())
    with step(console, f"Profiling {system}, {workload}, {threads} threads") as detail:
        stack = Stack(project, deployment, environ)
        stack.start(detail)
        try:
            made = results_directory.new_results(
                project, f"profile-{system}-{workload}", record.now()
            )
            # JVMs with folders of their own write there.
            folder = made.absolute()
            with load.Generator.started(command, folder / "generator.log") as generator:
                recordings = profiling.record(
                    stack, generator, java, before, recorded, folder, detail
                )
        finally:
            stack.stop()
    _show(project, java, recordings, folder)


def _show(project: Project, java: jdk.Jdk, recordings: dict[str, Path], folder: Path) -> None:
    counted: Counter[flames.Stack] = Counter()
    for name, file in recordings.items():
        counted += flames.stacks(profiling.printed(java, file), name)
    picture = folder / "flames.svg"
    files.write(picture, flames.svg(counted, folder.name).encode())
    console.print("Samples of a method itself:")
    for name, share in flames.hottest(counted):
        console.print(f"{100 * share:5.1f} %  {escape(name)}", soft_wrap=True)
    console.print(f"Flame graph: [bold]{escape(project.shown(picture))}[/bold]; a .jfr of each JVM")

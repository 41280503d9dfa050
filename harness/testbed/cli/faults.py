"""The command that injects faults into running systems, and checks what they promise: faults."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from testbed.cli.console import EXIT_FAILED, console
from testbed.cli.options import (
    NoBuildOption,
    OffsetOption,
    PresetOption,
    SettingOption,
    parse_settings,
)
from testbed.cli.preparing import build_changed
from testbed.deploy import deployments, leftovers, programs, record
from testbed.deploy.building import build, jdk
from testbed.deploy.deployments import Choice
from testbed.deploy.places import deployer
from testbed.measure import environment, results_directory
from testbed.model import files, promises, systems
from testbed.model.errors import UserError, unknown
from testbed.model.project import Project
from testbed.model.promises import Checked
from testbed.model.systems import PRESETS

PORT_OFFSET = 5000

BACKENDS = ("embedded", "docker")

PAGE = "docs/promises.md"
PUBLISHED = f"analysis/published/{promises.FILE}"

HEAD = """\
# Promises

What each system promises while something fails, and whether it kept its word. `./testbed faults`
checks it; with `--publish` it writes this page. Only promises with a figure are listed.
*Older code*: sources of its services have changed since; *no commit*: the history lacks it.
"""

COLORS = {"kept": "green", "broken": "red", "unchecked": "yellow"}


def faults(
    promise: Annotated[
        list[str] | None, typer.Argument(metavar="[PROMISE]...", help="All if none is named.")
    ] = None,
    short: Annotated[
        bool, typer.Option("--short", help="Fewer operations and faults: 18 minutes.")
    ] = False,
    system: Annotated[
        list[str] | None, typer.Option(help="One of the folders in systems. Repeatable.")
    ] = None,
    backends: Annotated[
        str,
        typer.Option(
            help="embedded: MongoDB and AMQP in one JVM, suspended together. "
            "docker: each in a container, killed and cut off the network."
        ),
    ] = "embedded",
    preset: PresetOption = "tuned",
    setting: SettingOption = None,
    publish: Annotated[
        bool, typer.Option("--publish", help=f"Write the figures into {PAGE}.")
    ] = False,
    port_offset: OffsetOption = PORT_OFFSET,
    no_build: NoBuildOption = False,
) -> None:
    """Kill, suspend and restart parts of each system under load, and check its promises.

    Use --preset or --set to see which promises depend on them.
    """
    project = Project.find()
    for name in system or ():
        systems.declaration(name)
    if backends not in BACKENDS:
        raise unknown("backends", backends, BACKENDS)
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    settings = parse_settings(setting)
    if publish:
        require_publishable(project, short=short, changed=bool(settings) or preset != "tuned")
    leftovers.clear_all(project)
    java = jdk.for_services()
    place = deployer(backends)
    place.require()
    if place.from_jars and not no_build:
        build_changed(project, java)
    results = results_directory.new_results(project, "faults", record.now())
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-s", "--no-header", "--tb=short"),
        *("-p", "no:cacheprovider", "tests/faults"),
        *(f"--results={results}", f"--backends={backends}", f"--port-offset={port_offset}"),
        *(["--short"] if short else []),
        *(f"--preset={preset}", *(f"--set={key}={value}" for key, value in settings.items())),
        *(f"--promise={name}" for name in promise or ()),
        *(f"--system={name}" for name in system or ()),
    ]
    environ = java.environment({**os.environ, "TESTBED_ROOT": str(project.root)})
    code = programs.run_in_foreground(command, environ, project.root / "harness")
    checks = promises.read(results / promises.FILE)
    if not any(results.iterdir()):
        results.rmdir()
    if checks:
        console.print(table(checks))
        console.print(f"Figures and logs: {escape(project.shown(results))}")
    if publish and checks:
        add_published(project, checks)
    if code != 0:
        raise typer.Exit(EXIT_FAILED)


def table(checks: Iterable[Checked]) -> Table:
    """Return the results of checks for a terminal, a row for each promise and system.

    Broken promises are last, where one looks first.
    """
    made = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("promise", "system", "result", "figure"):
        made.add_column(heading, overflow="fold")
    for checked in sorted(checks, key=lambda checked: checked.result == "broken"):
        color = COLORS[checked.result]
        made.add_row(
            checked.promise,
            checked.system,
            f"[{color}]{checked.result}[/{color}]",
            escape("\n".join(filter(None, (checked.figure, checked.why)))),
        )
    return made


def page(checks: Sequence[Checked], older: Callable[[Checked], bool] = lambda _: False) -> str:
    """Return the page with promises and their figures, in Markdown.

    `older` says whether a figure is older than the code that it is about.
    """
    parts = [HEAD]
    for promise, some in groupby(checks, key=lambda checked: checked.promise):
        rows = list(some)
        parts.append(f"## {rows[-1].says}\n\n`{promise}`. {rows[-1].tested}\n")
        parts.append(
            "| system | backends | result | figure | checked |\n|---|---|---|---|---|\n"
            + "".join(_row(checked, older=older(checked)) for checked in rows)
        )
    return "\n".join(parts)


def _row(checked: Checked, *, older: bool) -> str:
    result = checked.result if checked.result == "kept" else f"**{checked.result}**: {checked.why}"
    when = f"{checked.recorded:%Y-%m-%d}, {checked.commit or 'no commit'}"
    when += ", older code" if older else ""
    cells = (f"`{checked.system}`", checked.backends, result, checked.figure, when)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def require_publishable(project: Project, *, short: bool, changed: bool) -> None:
    if short:
        raise UserError("--publish needs the full check", "Leave --short out.")
    if changed:
        raise UserError("--publish is about the defaults", "Leave --preset and --set out.")
    git = environment.git(project.root)
    if git is not None and git["dirty"]:
        raise UserError(
            "--publish: the work tree has changes", "Commit them: figures name their commit."
        )


def add_published(project: Project, checks: Iterable[Checked]) -> None:
    """Add figures to the published ones; those of the same promise, system and backends go."""
    file = project.root / PUBLISHED
    with_figure = [checked for checked in checks if checked.figures]
    every = sorted(promises.latest((*promises.read(file), *with_figure)), key=_place)
    promises.write(file, every)
    files.write(project.root / PAGE, page(every, partial(is_older, project)).encode())
    console.print(f"Published: {PAGE}, {PUBLISHED}")


def is_older(project: Project, checked: Checked) -> bool:
    """Return whether sources of the system's services have changed since it was checked."""
    libraries = [module.name for module in build.modules(project) if not module.runnable]
    modules = deployments.modules(Choice(checked.system), project)
    sources = [f"{module}/src/main" for module in (*modules, *libraries)]
    git = ("git", "-C", str(project.root), "diff", "--quiet", checked.commit or "", "--", *sources)
    return programs.ask(git).returncode != 0


def _place(checked: Checked) -> tuple[str, int, str]:
    return checked.promise, systems.names().index(checked.system), checked.backends


if __name__ == "__main__":
    # Marks what has become older than its code.
    add_published(Project.find(), ())

"""Commands on this machine and checkout: doctor, build, test, jmeter."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from testbed.cli import doctor, selftest
from testbed.cli.console import EXIT_FAILED, board, console, output_as, print_json, step
from testbed.cli.doctor import Finding, Verdict
from testbed.cli.options import JsonOption
from testbed.cli.preparing import build_changed, lay_out_jmeter, trained
from testbed.deploy import leftovers
from testbed.deploy.building import jdk, wheel
from testbed.deploy.deployments import Choice
from testbed.measure import load
from testbed.model import systems
from testbed.model.project import Project
from testbed.model.words import duration


def doctor_command(as_json: JsonOption = False) -> None:
    """Check whether this machine can build and run everything."""
    project = Project.find()
    with output_as(json_only=as_json), board(console).showing(lambda: "Looking around …"):
        findings = doctor.examine(project)
    can_run = all(finding.verdict is not Verdict.BAD for finding in findings)
    if as_json:
        data = [{**asdict(finding), "verdict": finding.verdict.value} for finding in findings]
        print_json({"can_run": can_run, "findings": data})
    else:
        _print_findings(findings)
    if not can_run:
        raise typer.Exit(EXIT_FAILED)


def _print_findings(findings: Iterable[Finding]) -> None:
    marks = {
        Verdict.GOOD: "[green]✓[/green]",
        Verdict.NOTE: "[yellow]![/yellow]",
        Verdict.BAD: "[red]✗[/red]",
    }
    table = Table.grid(padding=(0, 1))
    for finding in findings:
        table.add_row(marks[finding.verdict], f"[bold]{finding.subject}[/]", escape(finding.text))
    console.print(table)


def build_command(
    force: Annotated[bool, typer.Option("--force", help="Build everything anew.")] = False,
    aot: Annotated[
        bool,
        typer.Option(
            "--aot",
            help="Train each variant for quicker starts, for minutes: of use before many starts.",
        ),
    ] = False,
    as_wheel: Annotated[
        bool,
        typer.Option("--wheel", help="Make dist/testbed-*.whl instead, to install elsewhere."),
    ] = False,
) -> None:
    """Build what changed: all jars, checked for errors, and JMeter's layout."""
    project = Project.find()
    leftovers.clear_all(project)
    java = jdk.for_services()
    if as_wheel:
        build_changed(project, java, [load.MODULE], force=force)
        with step(console, "Making the wheel"):
            made = wheel.make(project, project.jar(load.MODULE), project.root / "dist")
        console.print(f"Install it: pip install {escape(project.shown(made))}")
        return
    build_changed(project, java, jmeter=True, checked=True, force=force)
    if aot:
        for variant in systems.compared():
            trained(project, Choice(variant), java, os.environ)


def test(
    fast: Annotated[
        bool,
        typer.Option("--fast", help="Only what starts no service, no JMeter and no container."),
    ] = False,
) -> None:
    """Run every test: services, harness, and the contract on each variant."""
    project = Project.find()
    leftovers.clear_all(project)
    java = jdk.for_services()
    if not fast:
        build_changed(project, java, jmeter=True, checked=True)
    running: list[str] = []
    with board(console).showing(lambda: f"testing: {', '.join(running)}"):

        def began(suite: selftest.Suite) -> None:
            running.append(suite.name)

        def ended(result: selftest.SuiteResult) -> None:
            running.remove(result.suite.name)
            console.rule(f"[bold]{result.suite.name}[/bold]", align="left")
            console.out(result.printed, end="", highlight=False)

        chosen = selftest.lanes(project, fast=fast)
        folder = selftest.outputs(project)
        results = selftest.run_all(chosen, java, os.environ, folder, began, ended)
    console.rule("[bold]summary[/bold]", align="left")
    table = Table.grid(padding=(0, 2))
    for result in results:
        word = "[green]passed[/green]" if result.passed else "[red]FAILED[/red]"
        note = ""
        if result.flaky:
            word, note = "[yellow]flaky[/yellow]", "what failed has passed alone"
        table.add_row(word, result.suite.name, f"[dim]{duration(result.elapsed_s)}[/dim]", note)
    console.print(table)
    if failures := [line for result in results for line in result.failures()]:
        console.out(*failures, sep="\n", highlight=False)
    if not all(result.passed for result in results):
        raise typer.Exit(EXIT_FAILED)


def jmeter(context: typer.Context) -> None:
    """Run the stock JMeter with the arguments after --."""
    project = Project.find()
    lay_out_jmeter(project)
    command = [*load.jmeter_command(project, jdk.for_jmeter()), *context.args]
    if not {"-j", "--jmeterlogfile"} & set(context.args):
        # Otherwise the log is written to the working folder.
        command += ["-j", str(project.state / "jmeter.log")]
    sys.stdout.flush()
    os.execv(command[0], command)

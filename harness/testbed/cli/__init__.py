"""The commands of ``./testbed``."""

from __future__ import annotations

import sys

import typer
from rich.markup import escape

from testbed.cli import experiments, faults, machine, profiling, reports, stacks
from testbed.cli.console import EXIT_FAILED, EXIT_INTERRUPTED, errors
from testbed.deploy import processes
from testbed.model.errors import UserError

app = typer.Typer(
    help="Starts the variants of one product, puts the same load on them, and compares them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("doctor")(machine.doctor_command)
app.command("build")(machine.build_command)
app.command()(stacks.up)
app.command()(stacks.down)
app.command()(stacks.status)
app.command()(stacks.logs)
app.command("dead-letters")(stacks.dead_letters)
app.command()(experiments.run)
app.command()(reports.report)
app.command()(experiments.compare)
app.command()(profiling.profile)
app.command()(machine.test)
app.command()(faults.faults)
app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    add_help_option=False,
)(machine.jmeter)
app.command()(stacks.live)


def main() -> None:
    """Run a command; print user errors without a stack trace."""
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

"""Runs one command; only its module is imported."""

from __future__ import annotations

import sys
from importlib import import_module

import typer
from rich.markup import escape

from testbed.cli.console import EXIT_FAILED, EXIT_INTERRUPTED, errors
from testbed.cli.overview import COMMANDS, HELP
from testbed.deploy import programs
from testbed.model.errors import UserError


def application(name: str) -> typer.Typer:
    """Return a command of `COMMANDS` as an application of its own."""
    command = COMMANDS[name]
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    # What follows jmeter is for JMeter.
    passes_on = name == "jmeter"
    app.command(
        context_settings={
            "help_option_names": list(HELP),
            "allow_extra_args": passes_on,
            "ignore_unknown_options": passes_on,
        },
        add_help_option=not passes_on,
    )(getattr(import_module(f"testbed.cli.{command.module}"), command.function))
    return app


def run(name: str, *arguments: str) -> None:
    """Run a command; print user errors without a stack trace."""
    programs.end_on_signals()
    app = application(name)
    try:
        app(arguments, prog_name=f"./testbed {name}")
    except UserError as problem:
        errors.print(f"[bold red]testbed:[/bold red] {escape(problem.message)}", soft_wrap=True)
        if problem.hint:
            errors.print(escape(problem.hint), soft_wrap=True)
        sys.exit(EXIT_FAILED)
    except programs.Interrupted:
        errors.print("[yellow]Interrupted; what was started has been ended.[/yellow]")
        sys.exit(EXIT_INTERRUPTED)

"""Runs one command; only its module is imported."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import typer
from rich.markup import escape

from testbed import LAUNCHER
from testbed.cli.console import EXIT_FAILED, EXIT_INTERRUPTED, errors
from testbed.cli.overview import COMMANDS, HELP
from testbed.deploy import programs
from testbed.model.errors import UserError, of_disk
from testbed.model.project import Project

FULL_BYTES = 1_000_000
"""A disk with less free space is full."""


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
        app(arguments, prog_name=f"{LAUNCHER} {name}")
    except UserError as problem:
        _end(problem)
    except OSError as problem:
        if (disk := of_disk(problem, _full_disks())) is None:
            raise
        _end(disk)
    except programs.Interrupted:
        errors.print("[yellow]Interrupted; what was started has been ended.[/yellow]")
        sys.exit(EXIT_INTERRUPTED)


def _end(problem: UserError) -> None:
    errors.print(f"[bold red]testbed:[/bold red] {escape(problem.message)}", soft_wrap=True)
    if problem.hint:
        errors.print(escape(problem.hint), soft_wrap=True)
    elif full := ", ".join(_full_disks()):
        # A program that was started may have ended by it without a word.
        errors.print(escape(f"No space is left on the disk of {full}."), soft_wrap=True)
    sys.exit(EXIT_FAILED)


def _full_disks() -> Iterator[str]:
    """Yield the folders of this project whose disk is full."""
    project = Project.find()
    for folder in (project.root, project.state, project.results, Path(tempfile.gettempdir())):
        if folder.exists() and shutil.disk_usage(folder).free < FULL_BYTES:
            yield str(folder)

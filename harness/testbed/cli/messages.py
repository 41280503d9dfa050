"""The command about messages that services have set aside: dead-letters."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.table import Table

from testbed.cli.console import console
from testbed.deploy import deadletters, record
from testbed.deploy.deadletters import DeadLetter
from testbed.model.errors import UserError
from testbed.model.project import Project


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
    if known is None:
        raise UserError("nothing is running", "Messages are kept while their variant runs.")
    with deadletters.connected(known, os.environ) as channel:
        if replay:
            console.print(f"Sent again: {deadletters.replay(channel, queue)}")
        elif purge:
            console.print(f"Deleted: {deadletters.purge(channel, queue)}")
        else:
            console.print(_shown(deadletters.peek(channel, queue)), markup=False)


def _shown(letters: list[DeadLetter]) -> Table | str:
    if not letters:
        return "No message was set aside."
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("type", "correlation id", "sent to", "reason"):
        table.add_column(heading)
    for one in letters:
        table.add_row(one.type, one.correlation_id, one.routing_key or "unknown", one.reason)
    return table

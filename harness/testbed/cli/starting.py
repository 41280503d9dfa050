"""The command that begins a project of the user's own: init."""

from __future__ import annotations

import json
from pathlib import Path

from rich.markup import escape

from testbed import LAUNCHER
from testbed.cli.console import console
from testbed.experiment import reading
from testbed.model.errors import UserError
from testbed.model.project import FILE

TEMPLATE = Path(__file__).with_name("testbed.yaml")

SCHEMA = "testbed.schema.json"
"""Beside the file, whose first line names it for editors."""


def init() -> None:
    """Write a commented testbed.yaml into this folder: your systems and experiments."""
    folder = Path.cwd()
    try:
        with (folder / FILE).open("x", encoding="utf-8") as file:
            file.write(TEMPLATE.read_text(encoding="utf-8"))
    except FileExistsError as problem:
        raise UserError(f"{folder / FILE} is there already") from problem
    text = json.dumps(reading.schema(), indent=1) + "\n"
    (folder / SCHEMA).write_text(text, encoding="utf-8")
    console.print(
        f"Written: {escape(FILE)}, and {escape(SCHEMA)} for editors. Change the first, then: "
        f"{LAUNCHER} run versions"
    )

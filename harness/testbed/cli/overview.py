"""What ``./testbed`` answers without running a command: its help, its version, unknown commands.

This needs the standard library only. The launcher asks here first, so that no virtual environment
is made for such an answer; it reads the exit code `COMMAND_FOLLOWS`.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import testbed
from testbed import LAUNCHER

HELP = ("--help", "-h")
VERSION = "--version"

EXIT_USAGE = 2
"""The exit code of every wrong use, as of wrong options of a command."""
COMMAND_FOLLOWS = 100

WIDTH = 80
"""Columns of a terminal."""


class Command(NamedTuple):
    """The function of a command, in a module of this package."""

    module: str
    function: str
    of_checkout: bool = True
    """Whether it needs the sources of the systems that ship."""


COMMANDS = {
    "duel": Command("duel", "duel", of_checkout=False),
    "init": Command("starting", "init", of_checkout=False),
    "doctor": Command("machine", "doctor_command", of_checkout=False),
    "compare": Command("experiments", "compare"),
    "run": Command("experiments", "run", of_checkout=False),
    "report": Command("reports", "report", of_checkout=False),
    "predict": Command("predicting", "predict"),
    "profile": Command("profiling", "profile"),
    "up": Command("stacks", "up"),
    "status": Command("stacks", "status", of_checkout=False),
    "logs": Command("stacks", "logs", of_checkout=False),
    "dead-letters": Command("stacks", "dead_letters"),
    "live": Command("stacks", "live", of_checkout=False),
    "down": Command("stacks", "down", of_checkout=False),
    "build": Command("machine", "build_command"),
    "test": Command("machine", "test"),
    "faults": Command("faults", "faults"),
    "generate": Command("generating", "generate"),
    "jmeter": Command("machine", "jmeter", of_checkout=False),
}

if LAUNCHER == "testbed":
    COMMANDS = {name: command for name, command in COMMANDS.items() if not command.of_checkout}


def answer(arguments: Sequence[str]) -> int | None:
    """Answer what is no command; return the exit code, or None if the first argument is one."""
    first = arguments[0] if arguments else HELP[0]
    if first in COMMANDS:
        return None
    if first in HELP:
        print(overview())
        return 0 if arguments else EXIT_USAGE
    if first == VERSION:
        print(f"testbed {testbed.__version__}")
        return 0
    # Imported here: difflib takes as long as all the rest.
    from testbed.model.errors import unknown

    option = first.startswith("-")
    problem = unknown(
        "option" if option else "command", first, (*HELP, VERSION) if option else COMMANDS
    )
    print("testbed:", problem.message, file=sys.stderr)
    if problem.hint:
        print(problem.hint, file=sys.stderr)
    return EXIT_USAGE


def overview() -> str:
    """Return the help of all commands together, for 80 columns."""
    indent = 3 + max(map(len, COMMANDS))
    return "\n".join(
        (
            f"Usage: {LAUNCHER} COMMAND [OPTIONS]",
            "",
            "Starts variants of one product, puts the same load on them, and compares them.",
            "",
            *(
                textwrap.fill(
                    text,
                    WIDTH,
                    initial_indent=f" {name}".ljust(indent),
                    subsequent_indent=" " * indent,
                )
                for name, text in summaries().items()
            ),
            "",
            f"{HELP[0]} after a command explains it; {VERSION} shows the version.",
        )
    )


def summaries() -> dict[str, str]:
    """Return the first paragraph of each command's docstring, without importing its module."""
    summaries = {}
    for name, (module, function, _) in COMMANDS.items():
        source = Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
        # By an expression: to parse the modules takes longer than all the rest.
        _, after = re.split(rf"^def {function}\(", source, flags=re.MULTILINE)
        paragraph, _, _ = after.split('"""')[1].partition("\n\n")
        summaries[name] = " ".join(paragraph.split())
    return summaries


if __name__ == "__main__":
    code = answer(sys.argv[1:])
    sys.exit(COMMAND_FOLLOWS if code is None else code)

"""The commands of ``./testbed``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that was typed, or answer without one: help, version, unknown command."""
    # Imported here: `overview` is also run by itself, and only commands need packages.
    from testbed.cli import overview

    arguments = sys.argv[1:]
    if (code := overview.answer(arguments)) is not None:
        sys.exit(code)
    from testbed.cli import commands

    commands.run(*arguments)

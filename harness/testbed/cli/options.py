"""Options and arguments of several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from testbed.experiment.parts import rate_or_share
from testbed.experiment.settings import setting_name
from testbed.model.errors import UserError

VariantArgument = Annotated[str, typer.Argument(help="One of the folders in systems.")]
BackendsOption = Annotated[
    str,
    typer.Option(
        help="embedded: MongoDB and AMQP in one JVM. docker: the whole variant in containers. "
        "local: servers that run already, at MONGODB_URI and RABBITMQ_*; experiments delete the "
        "reservations that are there."
    ),
]
PresetOption = Annotated[str, typer.Option(help="tuned or thesis.")]
SettingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting for every service, such as AGGREGATOR_FAN_OUT=sequential. Repeatable.",
    ),
]
OffsetOption = Annotated[
    int, typer.Option(help="Added to every port, to run beside something else.")
]
NoBuildOption = Annotated[
    bool, typer.Option("--no-build", help="Take the jars as they are, changed sources or not.")
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document, and everything else to standard error."),
]
QuickOption = Annotated[
    bool,
    typer.Option(
        "--quick", help="One pair of starts, in half of the time. Another pair may differ."
    ),
]
PairsOption = Annotated[
    int | None, typer.Option(min=1, max=1000, help="Pairs of starts to measure; 2.")
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="PERCENT",
        help="Look after each pair, and add pairs until every cell is decided by goodput (at a "
        "given rate by p95), or known within so much, such as 10%. Looking costs nothing.",
    ),
]
FailIfOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="GATE",
        help="Exit with 1, and name the cells: worse (a system is decided to be worse than its "
        "baseline), not-known (a cell is not decided), 'beyond 1.10' (worse, and the whole "
        "interval is beyond this factor). Repeatable. By goodput, p95 and CPU of each cell.",
    ),
]
JunitOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the cells as JUnit's XML; failed gates are failures."),
]
MarkdownOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a summary in Markdown, such as for a pull request."),
]


def parse_settings(given: list[str] | None) -> dict[str, str]:
    """Return the settings of ``--set``, each given as ``KEY=VALUE``.

    Raises `UserError`, which names the first one that has another form or that no service knows.
    """
    settings = {}
    for text in given or []:
        key, separator, value = text.partition("=")
        if not separator or not key.replace("_", "").isalnum():
            raise UserError(f"--set {text!r} is not of the form KEY=VALUE")
        try:
            settings[setting_name(key)] = value
        except ValueError as problem:
            raise UserError(f"--set {text!r}: {problem}") from problem
    return settings


def require_one_length(*, quick: bool, pairs: int | None, until: str | None) -> None:
    """Raise `UserError` if more than one option says how long a comparison lasts."""
    if sum((quick, pairs is not None, until is not None)) > 1:
        raise UserError("--quick, --pairs and --until exclude each other: give one")


def parse_rate(given: str) -> float | str:
    """Return a rate in operations per second, or a share as it is given: ``50%``.

    Raises `UserError` for anything else.
    """
    try:
        return rate_or_share(given)
    except ValueError as problem:
        raise UserError(f"--rate {problem}") from None


def parse_percent(given: str) -> float:
    """Return a percentage such as ``10%`` as a share of 1.

    Raises `UserError` unless it is between 0 and 100.
    """
    try:
        share = float(given.strip().removesuffix("%")) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise UserError(f"{given!r} is not a percentage between 0 and 100, such as 10%")
    return share

"""The command that predicts ratios in another deployment: predict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from testbed.cli.console import console, output_as, print_json
from testbed.cli.options import JsonOption
from testbed.model.errors import UserError, unknown
from testbed.model.project import Project

if TYPE_CHECKING:
    from testbed.analysis.prediction import Predicted

BROKERS = {"rabbitmq": "compare-rabbitmq"}
"""The published results with a broker's own CPU time per operation, by its name."""

GENERATORS = ("here", "elsewhere")


def predict(
    results: Annotated[
        Path, typer.Argument(help="Results with a report, or a folder of analysis/published.")
    ],
    generator: Annotated[
        str,
        typer.Option(
            help="Whether what makes the load runs on the same cores: here, as it was measured, or "
            "elsewhere, as real users do."
        ),
    ] = "here",
    cores: Annotated[float | None, typer.Option(min=0.1, help="Cores of the servers.")] = None,
    broker: Annotated[
        str | None,
        typer.Option(help="A broker in place of the stand-in: rabbitmq, or results that have it."),
    ] = None,
    mix: Annotated[
        str | None,
        typer.Option(
            metavar="WORKLOAD=N,...", help="Operations together, such as list=3,reserve=1."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Predict which system is better in your deployment, from what operations cost."""
    from testbed.analysis import prediction

    project = Project.find()
    if generator not in GENERATORS:
        raise unknown("--generator", generator, GENERATORS)
    where = prediction.Deployment(
        "here" if generator == "here" else "elsewhere",
        cores,
        None if broker is None else _results_of(project, broker),
        mix=None if mix is None else parse_mix(mix),
    )
    with output_as(json_only=as_json):
        predicted = prediction.predict(results, where)
        if as_json:
            print_json({"predictions": [as_data(row) for row in predicted]})
            return
        for row in predicted:
            console.print(escape(words(row)), highlight=False, soft_wrap=True)
        console.print("It is assumed that")
        for assumption in prediction.ASSUMPTIONS:
            console.print(f"- {escape(assumption)}", highlight=False, soft_wrap=True)


def words(row: Predicted) -> str:
    """Return a prediction in one line."""
    ratio = row.ratio
    rates = f"{row.rates[0]:,.0f} and {row.rates[1]:,.0f}/s"
    costs = f"{row.costs_ms[0]:.2f} and {row.costs_ms[1]:.2f} ms of CPU each"
    here = "" if row.measured is None else f"; measured {row.measured:.2f}"
    return (
        f"{row.mix}, {row.level:g} threads: goodput of {row.system} ÷ {row.reference} "
        f"{ratio.estimate:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]{here}; {rates}, {costs}"
    )


def as_data(row: Predicted) -> dict[str, Any]:
    return {
        "mix": row.mix,
        "level": row.level,
        "reference": row.reference,
        "system": row.system,
        "ratio": row.ratio.estimate,
        "low": row.ratio.low,
        "high": row.ratio.high,
        "measured": row.measured,
        "cpu_ms": list(row.costs_ms),
        "ok_per_s": list(row.rates),
    }


def parse_mix(given: str) -> dict[str, float]:
    """Return the weights of workloads; raise `UserError` unless all are above 0."""
    weights = {}
    for part in given.split(","):
        name, separator, weight = part.partition("=")
        try:
            weights[name.strip()] = float(weight)
        except ValueError:
            separator = ""
        if not separator or not 0 < weights[name.strip()] < float("inf"):
            raise UserError(f"--mix {given!r} is not of the form list=3,reserve=1")
    return weights


def _results_of(project: Project, broker: str) -> Path:
    published = project.root / "analysis" / "published"
    return published / BROKERS[broker] if broker in BROKERS else Path(broker)

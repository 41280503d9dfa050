"""The directory of an experiment's results: what it is, with what it is measured, what is done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from testbed.experiment import reading
from testbed.experiment.declaration import Experiment
from testbed.measure.dependencies import Dependencies
from testbed.model import environment, files
from testbed.model.errors import UserError
from testbed.model.project import Project

GENERATOR_LOG = "generator.log"
"""The load generator's log, of all runs."""

PARTIAL = ".partial"
"""Ends the name of the folder of a run that is not finished."""


def new_results(project: Project, name: str, moment: datetime) -> Path:
    """Return a folder that does not exist yet for the results of an experiment."""
    stem = f"{name}-{moment:%Y%m%d-%H%M%S}"
    results, number = project.results / stem, 2
    while results.exists():
        results, number = project.results / f"{stem}-{number}", number + 1
    return results


def begin(dependencies: Dependencies, plan: Experiment, results: Path) -> None:
    """Write down what is going to be measured, and with what."""
    described = {
        **dependencies.describe(),
        "generator_ceiling": dict(dependencies.ceilings()),
        "seed": plan.seed,
    }
    (results / "runs").mkdir(parents=True)
    (results / "warmup").mkdir()
    (results / "experiment.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    files.write_json(results / "environment.json", described)


def declared(results: Path) -> Experiment:
    """Read the experiment of a result directory.

    Raises
    ------
    UserError
        When it is no result directory.
    """
    file = results / "experiment.yaml"
    if not file.is_file():
        raise UserError(f"no results in {results}: {file.name} is missing")
    return reading.parse(file.read_text(encoding="utf-8"), str(file))


def require_same(dependencies: Dependencies, results: Path) -> None:
    """Check that what is still to be measured is measured with the same as the rest was.

    Raises
    ------
    UserError
        Naming each difference, with both values.
    """
    differing = environment.differences(_recorded_environment(results), dependencies.describe())
    if differing:
        raise UserError(
            "\n".join(["the rest would be measured with something else:", *differing]),
            "Restore it, or run the experiment anew.",
        )


def ceilings(results: Path) -> dict[str, float]:
    """Return what the load generator reaches at most with each plan, operations per second."""
    measured = _recorded_environment(results).get("generator_ceiling", {})
    return {plan: float(rate) for plan, rate in measured.items()}


def fresh_folder(final: Path) -> Path:
    """Return an empty folder for a warm-up or a run that begins.

    Parameters
    ----------
    final
        The folder that it becomes when it is `complete`; what is left there is deleted.
    """
    folder = final.with_name(f"{final.name}{PARTIAL}")
    # A warm-up is repeated with every start: one from before an interruption is of no use.
    for left in (folder, final):
        shutil.rmtree(left, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def complete(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record of a run into its folder, and give the folder its final name."""
    files.write_json(folder / "run.json", record)
    folder.replace(folder.with_name(folder.name.removesuffix(PARTIAL)))


def finished(results: Path) -> dict[str, dict[str, Any]]:
    """Return the records of the runs that were measured, by their names."""
    return {
        file.parent.name: json.loads(file.read_text(encoding="utf-8"))
        for file in sorted((results / "runs").glob("*/run.json"))
    }


def _recorded_environment(results: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((results / "environment.json").read_text(encoding="utf-8"))
    return found

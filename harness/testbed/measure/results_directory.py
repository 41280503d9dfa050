"""The results directory of an experiment: its declaration, environment and runs."""

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
from testbed.measure.load import Generator
from testbed.model import environment, files
from testbed.model.errors import UserError
from testbed.model.loads import GENERATOR_SHARE, far_from_limit
from testbed.model.project import Project

GENERATOR_LOG = "generator.log"

ENDING = "ending.json"
FORMER_ENDING = "former-ending.json"
"""That of results that go on."""
"""Says why the experiment ended; missing while it goes on."""

OTHERS = "other_programs"
"""The key of ``environment.json`` about programs that are not the testbed's."""

LOWERED = "lowered"
"""The key of ``environment.json`` about a design that memory did not allow."""

PARTIAL = ".partial"
"""Suffix of the folder of an unfinished run."""


def new_results(project: Project, name: str, moment: datetime) -> Path:
    """Return a new folder for the results of an experiment.

    Of commands that begin in the same second each gets its own.
    """
    stem = f"{name}-{moment:%Y%m%d-%H%M%S}"
    results, number = project.results / stem, 2
    while True:
        try:
            results.mkdir(parents=True)
            return results
        except FileExistsError:
            results, number = project.results / f"{stem}-{number}", number + 1


def begin(dependencies: Dependencies, plan: Experiment, results: Path) -> None:
    """Write the experiment and its environment into a new results directory."""
    described = {
        **dependencies.describe(),
        **({"bare_servers": dict(dependencies.bare_servers())} if plan.bare_servers else {}),
        "seed": plan.seed,
    }
    (results / "runs").mkdir(parents=True)
    (results / "warmup").mkdir()
    files.write_json(results / "environment.json", described)
    # The last: with this file a directory counts as one of results.
    (results / "experiment.yaml").write_text(plan.to_yaml(), encoding="utf-8")


def describe_others(results: Path, usage: Mapping[str, Any]) -> None:
    """Add to the environment what other programs used; the rest of it stays."""
    if usage:
        others = {**_recorded_environment(results).get(OTHERS, {}), **usage}
        _describe(results, {OTHERS: others})


def describe_lowered(results: Path, lowered: Mapping[str, Any]) -> None:
    """Add to the environment what of the design memory did not allow; the report tells it."""
    if lowered:
        _describe(results, {LOWERED: dict(lowered)})


def declared(results: Path) -> Experiment:
    """Read the experiment.

    Raises `UserError` if this is no results directory, or if a symbolic link leads out of it: runs
    are written and deleted here.
    """
    file = results / "experiment.yaml"
    if not file.is_file():
        raise UserError(f"no results in {results}: {file.name} is missing")
    files.require_inside(results)
    return reading.parse(file.read_text(encoding="utf-8"), str(file))


def require_same(dependencies: Dependencies, results: Path) -> None:
    """Check that the environment is still that of the recorded runs.

    Raises `UserError`, which names each difference with both values.
    """
    differing = environment.differences(_recorded_environment(results), dependencies.describe())
    if differing:
        raise UserError(
            "\n".join(["the environment has changed since the recorded runs:", *differing]),
            "Restore it, or run the experiment anew.",
        )


def aot_caches(results: Path) -> bool | None:
    """Return whether the systems were started from AOT caches; None if that is not recorded."""
    started: bool | None = _recorded_environment(results).get("aot_caches")
    return started


def add_ceilings(dependencies: Dependencies, results: Path, generator: Generator) -> None:
    """Record the generator's highest rate with each plan with which it may have been near it.

    A rate that was measured before may be of a bad hour: it is measured again if a run is near it.
    """
    asked = {
        name: record
        for name, record in finished(results).items()
        # The ceiling is one of all cores.
        if "cores_apart" not in record
        and not far_from_limit(
            record["generator_cpu_s"], record["wall_s"], record["generator_cpus"]
        )
    }
    plans = {record["plan"] for record in asked.values()}
    ceilings = dict(dependencies.ceilings(sorted(plans), generator, False)) if plans else {}
    near = {
        record["plan"]
        for name, record in asked.items()
        if (rate := ceilings.get(record["plan"])) is not None
        and dependencies.goodput(results / "runs" / name, record) > GENERATOR_SHARE * rate
    }
    if near:
        again = dependencies.ceilings(sorted(near), generator, True)
        ceilings |= {plan: max(rate, ceilings[plan]) for plan, rate in again.items()}
    _describe(results, {"generator_ceiling": ceilings})


def fresh_folder(final: Path) -> Path:
    """Return an empty folder for a warm-up or a run that begins.

    `complete` renames it to `final`. Leftovers under both names are deleted.
    """
    folder = final.with_name(f"{final.name}{PARTIAL}")
    # Every start repeats its warm-up: one from before an interruption is of no use.
    for left in (folder, final):
        shutil.rmtree(left, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def complete(folder: Path, record: Mapping[str, Any]) -> None:
    """Give a run's folder its final name, then write the record: only with it the run counts."""
    final = folder.replace(folder.with_name(folder.name.removesuffix(PARTIAL)))
    files.write_json(final / "run.json", record)


def finished(results: Path) -> dict[str, dict[str, Any]]:
    return {
        file.parent.name: json.loads(file.read_text(encoding="utf-8"))
        for file in sorted((results / "runs").glob("*/run.json"))
    }


def _describe(results: Path, entries: Mapping[str, Any]) -> None:
    """Set entries of the environment; the rest of it stays."""
    files.write_json(results / "environment.json", {**_recorded_environment(results), **entries})


def _recorded_environment(results: Path) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(
        (results / "environment.json").read_text(encoding="utf-8")
    )
    return recorded

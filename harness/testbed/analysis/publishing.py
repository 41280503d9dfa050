"""Publishes results: their tables, so that others can analyse them again without the samples."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl

from testbed.analysis.per_run import columns_of
from testbed.analysis.quantities import QUANTITIES, block_figures
from testbed.analysis.samples import load
from testbed.analysis.verdicts import Judged, judge_all
from testbed.model.errors import UserError
from testbed.model.files import write

DECLARED = ("experiment.yaml", "environment.json", "ending.json")


def require_publishable(results: Path) -> Judged:
    """Read results that may be published.

    Raises `UserError` unless the services' code was that of a commit, and every run is there.
    """
    judged = judge_all(load(results))
    git = judged.results.environment.get("git") or {}
    if not git.get("commit") or git.get("dirty") is not False:
        raise UserError(
            f"--publish: {results} was not measured on a commit: the work tree had changes",
            "Commit them, and measure again: figures name their commit.",
        )
    if missing := [name for name in DECLARED if not (results / name).is_file()]:
        raise UserError(f"--publish: {results} lacks {', '.join(missing)}: measure to the end")
    return judged


def publish(results: Path, judged: Judged, folder: Path) -> None:
    """Write the tables of results, whose report was written, into a folder; its files go."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in sorted((*results.glob("*.csv"), *(results / name for name in DECLARED))):
        shutil.copy(file, folder)
    for file in sorted(results.glob("runs/*/scaling.csv")):
        shutil.copy(file, folder / f"scaling-{file.parent.name}.csv")
    write(folder / "blocks.csv", each_block(judged).write_csv().encode())
    write(folder / "checks.csv", each_check(judged).write_csv().encode())


def each_block(judged: Judged) -> pl.DataFrame:
    """Return the figures of each block that counts, so that every interval can be computed again.

    ``block`` counts from 1 within its run: equal numbers of two systems took turns.
    """
    rows = []
    for measurement in judged.used.measurements:
        figures = {name: block_figures(measurement, name) for name in QUANTITIES}
        rows += [
            {
                **columns_of(measurement.run),
                "block": place + 1,
                "operations": block.operations.height,
                "ok": int(block.operations["ok"].sum()),
                **{name: values[place] for name, values in figures.items()},
            }
            for place, block in enumerate(measurement.blocks)
        ]
    return pl.DataFrame(rows, infer_schema_length=None)


def each_check(judged: Judged) -> pl.DataFrame:
    """Return every check of every run, with its figure and its limit in words."""
    return pl.DataFrame(
        [
            {
                "run": verdict.run_id,
                "check": check.name,
                "outcome": check.outcome,
                "figure": check.figure,
                "limit": check.limit,
            }
            for verdict in judged.verdicts.values()
            for check in verdict.checks
        ],
        infer_schema_length=None,
    )

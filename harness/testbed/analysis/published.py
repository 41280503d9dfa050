"""Published tables of an experiment: what can be shown of it without its samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import polars as pl

from testbed.analysis import summary
from testbed.analysis.answer import Answer, Measured, answer
from testbed.analysis.decisions import Decision
from testbed.analysis.figures import cells, decided
from testbed.analysis.figures.figure import ReportFigure
from testbed.analysis.quantities import CPU, geometric_mean
from testbed.analysis.results import Results, recorded_results
from testbed.analysis.sections import conditions
from testbed.analysis.sections.answer import (
    count_words,
    decided_table,
    fastest,
    lead,
    listed,
    lowered_words,
)
from testbed.analysis.sections.numbers import numbers
from testbed.analysis.sections.utilisation import utilised
from testbed.analysis.tables import markdown_table, number
from testbed.analysis.verdicts import DECIDING
from testbed.model.errors import UserError

NEEDED = ("runs.csv", "summary.csv", "experiment.yaml")
"""Files that every published experiment has."""

KEYS = ("system", "workload", "mode", "level")

UNKEPT = (
    "This is the report of published tables. The samples are not kept, so figures over time, the "
    "time of hops and the checks of each run are left out."
)


@dataclass(frozen=True)
class Published:
    """The published tables of one experiment, and the answer that follows from them."""

    name: str
    results: Results
    runs: pl.DataFrame
    summary: pl.DataFrame
    cpu: pl.DataFrame
    utilisation: pl.DataFrame
    decisions: tuple[Decision, ...]
    answer: Answer
    used: str


def published_folders(path: Path) -> list[Path]:
    """Return the folders with published tables: the given one, or those in it; often none."""
    if _is_published(path):
        return [path]
    return sorted(folder for folder in path.glob("*") if _is_published(folder))


def published_tables(folder: Path) -> Published:
    """Read published tables; raise `UserError` if one is missing or cannot be read."""
    results = recorded_results(folder)
    runs = _table(folder / "runs.csv", {})
    cells_ = _table(folder / "summary.csv", summary.SCHEMA)
    decisions = _decisions(folder / "decisions.csv", runs)
    counts = Counter(runs["verdict"].to_list())
    declared = results.declared
    name = str(declared.get("name") or folder.name)
    answered = answer(decisions, Measured(name=name, runs=counts, fastest=fastest(cells_)))
    return Published(
        name=_name(folder.resolve()),
        results=results,
        runs=runs,
        summary=cells_,
        cpu=_newer(folder / "cpu.csv"),
        utilisation=_utilisation(folder / "utilisation.csv", runs),
        decisions=decisions,
        answer=answered,
        used=count_words(counts).replace("**", ""),
    )


def contents(published: Published) -> Iterator[Sequence[str | ReportFigure]]:
    """Yield the parts of the report on published tables."""
    systems = listed(list(dict.fromkeys(published.summary["system"])))
    description = str(published.results.declared.get("description") or "")
    yield (
        f"# {systems} under load",
        lead(published.answer),
        f"Published results `{published.name}`. {description}\n\n{UNKEPT}",
        "[contents]",
        "## What was decided",
    )
    yield (
        *cells.measured(cells.observed_runs(published.runs)),
        *decided.ratios(published.decisions),
    )
    full = utilised(published.utilisation)
    yield (
        *filter(
            None, [decided_table(published.decisions), full and f"### What was full\n\n{full}"]
        ),
        f"### How sure is that?\n\n{published.used} {lowered_words(published.results)}".rstrip(),
        f"## The numbers, and failures by class\n\n{numbers(published.summary)}",
    )
    if not published.cpu.is_empty():
        yield (f"## Where the CPU time went\n\n{_cpu(published.cpu)}",)
    yield (
        f"## Which runs may be believed\n\n{_runs(published.runs)}",
        f"## Environment\n\n{conditions.environment(published.results)}",
        f"## How to measure it again\n\n{conditions.reproduction(published.results)}",
    )


def _is_published(folder: Path) -> bool:
    return all((folder / name).is_file() for name in NEEDED) and not (folder / "runs").is_dir()


def _name(folder: Path) -> str:
    """Return the folder's name; several invocations of one experiment lie in numbered folders."""
    return f"{folder.parent.name}-{folder.name}" if folder.name.isdigit() else folder.name


def _table(file: Path, schema: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    """Read a table; columns of the schema that an old file lacks are null."""
    try:
        table = pl.read_csv(file, schema_overrides=schema, infer_schema_length=None)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(f"{file} cannot be read: {error}") from error
    lacking = [
        pl.lit(None, dtype=kind).alias(name)
        for name, kind in schema.items()
        if name not in table.columns
    ]
    return table.with_columns(lacking)


def _newer(file: Path) -> pl.DataFrame:
    """Read a table that older folders lack; then it is empty."""
    return _table(file, {}) if file.is_file() else pl.DataFrame()


def _utilisation(file: Path, runs: pl.DataFrame) -> pl.DataFrame:
    """Read ``utilisation.csv``; the first ones had no mode."""
    table = _newer(file)
    if table.is_empty() or "mode" in table.columns:
        return table
    return table.join(runs.select("run", "mode"), on="run", how="left")


def _decisions(file: Path, runs: pl.DataFrame) -> tuple[Decision, ...]:
    """Read ``decisions.csv``; what an old file lacks has its default."""
    if not file.is_file():
        return ()
    names = [field.name for field in fields(Decision)]
    read = []
    for row in _table(file, {"level": pl.Float64}).iter_rows(named=True):
        given: dict[str, Any] = {key: row[key] for key in row if key in names}
        if "mode" not in given:
            own = [pl.col(key) == row[key] for key in ("system", "workload", "level")]
            given["mode"] = next(iter(runs.filter(*own)["mode"]), "closed")
        given["reason"] = given.get("reason") or ""
        if given.get("reference_value") is None:
            given["reference_value"] = _reference_value(runs, given)
        read.append(Decision(**given))
    return tuple(read)


def _reference_value(runs: pl.DataFrame, decision: Mapping[str, Any]) -> float | None:
    """Return the baseline's figure over the pairs of starts in which both systems' runs decide."""
    cell = [pl.col(key) == decision[key] for key in KEYS[1:]]
    deciding = runs.filter(*cell, pl.col("verdict").is_in(DECIDING))
    of_system, of_reference = (
        deciding.filter(pl.col("system") == decision[side]) for side in ("system", "reference")
    )
    paired = of_reference.filter(pl.col("pair").is_in(of_system["pair"].implode()))
    return geometric_mean(paired[decision["figure"]].to_list())


def _cpu(table: pl.DataFrame) -> str:
    rows = [
        {
            **{key: row[key] for key in ("system", "workload")},
            "level": f"{row['level']:g}",
            "service": row["service"],
            CPU.title: number(row[CPU.name], CPU.decimals),
        }
        for row in table.iter_rows(named=True)
    ]
    note = "Of each service, ms per successful operation; services of one kind are added up."
    return f"{note}\n\n{markdown_table(rows, ('system', 'workload', 'service'))}"


def _runs(table: pl.DataFrame) -> str:
    rows = [
        {
            "run": f"`{row['run']}`",
            "pair of starts": row["pair"],
            "minutes after the start": number(row["age_s"] and row["age_s"] / 60),
            "verdict": row["verdict"],
            "why": row["why"] or "",
        }
        for row in table.iter_rows(named=True)
    ]
    return markdown_table(rows, ("run", "verdict", "why"))

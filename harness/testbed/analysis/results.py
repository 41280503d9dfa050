"""What a results directory holds: runs and the conditions they ran under."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from testbed.errors import UserError

UNSTATED = "unstated"
"""The preset and backends of a loose sample file, which says nothing about them."""

LOOSE_NAME = re.compile(r"(?P<variant>[a-z]+)-(?P<workload>[a-z]+)-(?P<threads>\d+)-threads\.\w+")
LOOSE_SHAPE = "VARIANT-WORKLOAD-N-threads.jtl"


VARIANTS = ("sync", "async")
"""The order of variants in tables and figures; others follow by name."""


@dataclass(frozen=True)
class Cell:
    """What runs have in common that are repetitions of one another."""

    variant: str
    workload: str
    preset: str
    backends: str
    threads: int

    @property
    def order(self) -> tuple[str | int, ...]:
        """Where it stands in tables: by conditions, workload, variant, then level."""
        known = VARIANTS.index(self.variant) if self.variant in VARIANTS else len(VARIANTS)
        return (self.preset, self.backends, self.workload, known, self.variant, self.threads)


@dataclass(frozen=True)
class Run:
    """One run as it was recorded.

    Parameters
    ----------
    id
        Unique in its results directory.
    cell
        What was measured.
    samples
        JMeter's result file.
    repetition
        Counted from 1 within the cell.
    loops
        Operations asked of each thread; None for a run bounded by time.
    server_cpu_s
        CPU seconds of each server process during the run.
    server_rss_mb
        Resident memory of each server process at the end of the run, MB.
    generator_cpu_s
        CPU seconds of the load generator, None if not recorded.
    """

    id: str
    cell: Cell
    samples: Path
    repetition: int = 1
    loops: int | None = None
    server_cpu_s: Mapping[str, float] = field(default_factory=dict)
    server_rss_mb: Mapping[str, float] = field(default_factory=dict)
    generator_cpu_s: float | None = None


@dataclass(frozen=True)
class Results:
    """A results directory: its runs, and under which conditions they ran.

    Parameters
    ----------
    path
        The directory.
    runs
        Sorted by cell, then repetition; at least one.
    environment
        ``environment.json``; empty for loose sample files.
    declaration
        ``experiment.yaml`` as run; empty for loose sample files.
    """

    path: Path
    runs: tuple[Run, ...]
    environment: Mapping[str, Any] = field(default_factory=dict)
    declaration: str = ""

    @property
    def loose(self) -> bool:
        """Whether it is a plain directory of sample files, which is somebody else's."""
        return all(run.samples.parent == self.path for run in self.runs)


def find_results(path: Path) -> Results:
    """Find the runs in a results directory, or in a plain directory of sample files.

    Parameters
    ----------
    path
        A directory with ``runs/RUN_ID/{run.json,samples.csv}``, or with files named
        ``VARIANT-WORKLOAD-N-threads.jtl`` (or ``.csv``).

    Raises
    ------
    UserError
        If there is no such directory, it holds no run, or a record cannot be read.
    """
    if not path.is_dir():
        raise UserError(f"results directory {str(path)!r} does not exist")
    recorded = [_recorded_run(record) for record in sorted(path.glob("runs/*/run.json"))]
    runs = [run for run in recorded if run is not None] or _loose_runs(path)
    if not runs:
        raise UserError(
            f"no runs in {str(path)!r}",
            f"It needs runs/*/run.json, or sample files named {LOOSE_SHAPE}.",
        )
    return Results(
        path=path,
        runs=tuple(sorted(runs, key=lambda run: (run.cell.order, run.repetition, run.id))),
        environment=_json(path / "environment.json"),
        declaration=_text(path / "experiment.yaml"),
    )


def _recorded_run(record: Path) -> Run | None:
    """Read ``run.json``; None for a warm-up run, which is no measurement."""
    fields = _json(record)
    if fields.get("warmup"):
        return None
    try:
        return Run(
            id=record.parent.name,
            cell=Cell(
                variant=fields["variant"],
                workload=fields["workload"],
                preset=fields["preset"],
                backends=fields.get("backends", UNSTATED),
                threads=int(fields["threads"]),
            ),
            samples=record.parent / "samples.csv",
            repetition=int(fields.get("repetition") or 1),
            loops=fields.get("loops"),
            server_cpu_s=fields.get("server_cpu_s") or {},
            server_rss_mb=fields.get("server_rss_mb") or {},
            generator_cpu_s=fields.get("generator_cpu_s"),
        )
    except KeyError as missing:
        raise UserError(f"{record} lacks the key {missing}") from missing


def _loose_runs(path: Path) -> list[Run]:
    files = [file for file in sorted(path.iterdir()) if file.suffix in (".jtl", ".csv")]
    named = {file: LOOSE_NAME.fullmatch(file.name) for file in files}
    nameless = [file.name for file, match in named.items() if not match and file.suffix == ".jtl"]
    if nameless:
        raise UserError(
            f"{nameless[0]!r} in {str(path)!r} does not tell its variant, workload and threads",
            f"Name sample files {LOOSE_SHAPE}, for example sync-list-10-threads.jtl.",
        )
    return [
        Run(
            id=file.stem,
            cell=Cell(
                variant=match["variant"],
                workload=match["workload"],
                preset=UNSTATED,
                backends=UNSTATED,
                threads=int(match["threads"]),
            ),
            samples=file,
        )
        for file, match in named.items()
        if match
    ]


def _json(path: Path) -> dict[str, Any]:
    text = _text(path)
    try:
        fields = json.loads(text) if text else {}
    except json.JSONDecodeError as error:
        raise UserError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(fields, dict):
        raise UserError(f"{path} must hold a JSON object")
    return fields


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""

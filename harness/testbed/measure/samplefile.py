"""Reads JMeter's result file while it grows.

Uses only the standard library: the exporter shares this module and runs in a bare container.
"""

from __future__ import annotations

import bisect
import csv
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from testbed.model.loads import LATE_MS

COLUMNS = ("timeStamp", "elapsed", "label", "success")
"""The columns that the header of a result file must have."""


class Row(NamedTuple):
    """One row of a result file; times are in milliseconds since the epoch.

    `intended_ms` equals `start_ms` in a closed loop and if the file has no such column. `threads`
    counts the active threads; None if the file has no such column.
    """

    label: str
    start_ms: int
    end_ms: int
    intended_ms: int
    success: bool
    threads: int | None


@dataclass(frozen=True)
class Seen:
    """Counts of operations so far in result files that grow."""

    operations: int = 0
    failed: int = 0
    rate: float = 0.0
    """Operations per second since the look before. Rows are written in bursts, so the time from
    the latest end before to the latest one counts if it is longer.
    """
    span_s: float = 0.0
    """Seconds from the start of the first operation to the end of the last."""
    elapsed_s: float = 0.0
    """Seconds since the generators got the load."""
    first_ms: int | None = None
    """Start of the first operation, in an open loop its intended start, in milliseconds since the
    epoch; None before one ended.
    """
    offered: int | None = None
    """Arrivals due before the latest end seen; None in a closed loop."""
    late: int = 0
    """Operations that began more than `LATE_MS` after their intended start."""


class SampleFile:
    """A result file with a header that is still being written; it need not exist yet.

    Reads each byte once and parses complete rows only. Rows whose label `keep` rejects cost little.
    Reading begins at byte `offset`; the row that this cuts in two is left out.
    """

    def __init__(self, file: Path, keep: Callable[[str], bool], offset: int = 0) -> None:
        self._file = file
        self._keep = keep
        self._columns: dict[str, int] | None = None
        self._offset = offset
        self._cut = offset > 0
        self._rest = b""

    @property
    def opened(self) -> bool:
        """Whether rows have an intended start, as those of an open loop do."""
        return self._columns is not None and "intended" in self._columns

    def read(self) -> Iterator[Row]:
        """Yield the rows that were completed since the last call.

        Raises `ValueError` when the first line is not the header of a result file.
        """
        try:
            with self._file.open("rb") as file:
                if self._cut and self._columns is None:
                    self._learn(next(csv.reader([file.readline().decode("utf-8", "replace")]), []))
                file.seek(self._offset)
                block = file.read()
        except FileNotFoundError:
            return
        self._offset += len(block)
        *lines, self._rest = (self._rest + block).split(b"\n")
        if self._cut and lines:
            del lines[0]
            self._cut = False
        for cells in csv.reader(line.decode("utf-8", "replace") for line in lines):
            if self._columns is None:
                self._learn(cells)
            elif (row := self._row(cells, self._columns)) is not None:
                yield row

    def _learn(self, names: list[str]) -> None:
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise ValueError(f"{self._file} is no result file: no column {', '.join(missing)}")
        self._columns = {name: index for index, name in enumerate(names)}

    def _row(self, cells: list[str], columns: dict[str, int]) -> Row | None:
        # A quoted failure message may span lines; each piece has too few columns for a row.
        if len(cells) < len(columns) or not self._keep(cells[columns["label"]]):
            return None
        start = int(cells[columns["timeStamp"]])
        return Row(
            label=cells[columns["label"]],
            start_ms=start,
            end_ms=start + int(cells[columns["elapsed"]]),
            intended_ms=int(cells[columns["intended"]]) if "intended" in columns else start,
            success=cells[columns["success"]] == "true",
            threads=int(cells[columns["allThreads"]]) if "allThreads" in columns else None,
        )


class OperationCounter:
    """Counts the operations in the result files of a load that are still being written.

    Rows with the label `label` are operations. A file has a header and need not exist yet.
    """

    def __init__(self, samples: Iterable[Path], label: str, arrivals: Path | None = None) -> None:
        self._planned = None if arrivals is None else read_arrivals(arrivals)
        self._files = [SampleFile(file, lambda text: text == label) for file in samples]
        self._operations = 0
        self._failed = 0
        self._first_ms: int | None = None
        self._last_ms = 0
        self._late = 0
        self._began = self._looked = time.monotonic()

    def look(self) -> Seen:
        before, ended_ms = self._operations, self._last_ms
        for file in self._files:
            for row in file.read():
                self._count(row)
        clock = time.monotonic()
        interval, self._looked = clock - self._looked, clock
        written_s = (self._last_ms - (ended_ms or self._first_ms or 0)) / 1000
        rate = (self._operations - before) / max(interval, written_s, 0.001)
        span = 0.0 if self._first_ms is None else (self._last_ms - self._first_ms) / 1000
        return Seen(
            operations=self._operations,
            failed=self._failed,
            rate=rate,
            span_s=span,
            elapsed_s=clock - self._began,
            first_ms=self._first_ms,
            offered=self._offered(),
            late=self._late,
        )

    def _offered(self) -> int | None:
        if self._planned is None or self._first_ms is None:
            return None
        return due(self._planned, self._first_ms, self._last_ms)

    def _count(self, row: Row) -> None:
        self._operations += 1
        self._failed += not row.success
        self._late += row.start_ms > row.intended_ms + LATE_MS
        first = row.intended_ms if self._first_ms is None else self._first_ms
        self._first_ms = min(first, row.intended_ms)
        self._last_ms = max(self._last_ms, row.end_ms)


def read_arrivals(file: Path) -> list[int]:
    """Read planned arrivals, in milliseconds from the start of the load.

    What follows the number in a line is for the plans alone.
    """
    lines = file.read_text(encoding="ascii").split()
    return [int(line.partition(",")[0]) for line in lines]


def due(planned: Sequence[int], first_ms: int, now_ms: int) -> int:
    """Return how many planned arrivals are due at `now_ms`.

    `planned` is sorted, in milliseconds from the start of the load. `now_ms`, and `first_ms`, the
    intended start of the first arrival, are in milliseconds since the epoch.
    """
    # The first arrival may be later than the start of the load.
    return bisect.bisect_right(planned, now_ms - (first_ms - planned[0]))

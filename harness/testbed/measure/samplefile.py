"""Reads JMeter's result file while it grows.

Needs nothing but Python's own library: the exporter, which shares it, runs in a bare container.
"""

from __future__ import annotations

import bisect
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

COLUMNS = ("timeStamp", "elapsed", "label", "success")
"""What the first line of a result file has at least."""


class Row(NamedTuple):
    """One row of a result file.

    Parameters
    ----------
    label
        What was done.
    start_ms, end_ms
        When it began and ended, in milliseconds since the epoch.
    intended_ms
        When it was to begin; in a closed loop, and where the file does not tell, when it began.
    success
        Whether it was right.
    threads
        How many threads were active; None where the file does not tell.
    """

    label: str
    start_ms: int
    end_ms: int
    intended_ms: int
    success: bool
    threads: int | None


class SampleFile:
    """A result file with a header that is still being written.

    Reads each byte once, a block at a time, and parses complete rows only.

    Parameters
    ----------
    file
        Need not exist yet.
    keep
        Tells by the label which rows are wanted; others cost little.
    offset
        Where to begin, in bytes; the row that this cuts in two is left out.
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
        """Whether the rows tell when they were to begin, as those of an open loop do."""
        return self._columns is not None and "intended" in self._columns

    def read(self) -> Iterator[Row]:
        """Yield the rows that are complete by now and were not before.

        Raises
        ------
        ValueError
            When the first line is not that of a result file.
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
        # A quoted failure message may span lines; its pieces have too few columns to be rows.
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


def read_arrivals(file: Path) -> list[int]:
    """Read planned arrivals, in milliseconds from the start of the load."""
    return [int(line) for line in file.read_text(encoding="ascii").split()]


def due(planned: Sequence[int], first_ms: int, now_ms: int) -> int:
    """Return how many planned arrivals were to begin by some moment.

    Parameters
    ----------
    planned
        In order, in milliseconds from the start of the load.
    first_ms, now_ms
        When the first of them was to begin, and the moment, in milliseconds since the epoch.
    """
    # The first arrival need not come at once.
    return bisect.bisect_right(planned, now_ms - (first_ms - planned[0]))

"""Writes down, about every second of a run, what each process or container has used."""

from __future__ import annotations

import contextlib
import csv
import time
from collections.abc import Iterator
from pathlib import Path

from testbed.meter import Meter
from testbed.periodic import repeating

EVERY_S = 1.0
LAST_READING_S = 30.0
"""How long the reading that is under way at the end is waited for."""

HEADER = ("time_s", "service", "cpu_s", "rss_mb")


@contextlib.contextmanager
def recording(file: Path, meter: Meter, every_s: float = EVERY_S) -> Iterator[None]:
    """Read a meter again and again while the body runs, and write what it reads.

    Columns: seconds since the first reading, the service, its CPU seconds since it was started, and
    its resident memory in MB (10^6 bytes).

    Parameters
    ----------
    file
        A CSV file with the columns of `HEADER`.
    meter
        What is read; a part that has ended is left out.
    every_s
        Seconds from one reading to the next.
    """
    with file.open("w", newline="", encoding="utf-8") as output:
        rows = csv.writer(output, lineterminator="\n")
        rows.writerow(HEADER)
        began = time.monotonic()

        def read() -> None:
            now = time.monotonic() - began
            for name, used in meter.read().items():
                rows.writerow((f"{now:.3f}", name, f"{used.cpu_s:.3f}", f"{used.rss_mb:.1f}"))

        with repeating(read, every_s, "usage", LAST_READING_S):
            yield

"""Exports JMeter's progress to Prometheus while plans run, by following result files.

JMeter is not involved. The files are read only when Prometheus asks. Needs only the standard
library and runs in a bare container: ``python -m testbed.watch.live FOLDER``.
"""

from __future__ import annotations

import argparse
import bisect
import csv
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from testbed.measure.samplefile import Row, SampleFile, due, read_arrivals
from testbed.model.loads import load_words

PORT = 9270
PATH = "/metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

FILES = (
    "*.csv",
    "*/runs/*.partial/samples*.csv",
    "*/runs/*.partial/block-*.csv",
    "*/warmup/*.partial/samples*.csv",
)
"""Where result files grow: written by JMeter alone, and by an experiment's runs and warm-ups."""

QUIET_S = 10.0
"""Seconds without a new row after which no thread counts as active."""

BUCKETS_MS = (
    *(1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700),
    *(1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 15_000),
)
"""Upper bounds of the response-time histogram."""

LEVEL = re.compile(r"-(?:(\d+)-threads(?:-[\d.]+-cores)?|([\d.]+)-per-s|schedule)-\d+$")
"""The level in the name of a run (`testbed.experiment.runs.Run.id`)."""


@dataclass(frozen=True)
class Labels:
    """The labels of operations.

    `level` is the load, such as ``100 threads`` or ``50/s``; empty where the file does not tell.
    """

    workload: str
    level: str

    def __str__(self) -> str:
        """Return the labels as Prometheus reads them."""
        return ",".join(
            f'{name}="{_escaped(value)}"'
            for name, value in (("workload", self.workload), ("level", self.level))
            if value
        )


@dataclass
class Numbers:
    """Counts of operations since the exporter was started.

    `offered` counts operations that were to begin; None where the file does not tell. `buckets`
    counts successful operations by response time from the intended start, one entry per bound in
    `BUCKETS_MS` and one above. `sum_ms` is the sum of those response times.
    """

    offered: int | None = None
    failures: int = 0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_MS) + 1))
    sum_ms: int = 0

    def add(self, row: Row) -> None:
        if row.success:
            took = row.end_ms - row.intended_ms
            self.buckets[bisect.bisect_left(BUCKETS_MS, took)] += 1
            self.sum_ms += took
        else:
            self.failures += 1

    def offer(self, more: int) -> None:
        self.offered = (self.offered or 0) + more


class Followed:
    """A result file that is read from byte `offset` on, and its latest state."""

    def __init__(self, file: Path, offset: int) -> None:
        self._rows = SampleFile(file, _is_operation, offset)
        # Of one of several generators: `samples-2.csv` and `arrivals-2.csv`.
        number = file.name.removeprefix("samples") if file.name.startswith("samples-") else ".csv"
        self._arrivals = file.with_name(f"arrivals{number}")
        self._planned: list[int] | None = None
        self._first_ms: int | None = None
        self._last_ms = 0
        self._due = 0
        self.level = level_of(file)
        self.threads: dict[Labels, int] = {}
        self.grown_at = 0.0

    def read(self, numbers: dict[Labels, Numbers], moment: float) -> None:
        """Count the new rows; `moment` is the current time in seconds."""
        for row in self._rows.read():
            labels = Labels(row.label, self.level)
            counts = numbers.setdefault(labels, Numbers())
            counts.add(row)
            if not self._rows.opened:
                # In a closed loop an operation begins when the one before has ended.
                counts.offer(1)
            if row.threads is not None:
                self.threads = {labels: row.threads}
            self._last_ms = max(self._last_ms, row.end_ms)
            if self._first_ms is None or row.intended_ms < self._first_ms:
                self._first_ms = row.intended_ms
            self.grown_at = moment
        if self._rows.opened and self.threads:
            self._offer(numbers[next(iter(self.threads))])

    def _offer(self, numbers: Numbers) -> None:
        if self._planned is None:
            try:
                self._planned = read_arrivals(self._arrivals)
            except (OSError, ValueError):
                self._planned = []
        if self._planned and self._first_ms is not None:
            by_now = due(self._planned, self._first_ms, self._last_ms)
            numbers.offer(max(0, by_now - self._due))
            self._due = max(self._due, by_now)


class Exporter:
    """Follows every result file that grows in a folder, at the places in `FILES`.

    Rows that are there at the start are not counted. `clock` returns seconds.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        self._numbers: dict[Labels, Numbers] = {}
        self._followed: dict[Path, Followed] = {}
        self._shown: set[Labels] = set()
        self._sizes = self._look()

    def text(self) -> str:
        """Count the new rows and return all metrics as Prometheus reads them."""
        moment = self._clock()
        sizes = self._look()
        for file, size in sizes.items():
            before = self._sizes.get(file, 0)
            if size == before:
                continue
            if size < before or file not in self._followed:
                # Written anew, or seen to grow for the first time.
                self._followed[file] = Followed(file, before if size > before else 0)
            try:
                self._followed[file].read(self._numbers, moment)
            except (OSError, ValueError, csv.Error):
                # Not readable, perhaps for this user only, or not JMeter's.
                del self._followed[file]
        self._followed = {
            file: followed for file, followed in self._followed.items() if file in sizes
        }
        self._sizes = sizes
        return "".join(f"{line}\n" for line in self._lines(moment))

    def _look(self) -> dict[Path, int]:
        sizes = {}
        for pattern in FILES:
            for file in self._folder.glob(pattern):
                try:
                    sizes[file] = file.stat().st_size
                except OSError:
                    continue
        return sizes

    def _lines(self, moment: float) -> Iterator[str]:
        # Prometheus computes a counter's rise from the first value it sees, so that value is 0.
        counted = [
            (labels, numbers if labels in self._shown else Numbers(numbers.offered and 0))
            for labels, numbers in sorted(self._numbers.items(), key=lambda item: str(item[0]))
        ]
        self._shown.update(self._numbers)
        yield from _family(
            "jmeter_operations_offered_total",
            "counter",
            "Operations that were to begin: planned arrivals of an open loop; in a closed loop, "
            "where each begins when the one before has ended, those that ended.",
        )
        for labels, numbers in counted:
            if numbers.offered is not None:
                yield f"jmeter_operations_offered_total{{{labels}}} {numbers.offered}"
        yield from _family(
            "jmeter_operations_total", "counter", "Operations that ended, by outcome."
        )
        for labels, numbers in counted:
            for outcome, count in (
                ("success", sum(numbers.buckets)),
                ("failure", numbers.failures),
            ):
                yield f'jmeter_operations_total{{{labels},outcome="{outcome}"}} {count}'
        name = "jmeter_operation_duration_seconds"
        yield from _family(
            name,
            "histogram",
            "From the intended start of an operation to its usable result; successful ones only.",
        )
        for labels, numbers in counted:
            total = 0
            for bound, count in zip((*BUCKETS_MS, None), numbers.buckets, strict=True):
                total += count
                shown = "+Inf" if bound is None else f"{bound / 1000:g}"
                yield f'{name}_bucket{{{labels},le="{shown}"}} {total}'
            yield f"{name}_sum{{{labels}}} {numbers.sum_ms / 1000:.3f}"
            yield f"{name}_count{{{labels}}} {total}"
        yield from _family(
            "process_cpu_seconds_total", "counter", "What the exporter itself has cost."
        )
        yield f"process_cpu_seconds_total {time.process_time():.3f}"
        yield from _family(
            "jmeter_active_threads", "gauge", "Users that JMeter has running; 0 without news."
        )
        active = dict.fromkeys(self._numbers, 0)
        for followed in self._followed.values():
            if moment - followed.grown_at < QUIET_S:
                for labels, threads in followed.threads.items():
                    active[labels] += threads
        for labels, threads in sorted(active.items(), key=lambda item: str(item[0])):
            yield f"jmeter_active_threads{{{labels}}} {threads}"


def level_of(file: Path) -> str:
    """Return the level of a result file from the name of its folder; empty if it has none."""
    if file.parent.parent.name == "warmup":
        return "warm-up"
    match = LEVEL.search(file.parent.name.removesuffix(".partial"))
    if match is None:
        return ""
    threads, rate = match.groups()
    if threads is not None:
        return load_words("closed", int(threads))
    return f"{float(rate):g}/s" if rate is not None else "schedule"


def serve(exporter: Exporter, address: str, port: int) -> HTTPServer:
    """Return a server that answers Prometheus; port 0 takes a free port.

    Raises `OSError` when the port is taken.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            if self.path != PATH:
                self.send_error(404, f"the metrics are at {PATH}")
                return
            body = exporter.text().encode()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: requests come every few seconds."""

    return HTTPServer((address, port), Handler)


def main() -> None:
    parser = argparse.ArgumentParser(prog="testbed.watch.live", description=__doc__)
    parser.add_argument("folder", type=Path, help="where result files are written")
    parser.add_argument("--address", default="127.0.0.1", help="where to listen (%(default)s)")
    parser.add_argument("--port", type=int, default=PORT, help="where to listen (%(default)s)")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"no folder {options.folder}")
    # The first process of a container has no default handler for SIGTERM.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with serve(Exporter(options.folder), options.address, options.port) as server:
        server.serve_forever()


def _is_operation(label: str) -> bool:
    # The parts of an operation have a second word in their label, such as `list request`.
    return " " not in label


def _family(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


if __name__ == "__main__":
    main()

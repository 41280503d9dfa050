"""Runs JMeter, and watches its result file grow."""

from __future__ import annotations

import contextlib
import csv
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from testbed import processes
from testbed.errors import UserError
from testbed.jdk import Jdk
from testbed.processes import ProcessId
from testbed.project import Project
from testbed.record import now
from testbed.samplefile import Row, SampleFile, due, read_arrivals

WATCH_S = 1.0

LATE_MS = 10
"""An operation of an open loop that begins more than this after its moment is late."""

GENERATOR_FLAGS = (
    "-Xms512m",
    "-Xmx1g",
    # On the cores that the services also use, the generator's collector must not add threads.
    "-XX:+UseSerialGC",
    # Nor must its compiler: with the optimising one it is busy with itself for its first 20 s, and
    # users wait between two operations who should be in one.
    "-XX:TieredStopAtLevel=1",
    "-Djava.awt.headless=true",
    "-Duser.language=en",
    "-Duser.region=EN",
)

GENERATOR = "jmeter"
"""What the generator is called among the processes of a run."""

NICENESS = -10
"""Of the generator, where this user may choose it: one that waits for a processor while its users
have their answers puts less load on the product than it was asked for.
"""


@dataclass(frozen=True)
class Load:
    """One load, as given to a plan.

    Parameters
    ----------
    plan
        The JMeter plan.
    properties
        Its properties.
    label
        The label of the rows that are operations.
    arrivals
        The planned arrivals of an open loop.
    """

    plan: Path
    properties: Mapping[str, str]
    label: str
    arrivals: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a load.

    Parameters
    ----------
    started, finished
        When the generator started and ended, in UTC.
    duration_s
        Seconds between the two.
    exit_code
        JMeter's.
    cpu_s
        CPU seconds of the generator, user and system together.
    """

    started: datetime
    finished: datetime
    duration_s: float
    exit_code: int
    cpu_s: float


@dataclass(frozen=True)
class Seen:
    """What the result file shows while it grows: counts of operations so far.

    Parameters
    ----------
    operations, failed
        All so far, and those of them that failed.
    rate
        Operations per second in the latest interval.
    span_s
        Seconds from the start of the first operation to the end of the last.
    elapsed_s
        Seconds since the generator was started.
    first_ms
        When the first operation began, or in an open loop was to begin, in milliseconds since the
        epoch; None before one ended.
    offered, late
        Of an open loop: the arrivals that were to begin before the latest end that was seen, and
        the operations that began later than they should.
    """

    operations: int = 0
    failed: int = 0
    rate: float = 0.0
    span_s: float = 0.0
    elapsed_s: float = 0.0
    first_ms: int | None = None
    offered: int | None = None
    late: int = 0


def plan_file(project: Project, variant: str, workload: str) -> Path:
    """Return the JMeter plan of a workload on a variant."""
    return project.plans / f"{variant}-{workload}.jmx"


def load_for(
    project: Project,
    variant: str,
    workload: str,
    *,
    threads: int,
    ramp: int,
    port: int,
    loops: int | None = None,
    duration: int | None = None,
    arrivals: Path | None = None,
    properties: Mapping[str, str] | None = None,
) -> Load:
    """Return the load of a workload on a variant.

    Parameters
    ----------
    threads
        Users, or the most operations in flight.
    loops, duration
        Operations of each thread, and seconds; either may be None for no such limit.
    arrivals
        A file of arrivals, which makes it an open loop; None for a closed one.
    properties
        Further properties of the plan.
    """
    given = {
        "threads": str(threads),
        "ramp": str(ramp),
        "host": "127.0.0.1",
        "port": str(port),
    }
    if arrivals is None:
        given["loops"] = "-1" if loops is None else str(loops)
    else:
        given |= {"arrivals": str(arrivals.absolute()), "sample_variables": "intended"}
    if duration is not None:
        given["duration"] = str(duration)
    given |= properties or {}
    return Load(plan_file(project, variant, workload), given, workload, arrivals)


def jmeter_command(project: Project, java: Jdk) -> list[str]:
    """Return the command that starts the laid-out JMeter, without its arguments."""
    return [
        str(java.java),
        *GENERATOR_FLAGS,
        *os.environ.get("JVM_ARGS", "").split(),
        "-jar",
        str(project.jmeter_home / "bin" / "ApacheJMeter.jar"),
    ]


def run(
    command: list[str],
    load: Load,
    samples: Path,
    log: Path,
    companion: Callable[[ProcessId], contextlib.AbstractContextManager[None]],
    watch: Callable[[Seen], None] = lambda _: None,
) -> Outcome:
    """Put a load on the front door and wait for its end.

    Parameters
    ----------
    command
        Starts JMeter.
    load
        What to run.
    samples
        JMeter's result file; written by JMeter alone.
    log
        JMeter's log; its output goes beside it, with the suffix ``.out``.
    companion
        Holds the generator's process in the record of the stack while it runs.
    watch
        Told about every second what the result file shows.

    Returns
    -------
    Outcome
        With the exit code; whether operations were recorded is for the caller to see.

    Raises
    ------
    UserError
        When the plan is missing.
    """
    if not load.plan.is_file():
        raise UserError(f"no plan {load.plan}")
    # Absolute: JMeter runs in the folder of the samples.
    paths = (load.plan.absolute(), samples.absolute(), log.absolute())
    arguments = [*("-n", "-t", str(paths[0])), *("-l", str(paths[1])), *("-j", str(paths[2]))]
    arguments += [f"-J{name}={value}" for name, value in load.properties.items()]
    started, clock = now(), time.monotonic()
    with contextlib.ExitStack() as stack:
        with processes.uninterrupted():
            generator = processes.start(
                [*command, *arguments], os.environ, log.with_suffix(".out"), samples.parent
            )
            processes.prefer(generator.pid, NICENESS)
            identity = ProcessId.of(generator.pid)
            stack.callback(_end, generator, identity)
            stack.enter_context(companion(identity))
        counter = OperationCounter(samples, load.label, load.arrivals)
        usage = None
        while usage is None:
            usage = _reap(generator, WATCH_S)
            watch(counter.look())
    return Outcome(
        started=started,
        finished=now(),
        duration_s=round(time.monotonic() - clock, 3),
        exit_code=generator.returncode,
        cpu_s=round(usage, 3),
    )


class OperationCounter:
    """Counts the operations in a result file that is still being written.

    Parameters
    ----------
    samples
        JMeter's result file, with a header; need not exist yet.
    label
        The label of the rows that are operations.
    arrivals
        The planned arrivals of an open loop.
    """

    def __init__(self, samples: Path, label: str, arrivals: Path | None = None) -> None:
        self._planned = None if arrivals is None else read_arrivals(arrivals)
        self._rows = SampleFile(samples, lambda found: found == label)
        self._operations = 0
        self._failed = 0
        self._first_ms: int | None = None
        self._last_ms = 0
        self._late = 0
        self._began = self._looked = time.monotonic()

    def look(self) -> Seen:
        """Return what the file shows now."""
        before = self._operations
        for row in self._rows.read():
            self._count(row)
        clock = time.monotonic()
        interval, self._looked = clock - self._looked, clock
        rate = (self._operations - before) / interval if interval > 0 else 0.0
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


def why_nothing(samples: Path, log: Path) -> str:
    """Return why a run may have no operation: its first failed sample, else JMeter's first error.

    Parameters
    ----------
    samples, log
        JMeter's result file and log.
    """
    rows: list[dict[str, str]] = []
    if samples.is_file():
        with samples.open(newline="", encoding="utf-8", errors="replace") as file:
            rows = list(csv.DictReader(file))
    for row in rows:
        if row.get("success") != "true":
            told = row.get("failureMessage") or row.get("responseMessage") or "no reason given"
            return f"sample {row.get('label')!r} failed first: {told}"
    if rows:
        return f"{len(rows)} samples, but no operation ended before the load did"
    with contextlib.suppress(OSError), log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if " ERROR " in line or "Exception" in line:
                return line.strip()
    return "no sample was recorded at all"


def _reap(generator: subprocess.Popen[bytes], limit_s: float) -> float | None:
    """Wait for the generator; return its CPU seconds when it ended, None when the time is up.

    Its own resource usage is asked for, not that of all children, which would count others too.
    """
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        pid, status, usage = os.wait4(generator.pid, os.WNOHANG)
        if pid != 0:
            generator.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        time.sleep(0.05)
    return None


def _end(generator: subprocess.Popen[bytes], identity: ProcessId) -> None:
    if generator.returncode is None:
        with processes.uninterrupted():
            processes.stop([identity], grace=3)

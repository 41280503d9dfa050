"""Runs plans in a JMeter that is started once, and watches its result files grow."""

from __future__ import annotations

import contextlib
import csv
import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from testbed.deploy import build, processes
from testbed.deploy.jdk import Jdk
from testbed.deploy.processes import ProcessId
from testbed.deploy.record import now
from testbed.measure.samplefile import Row, SampleFile, due, read_arrivals
from testbed.model import files
from testbed.model.errors import UserError
from testbed.model.loads import LATE_MS
from testbed.model.project import Project

WATCH_S = 1.0

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

MODULE = "load-generator"
"""The module whose program runs plans in one JMeter."""

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
        When the generator was told to run it and said that it had ended, in UTC.
    duration_s
        Seconds between the two.
    samples
        How many samples JMeter handed to its listeners: so many rows has a whole result file.
    cpu_s
        CPU seconds of the generator between the two, user and system together.
    seen
        What the complete result file shows.
    """

    started: datetime
    finished: datetime
    duration_s: float
    samples: int
    cpu_s: float
    seen: Seen


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
        Seconds since the generator was told to run the load.
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


def generator_flags() -> list[str]:
    """Return the JVM flags of the generator: its own, then the user's from ``JVM_ARGS``."""
    return [*GENERATOR_FLAGS, *os.environ.get("JVM_ARGS", "").split()]


def jmeter_command(project: Project, java: Jdk) -> list[str]:
    """Return the command that starts the laid-out JMeter, without its arguments."""
    jar = project.jmeter_home / "bin" / "ApacheJMeter.jar"
    return [str(java.java), *generator_flags(), "-jar", str(jar)]


def generator_command(project: Project, java: Jdk) -> list[str]:
    """Return the command of a `Generator` that runs plans in the laid-out JMeter.

    Raises
    ------
    UserError
        When the module ``load-generator`` is not built.
    """
    home, jar = project.jmeter_home, project.jar(MODULE)
    build.require_jars(project, [jar])
    places = (jar, home / "bin" / "ApacheJMeter.jar", home / "lib/*", home / "lib/ext/*")
    path = os.pathsep.join(str(place) for place in places)
    main = "testbed.generator.LoadGenerator"
    return [str(java.java), *generator_flags(), "-cp", path, main, str(home)]


class Generator:
    """A JMeter that is started once and puts load after load on front doors.

    Parameters
    ----------
    jvm
        The program of the module ``load-generator``; its source describes what it reads and writes.
    log
        JMeter's log; what else it prints is beside it, with the suffix ``.out``.

    Attributes
    ----------
    process : ProcessId
        Identifies it, so that its use of the machine can be measured.
    """

    def __init__(self, jvm: subprocess.Popen[bytes], log: Path) -> None:
        self.process = ProcessId.of(jvm.pid)
        self._jvm = jvm
        self._log = log

    @classmethod
    @contextlib.contextmanager
    def started(cls, command: Sequence[str], log: Path) -> Iterator[Generator]:
        """Start a generator, which is ready then; it ends with the context, whatever happens.

        Parameters
        ----------
        command
            Starts it; `log` is added as its last argument.
        log
            A file for JMeter's log.

        Raises
        ------
        UserError
            When it does not start, with the end of what it printed.
        """
        log = log.absolute()
        with contextlib.ExitStack() as stack:
            with processes.uninterrupted():
                output = log.with_suffix(".out")
                jvm = processes.start(
                    [*command, str(log)], os.environ, output, log.parent, conversing=True
                )
                processes.prefer(jvm.pid, NICENESS)
                generator = cls(jvm, log)
                stack.callback(generator._end)
            if generator._answer() != "ready":
                raise UserError(f"JMeter did not start; the end of {output}:\n{files.tail(output)}")
            yield generator

    def run(
        self, load: Load, samples: Path, watch: Callable[[Seen], None] = lambda _: None
    ) -> Outcome:
        """Put a load on a front door and wait for its end.

        When the wait is broken off, by an interrupt or an error in `watch`, the generator ends.

        Parameters
        ----------
        load
            What to run.
        samples
            JMeter's result file; written by JMeter alone, and complete when this returns.
        watch
            Told about every second what the result file shows, and once when it is complete.

        Returns
        -------
        Outcome
            Whether operations were recorded is for the caller to see.

        Raises
        ------
        UserError
            When the plan is missing, or, with the end of JMeter's log, when JMeter fails or ends.
        """
        if not load.plan.is_file():
            raise UserError(f"no plan {load.plan}")
        if (process := self.process.find()) is None:
            raise self._failure(f"JMeter had ended before {load.plan.name}")
        counter = OperationCounter(samples, load.label, load.arrivals)
        used, started, clock = process.cpu_times(), now(), time.monotonic()
        try:
            self._ask(load, samples)
            verdict, _, told = self._answer(lambda: watch(counter.look())).partition(" ")
        except BaseException:
            # Else the load would go on, and its answer be taken for the next one's.
            self._end()
            raise
        if verdict == "":
            raise self._failure(f"JMeter ended in the middle of {load.plan.name}")
        if verdict != "ended":
            raise self._failure(f"JMeter failed on {load.plan.name}: {told}")
        after = process.cpu_times()
        duration_s, finished = time.monotonic() - clock, now()
        watch(seen := counter.look())
        return Outcome(
            started=started,
            finished=finished,
            duration_s=round(duration_s, 3),
            samples=int(told),
            cpu_s=round(after.user + after.system - used.user - used.system, 3),
            seen=seen,
        )

    def _ask(self, load: Load, samples: Path) -> None:
        given = {"plan": str(load.plan.absolute()), "samples": str(samples.absolute())}
        given |= {f"property.{name}": value for name, value in load.properties.items()}
        lines = [f"{_escaped(name)}={_escaped(value)}\n" for name, value in given.items()]
        file = self._log.with_suffix(".properties")
        file.write_text("".join(lines), encoding="utf-8")
        assert self._jvm.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # It ended just now, and gives no answer.
            self._jvm.stdin.write(f"{file}\n".encode())
            self._jvm.stdin.flush()

    def _answer(self, meanwhile: Callable[[], None] = lambda: None) -> str:
        """Return the next line that it writes, empty when it ended."""
        assert self._jvm.stdout is not None
        while not select.select([self._jvm.stdout], [], [], WATCH_S)[0]:
            meanwhile()
        return self._jvm.stdout.readline().decode(errors="replace").rstrip("\n")

    def _failure(self, what: str) -> UserError:
        return UserError(f"{what}; the end of {self._log}:\n{files.tail(self._log)}")

    def _end(self) -> None:
        # Its input is closed too, where a command that it did not read may be left.
        with processes.uninterrupted(), contextlib.suppress(BrokenPipeError), self._jvm:
            processes.stop([self.process], grace=3)
            self._log.with_suffix(".properties").unlink(missing_ok=True)


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
        JMeter's result file, and its log, of which the part on the latest run is read.
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
    error = None
    with contextlib.suppress(OSError), log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.rstrip().endswith("Running the test!"):
                error = None
            elif error is None and (" ERROR " in line or "Exception" in line):
                error = line.strip()
    return error or "no sample was recorded at all"


def _escaped(text: str) -> str:
    """Return a key or a value as ``java.util.Properties`` reads it."""
    return re.sub(r"[\\=:#!\s]", lambda found: f"\\u{ord(found[0]):04x}", text)

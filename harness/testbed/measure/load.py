"""Runs plans in long-lived JMeters."""

from __future__ import annotations

import contextlib
import csv
import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Self

from testbed.deploy import programs
from testbed.deploy.building import build
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.ports import LOOPBACK
from testbed.deploy.programs import ProcessId
from testbed.deploy.record import now
from testbed.experiment.planning import LEAD_S
from testbed.measure.samplefile import OperationCounter, Seen
from testbed.model import files, systems
from testbed.model.errors import UserError
from testbed.model.project import Project

WATCH_S = 1.0

GENERATOR_FLAGS = (
    "-Xms1g",
    "-Xmx1g",
    # Each collection holds up all users, and longest where processors are busy: a large young
    # generation has one a second, not four.
    "-Xmn700m",
    # The services use the same cores: the generator's collector must not add threads. Both of its
    # compilers may: they have finished before the first run, and halve its CPU time per operation.
    "-XX:+UseSerialGC",
    "-Djava.awt.headless=true",
    "-Duser.language=en",
    "-Duser.region=EN",
)

MODULE = "load-generator"

NICENESS = -10
"""Niceness of the generator, where this user may set it.

A generator that waits for a processor while answers are ready puts on less load than planned.
"""


TOKEN = "token"
"""The property of a plan that is the token of its requests."""

ALL_USERS = 10**13
"""More than the number that a plan adds to `choices` for a user, which is 10^10 for each."""

BEGIN_S = 0.5
"""How long before a load begins its generators are told to: they read the plan meanwhile."""


@dataclass(frozen=True)
class Load:
    """One load, as given to a plan.

    Rows with the label `label` are operations. `arrivals` is an open loop's file of planned
    arrivals, None for a closed loop.
    """

    plan: Path
    properties: Mapping[str, str]
    label: str
    arrivals: Path | None = None

    @property
    def without_token(self) -> dict[str, str]:
        """The properties that are kept with the results."""
        return {name: value for name, value in self.properties.items() if name != TOKEN}


@dataclass(frozen=True)
class Part:
    """What one generator did of a load."""

    file: Path
    """Its result file."""
    threads: int
    samples: int
    """Samples that JMeter handed to its listeners: the number of rows of a complete result file."""
    cpu_s: float
    """CPU seconds during the load, user and system together."""


@dataclass(frozen=True)
class Outcome:
    started: datetime
    """When the generators got the load, in UTC."""
    finished: datetime
    """When all had reported its end."""
    duration_s: float
    parts: tuple[Part, ...]
    """Of each generator."""
    seen: Seen

    @property
    def samples(self) -> int:
        return sum(part.samples for part in self.parts)

    @property
    def cpu_s(self) -> float:
        return round(sum(part.cpu_s for part in self.parts), 3)


def load_for(
    project: Project,
    variant: str,
    workload: str,
    *,
    threads: int,
    ramp: int,
    ports: Sequence[int],
    host: str = LOOPBACK,
    loops: int | None = None,
    duration: int | None = None,
    arrivals: Path | None = None,
    choices: int | None = None,
    properties: Mapping[str, str] | None = None,
) -> Load:
    """Return the load of a workload on a variant.

    `threads` are users, or the most operations in flight. `host` and `ports` are where the front
    door listens; operations ask several ports in turn, if the plan knows them. `loops` and
    `duration` limit the operations of each thread and the seconds. `arrivals` is a file of planned
    arrivals for an open loop; None for a closed loop. `choices` is a number from which all follows
    that the sessions of a closed loop choose.
    """
    if arrivals is not None and (own := systems.user_plan(variant, workload)) is not None:
        own.require_open()
    given = {
        "threads": str(threads),
        "ramp": str(ramp),
        "host": host,
        "port": str(ports[0]),
    }
    if len(ports) > 1:
        given["instances"] = str(len(ports))
        given |= {f"port.{number}": str(port) for number, port in enumerate(ports, 1)}
    kept = []
    if arrivals is None:
        given["loops"] = "-1" if loops is None else str(loops)
    else:
        given["arrivals"] = str(arrivals.absolute())
        kept.append("intended")
    if systems.declaration(variant).cache is not None:
        kept.append("asOf")
    if choices is not None:
        given["choices"] = str(choices)
    if kept:
        given["sample_variables"] = ",".join(kept)
    if duration is not None:
        given["duration"] = str(duration)
    given |= properties or {}
    return Load(project.plan(variant, workload), given, workload, arrivals)


def generator_flags() -> list[str]:
    """Return the generator's JVM flags: the defaults, then the user's from ``JVM_ARGS``."""
    return [*GENERATOR_FLAGS, *os.environ.get("JVM_ARGS", "").split()]


def jmeter_command(project: Project, java: Jdk) -> list[str]:
    """Return the command that starts the laid-out JMeter, without its arguments."""
    jar = project.jmeter_home / "bin" / "ApacheJMeter.jar"
    return [str(java.java), *generator_flags(), "-jar", str(jar)]


def generator_command(project: Project, java: Jdk) -> list[str]:
    """Return the command of a `Generator` that runs plans in the laid-out JMeter.

    Raises `UserError` when the module ``load-generator`` is not built.
    """
    jar, home = project.jar(MODULE), project.jmeter_home
    build.require_jars(project, [jar])
    places = (jar, home / "bin" / "ApacheJMeter.jar", home / "lib/*", home / "lib/ext/*")
    path = os.pathsep.join(map(str, places))
    main = ("-cp", path, "testbed.generator.LoadGenerator", str(home))
    return [str(java.java), *generator_flags(), *main]


class Generator:
    """A JMeter that is started once and puts one load after another on front doors.

    `jvm` runs the module ``load-generator``; that module's source describes its input and output.
    `log` is JMeter's log; its other output is beside it, with the suffix ``.out``. `process`
    identifies the JVM, so that its resource use can be measured.
    """

    def __init__(self, jvm: subprocess.Popen[bytes], log: Path) -> None:
        self.process = ProcessId.of(jvm.pid)
        self._jvm = jvm
        self.log = log

    @classmethod
    @contextlib.contextmanager
    def started(cls, command: Sequence[str], log: Path) -> Iterator[Self]:
        """Start a generator and wait until it is ready; it ends with the context.

        The path of the log is appended to `command` as the last argument. Raises `UserError`, with
        the end of the output, when the generator does not start.
        """
        log = log.absolute()
        with contextlib.ExitStack() as stack:
            with programs.uninterrupted():
                output = log.with_suffix(".out")
                jvm = programs.start(
                    [*command, str(log)], os.environ, output, log.parent, conversing=True
                )
                programs.prefer(jvm.pid, NICENESS)
                generator = cls(jvm, log)
                stack.callback(generator._end)
            if generator._answer() != "ready":
                raise UserError(f"JMeter did not start; the end of {output}:\n{files.tail(output)}")
            yield generator

    def run(
        self, load: Load, samples: Path, watch: Callable[[Seen], None] = lambda _: None
    ) -> Outcome:
        """Put a load on a front door alone, see `together`."""
        return together([self], load, samples, watch)

    def _cpu_s(self, load: Load) -> float:
        """Return the CPU seconds of the JVM since its start."""
        if (process := self.process.find()) is None:
            raise self._failure(f"JMeter had ended before {load.plan.name}")
        used = process.cpu_times()
        return used.user + used.system

    def _samples(self, load: Load, answer: str) -> int:
        """Return the number of samples in an answer to a load."""
        verdict, _, rest = answer.partition(" ")
        if verdict == "":
            raise self._failure(f"JMeter ended in the middle of {load.plan.name}")
        if verdict != "ended":
            raise self._failure(f"JMeter failed on {load.plan.name}: {rest}")
        return int(rest)

    def _ask(self, load: Load, samples: Path) -> None:
        given = {"plan": str(load.plan.absolute()), "samples": str(samples.absolute())}
        given |= {f"property.{name}": value for name, value in load.properties.items()}
        lines = [f"{_escaped(name)}={_escaped(value)}\n" for name, value in given.items()]
        file = self.log.with_suffix(".properties")
        # It may have a token.
        file.touch(mode=0o600)
        file.write_text("".join(lines), encoding="utf-8")
        assert self._jvm.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # The JVM has just ended: no answer follows.
            # The name alone, relative to the JVM's working folder: a path may contain a line break.
            self._jvm.stdin.write(f"{file.name}\n".encode())
            self._jvm.stdin.flush()

    def _answer(self, meanwhile: Callable[[], None] = lambda: None) -> str:
        """Return the next line of output; empty when the JVM ended."""
        assert self._jvm.stdout is not None
        while not select.select([self._jvm.stdout], [], [], WATCH_S)[0]:
            meanwhile()
        return self._jvm.stdout.readline().decode(errors="replace").rstrip("\n")

    def _failure(self, what: str) -> UserError:
        return UserError(f"{what}; the end of {self.log}:\n{files.tail(self.log)}")

    def _end(self) -> None:
        # Closing the JVM's input fails if the JVM left a command unread.
        with programs.uninterrupted(), contextlib.suppress(BrokenPipeError), self._jvm:
            programs.stop([self.process], grace=3)
            self.log.with_suffix(".properties").unlink(missing_ok=True)


@contextlib.contextmanager
def several(command: Sequence[str], log: Path, count: int) -> Iterator[list[Generator]]:
    """Start some generators as `Generator.started` does; further logs have a number."""
    with contextlib.ExitStack() as running:
        yield [
            running.enter_context(Generator.started(command, own))
            for own in (log, *(numbered(log, index) for index in range(1, count)))
        ]


def together(
    generators: Sequence[Generator],
    load: Load,
    samples: Path,
    watch: Callable[[Seen], None] = lambda _: None,
) -> Outcome:
    """Put a load on a front door by some generators at once, and wait for its end.

    Several generators have a share each, and result files beside `samples` with their numbers.
    JMeter alone writes those files. An interrupt or an error in `watch` ends the generators.
    `watch` is called about every second, and once when the result files are complete. The outcome
    may have no operations; the caller checks it.

    Raises `UserError` when the plan is missing, or when a JMeter fails or ends; the latter with the
    end of its log.
    """
    if not load.plan.is_file():
        raise UserError(f"no plan {load.plan}")
    before = [generator._cpu_s(load) for generator in generators]
    shares = _divided(load, samples, len(generators))
    counter = OperationCounter([file for _, file in shares], load.label, load.arrivals)
    started, clock = now(), time.monotonic()
    try:
        for generator, (own, file) in zip(generators, shares, strict=True):
            generator._ask(own, file)
        answers = [generator._answer(lambda: watch(counter.look())) for generator in generators]
    except BaseException:
        # Otherwise the load would go on, and its answer would be taken for the next load's.
        for generator in generators:
            generator._end()
        raise
    parts = tuple(
        Part(
            file,
            int(own.properties.get("threads", 0)),
            generator._samples(load, answer),
            round(generator._cpu_s(load) - used, 3),
        )
        for generator, used, (own, file), answer in zip(
            generators, before, shares, answers, strict=True
        )
    )
    duration_s, finished = time.monotonic() - clock, now()
    watch(seen := counter.look())
    return Outcome(started, finished, round(duration_s, 3), parts, seen)


def _divided(load: Load, samples: Path, count: int) -> list[tuple[Load, Path]]:
    """Return the load and the result file of each generator; write the arrivals of each."""
    if count == 1:
        return [(load, samples)]
    lead_s = BEGIN_S if load.arrivals is None else BEGIN_S + LEAD_S
    begin_ms = round((time.time() + lead_s) * 1000)
    planned: list[str] = []
    if load.arrivals is not None:
        planned = load.arrivals.read_text(encoding="ascii").splitlines(keepends=True)
    divided = []
    for index in range(count):
        properties = share(load.properties, index, count, begin_ms)
        own = replace(load, properties=properties)
        if load.arrivals is not None:
            file = numbered(load.arrivals, index)
            file.write_text("".join(planned[index::count]), encoding="ascii")
            properties = {**own.properties, "arrivals": str(file.absolute())}
            own = replace(own, properties=properties, arrivals=file)
        divided.append((own, numbered(samples, index)))
    return divided


def share(properties: Mapping[str, str], index: int, count: int, begin_ms: int) -> dict[str, str]:
    """Return the properties of a plan for generator `index`, from 0, of `count`.

    `properties` are those of the whole load, with ``threads``. All begin at `begin_ms`, in
    milliseconds since the epoch. Of an open loop, each generator also has every `count`-th arrival:
    its own file, of ``arrivals[index::count]``. So all together make the planned arrivals.
    """
    threads = int(properties["threads"])
    # Users of two generators have the same numbers.
    choices = int(properties.get("choices", 0)) + index * ALL_USERS
    return {
        **properties,
        **({"choices": str(choices)} if "choices" in properties else {}),
        "threads": str(threads // count + (index < threads % count)),
        # Part of what users send, so that two generators do not send the same.
        "generator": f"-{index + 1}",
        "begin": str(begin_ms),
    }


def numbered(file: Path, index: int) -> Path:
    """Return the file of generator `index` beside that of the whole load: ``samples-1.csv``."""
    return file.with_stem(f"{file.stem}-{index + 1}")


def why_nothing(samples: Path, log: Path) -> str:
    """Return why a run may have no operation: its first failed sample, else JMeter's first error.

    Only the log's part on the latest run is read.
    """
    rows: list[dict[str, str]] = []
    if samples.is_file():
        with samples.open(newline="", encoding="utf-8", errors="replace") as file:
            rows = list(csv.DictReader(file))
    for row in rows:
        if row.get("success") != "true":
            answer = row.get("responseMessage") or "no reason given"
            reason = (row.get("failureMessage") or answer).partition("\n")[0]
            if (code := row.get("responseCode") or "").isdecimal():
                reason += f" (answer: {code} {answer})"
            return f"sample {row.get('label')!r} failed first: {reason}"
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
    """Escape a key or a value for ``java.util.Properties``."""
    return re.sub(r"[\\=:#!\s]", lambda match: f"\\u{ord(match[0]):04x}", text)

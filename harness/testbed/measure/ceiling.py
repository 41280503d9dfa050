"""Measures and stores what the load generator reaches with a plan on servers that do no work."""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from testbed.deploy import machine, programs
from testbed.deploy.building import build
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.processes.deployment import jvm_flags
from testbed.measure import environment, load
from testbed.measure.load import Generator
from testbed.measure.samplefile import SampleFile
from testbed.model import files, systems
from testbed.model.errors import UserError
from testbed.model.project import Project

THREADS = 20
DURATION_S = 5
BEST_OF_S = 3
"""Consecutive seconds in the best window."""

TRIES = 3
"""The most measurements of a plan while others use the processors."""

SPARE = 0.1
"""Others disturb a measurement if they use more than this share of the processors, and less than
this share is idle.
"""

BARE_MODULE = "bare-servers"

BARE = ("netty", "spring")
"""The servers of `BARE_MODULE`."""

WARM_UP_S = 30
"""How long a server in a JVM has load before it is measured."""

GENERATOR_WARM_UP_S = 10
"""The same for each plan of a generator that has just started."""

FILE = "generator-ceiling.json"


def kept(project: Project, plans: Sequence[Path], java: Jdk) -> dict[str, float]:
    """Return the operations per second that were measured here before, by the plan's file name.

    Results of another machine, JMeter, Java or plan are left out.
    """
    measured = _read(project)
    return {
        plan.name: float(measured[key]["operations_per_s"])
        for plan in plans
        if (key := _key(project, plan, java)) in measured
    }


def measure(
    project: Project,
    plans: Sequence[Path],
    java: Jdk,
    notice: Callable[[str], None] = lambda _: None,
    *,
    generator: Generator | None = None,
    anew: bool = False,
) -> dict[str, float]:
    """Return the operations per second that a warm generator reaches with each plan.

    Without `generator` one is started. Measures the unknown plans, with `anew` all: `THREADS` users
    in a closed loop for `DURATION_S` seconds against the reference server. That server does no work
    but uses the same cores, as the services do. Its CPU use is stored beside the rate: the rate is
    a lower bound if the server used a whole core. What was measured while others took the
    processors is returned, but not stored. `notice` gets each plan's name before its measurement.

    Raises `UserError` when a plan cannot be measured; earlier plans stay known.
    """
    wanted = [_static(project, plan, java, plan.stem) for plan in plans]
    reached = _reached(project, wanted, java, notice, generator, anew=anew)
    return {target.plan.name: float(reached[target.key]["operations_per_s"]) for target in wanted}


def bare(
    project: Project,
    plans: Sequence[Path],
    java: Jdk,
    services_jdk: Jdk,
    notice: Callable[[str], None] = lambda _: None,
) -> dict[str, dict[str, Any]]:
    """Return what servers without work reach with each plan, by plan file and by server.

    ``static`` is the reference server. `BARE` are a server on Netty and one on Spring, each in a
    warm JVM with the flags of preset `tuned`. All give the answers that the system declares.
    ``operations_per_s`` and ``cpu_ms`` (the server's, of an operation) are in each entry. Measures
    what is not known; errors are those of `measure`.
    """
    jar = project.jar(BARE_MODULE)
    build.require_jars(project, [jar])
    jvm = (
        str(services_jdk.java),
        *jvm_flags(project, "tuned", BARE_MODULE, {}),
        "-jar",
        str(jar),
    )
    own = {"digest": environment.manifest(jar)["sha256"], "warm_up": WARM_UP_S}
    wanted = {
        plan: {
            # The generator's ceiling, which may be known.
            "static": _static(project, plan, java, f"{plan.stem}, static"),
            **{
                server: _Wanted(
                    plan,
                    f"{plan.stem}, {server}",
                    _key(project, plan, java, server=server, **own),
                    (*jvm, server, *_answers(project, plan)),
                    WARM_UP_S,
                )
                for server in BARE
            },
        }
        for plan in plans
    }
    every = [target for servers in wanted.values() for target in servers.values()]
    reached = _reached(project, every, java, notice)
    return {
        plan.name: {server: reached[target.key] for server, target in servers.items()}
        for plan, servers in wanted.items()
    }


@dataclass(frozen=True)
class _Wanted:
    """A plan on a server: what is measured, and the key under which it is stored."""

    plan: Path
    title: str
    key: str
    command: tuple[str, ...]
    """Starts the server."""
    warm_up_s: int = 0


def _static(project: Project, plan: Path, java: Jdk, title: str) -> _Wanted:
    """Return the plan on the reference server, which is the generator's ceiling."""
    system = plan.stem.rpartition("-")[0]
    # Without the working folder among the places of modules: it is the user's.
    served = systems.declaration(system).model_dump_json(include={"protocol", "reference"})
    command = sys.executable, "-P", "-m", "testbed.measure.reference_server", served
    return _Wanted(plan, title, _key(project, plan, java), command)


def _reached(
    project: Project,
    wanted: Sequence[_Wanted],
    java: Jdk,
    notice: Callable[[str], None],
    generator: Generator | None = None,
    *,
    anew: bool = False,
) -> dict[str, dict[str, Any]]:
    """Return what each server reached, by key; what is known is measured again only if `anew`."""
    stored = {} if anew else _read(project)
    reached: dict[str, dict[str, Any]] = {
        target.key: stored[target.key] for target in wanted if target.key in stored
    }
    unknown = [target for target in wanted if target.key not in reached]
    if not unknown:
        return reached
    with contextlib.ExitStack() as left:
        folder = left.enter_context(tempfile.TemporaryDirectory())
        if generator is None:
            command = load.generator_command(project, java)
            log = Path(folder) / "jmeter.log"
            generator = left.enter_context(Generator.started(command, log))
            unknown = [
                replace(target, warm_up_s=max(target.warm_up_s, GENERATOR_WARM_UP_S))
                for target in unknown
            ]
        for target in unknown:
            notice(target.title)
            best = _best(partial(_measured, project, target, generator, Path(folder)))
            reached[target.key] = best
            if not best["disturbed"]:
                files.write_json(project.state / FILE, {**_read(project), target.key: best})
    return reached


def best_rate(ends_ms: Sequence[int], window_s: int = BEST_OF_S) -> float:
    """Return the highest rate per second over `window_s` consecutive whole seconds.

    `ends_ms` holds the end of each operation in milliseconds. The first and the last second do not
    count, because they are not whole.
    """
    if not ends_ms:
        return 0.0
    first, last = min(ends_ms) // 1000, max(ends_ms) // 1000
    per_second = Counter(end // 1000 for end in ends_ms)
    whole = [per_second[second] for second in range(first + 1, last)]
    width = min(window_s, len(whole))
    if width == 0:
        return 0.0
    sums = [sum(whole[at : at + width]) for at in range(len(whole) - width + 1)]
    return max(sums) / width


def _answers(project: Project, plan: Path) -> list[str]:
    """Return the arguments of a bare server: the protocol and the answers of a plan's system."""
    system = systems.declaration(plan.stem.rpartition("-")[0])
    arguments: list[str] = [system.protocol]
    for answer in system.reference:
        echo = json.dumps(answer.echo, separators=(",", ":")) if answer.echo else ""
        file = str(project.root / answer.file) if answer.file else ""
        headers = [f"{name}: {text}" for name, text in answer.headers.items()]
        arguments.append("|".join([answer.request, str(answer.status.value), echo, file, *headers]))
    return arguments


def _best(measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Measure until others leave the processors free, `TRIES` times at most.

    Returns that measurement, otherwise the one with the highest rate.

    A ceiling that is too low would make good runs invalid.
    """
    results: list[dict[str, Any]] = []
    while len(results) < TRIES:
        results.append(measure())
        if not results[-1]["disturbed"]:
            return results[-1]
    return max(results, key=lambda result: float(result["operations_per_s"]))


def _measured(
    project: Project, wanted: _Wanted, generator: Generator, folder: Path
) -> dict[str, Any]:
    """Measure a plan on a server that prints its port and ends with its input."""
    plan = wanted.plan
    variant, _, workload = plan.stem.rpartition("-")
    server = subprocess.Popen(
        wanted.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line.strip().isdecimal():
            output = line.strip() or "no output"
            raise UserError(f"the server of {wanted.title} did not start: {output}")
        asked = load.load_for(
            project,
            variant,
            workload,
            threads=THREADS,
            duration=DURATION_S,
            ramp=0,
            ports=(int(line),),
        )
        samples = folder / f"{plan.stem}.csv"
        if wanted.warm_up_s:
            longer = {**asked.properties, "duration": str(wanted.warm_up_s)}
            generator.run(replace(asked, properties=longer), samples)
        # JMeter would append to those of the warm-up, or of a try before.
        samples.unlink(missing_ok=True)
        used, machine_before = _cpu_s(server.pid), _machine_cpu_s()
        outcome = generator.run(asked, samples)
        busy = (_cpu_s(server.pid) - used) / outcome.duration_s
        spent, idle = (
            now - before for now, before in zip(_machine_cpu_s(), machine_before, strict=True)
        )
        others = spent - outcome.cpu_s - busy * outcome.duration_s
        ends = [row.end_ms for row in SampleFile(samples, lambda label: label == workload).read()]
        failed = outcome.seen.failed
        if not ends or failed:
            raise UserError(
                f"the generator's ceiling with {plan.name} could not be measured: "
                + (load.why_nothing(samples, generator.log) if not ends else f"{failed} failures")
            )
        return {
            "plan": plan.name,
            "operations_per_s": round(best_rate(ends), 1),
            "operations": len(ends),
            "threads": THREADS,
            "generator_cores": round(outcome.cpu_s / outcome.duration_s, 2),
            "server_cores": round(busy, 2),
            "cpu_ms": round(1000 * busy * outcome.duration_s / len(ends), 4),
            "disturbed": bool(max(others, 0) > SPARE * (spent + idle) > idle),
        }
    finally:
        with programs.uninterrupted():
            server.kill()
            server.communicate()


def _machine_cpu_s() -> tuple[float, float]:
    """Return how long all processors were busy and idle, in seconds since the machine's start."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    return sum(times[:8]) - idle, idle


def _cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def _key(project: Project, plan: Path, java: Jdk, **further: Any) -> str:
    facts: Mapping[str, Any] = {
        "machine": machine.machine(),
        "cpus": machine.usable_cpus(),
        "jmeter": environment.jmeter_version(project),
        "java": java.version,
        "flags": load.generator_flags(),
        "plan": _digest(plan),
        "generator": _digest(project.jar(load.MODULE)),
        "answers": [
            [
                answer.model_dump(mode="json"),
                _digest(project.root / answer.file) if answer.file else None,
            ]
            for answer in systems.declaration(plan.stem.rpartition("-")[0]).reference
        ],
        "how": [THREADS, DURATION_S, BEST_OF_S],
        **further,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def _digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def _read(project: Project) -> dict[str, Any]:
    try:
        stored = json.loads((project.state / FILE).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return {}
    return stored if isinstance(stored, dict) else {}

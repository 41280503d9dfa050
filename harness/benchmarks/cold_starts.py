"""What the AOT caches are worth: the time to a start, and goodput in the two minutes after it.

Run from the project's folder, after ``./testbed build``, on a machine that does nothing else::

    .venv/bin/python harness/benchmarks/cold_starts.py --into cold.csv

Each variant is started from class archives, which the JVM's dynamic class data sharing writes after
a start without load, and from the AOT caches of the build, in turns. After each start 100 threads
ask for lists, in windows of 5 s one after another.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from testbed.deploy import aot_cache, jdk
from testbed.deploy.deployments import Choice, deployment
from testbed.deploy.services import Deployment, Service
from testbed.deploy.stack import Stack
from testbed.measure import load
from testbed.model import systems
from testbed.model.project import Project

KINDS = ("class archive", "AOT cache")
THREADS = 100
WINDOW_S = 5
WINDOWS = 24


def with_archives(trained: Deployment, folder: Path, option: str) -> Deployment:
    """Return a deployment that writes or reads class archives in place of its AOT caches."""

    def changed(service: Service) -> Service:
        if not any(part.startswith("-XX:AOTCache=") for part in service.command):
            return service
        kept = [part for part in service.command if not part.startswith("-XX:AOT")]
        *java, dash_jar, jar = kept
        archive = f"-XX:{option}={folder / service.name}.jsa"
        return replace(service, command=(*java, archive, dash_jar, jar))

    return aot_cache.with_each(trained, changed)


def windows(
    project: Project, started: Deployment, generator: load.Generator, samples: Path
) -> Iterator[float]:
    """Start a deployment, and give the seconds until it was ready, then its goodput by window."""
    stack = Stack(project, started, os.environ)
    stack.start()
    try:
        yield stack.record.start_s or 0.0
        limits = load.load_for(
            project,
            started.variant,
            "list",
            threads=THREADS,
            ramp=0,
            ports=started.front_ports,
            duration=WINDOW_S,
        )
        for _ in range(WINDOWS):
            samples.unlink(missing_ok=True)
            seen = generator.run(limits, samples).seen
            yield (seen.operations - seen.failed) / WINDOW_S
    finally:
        stack.stop(60)


def main() -> None:
    """Start everything in turns, write a row for each start, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, required=True, help="CSV file, a row for each start")
    parser.add_argument("--rounds", type=int, default=2, help="every other one in reverse order")
    arguments = parser.parse_args()
    project, java = Project.find(), jdk.for_services()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starts = {}
        for variant in systems.compared():
            trained = aot_cache.use(deployment(Choice(variant), project, java), project, java)
            archives = folder / variant
            archives.mkdir()
            writing = Stack(
                project, with_archives(trained, archives, "ArchiveClassesAtExit"), os.environ
            )
            writing.start()
            writing.stop(60)
            starts[variant, KINDS[0]] = with_archives(trained, archives, "SharedArchiveFile")
            starts[variant, KINDS[1]] = trained
        command = load.generator_command(project, jdk.for_jmeter())
        with load.Generator.started(command, folder / "generator.log") as generator:
            for number in range(arguments.rounds):
                for what in list(starts)[:: 1 if number % 2 == 0 else -1]:
                    ready, *rates = windows(project, starts[what], generator, folder / "s.csv")
                    told = {f"{WINDOW_S * place}s": rate for place, rate in enumerate(rates)}
                    rows.append(
                        {"variant": what[0], "from": what[1], "round": number, "ready_s": ready}
                        | told
                    )
                    print(f"{what[0]:6} {what[1]:14} ready in {ready:.1f} s, then", *rates)
                    pl.DataFrame(rows).write_csv(arguments.into)


if __name__ == "__main__":
    main()

"""How soon a variant is ready, what it does then, and its memory, by several ways to start.

Run from the project's folder, after ``./testbed build``, on a machine that does nothing else::

    .venv/bin/python harness/benchmarks/cold_starts.py --into cold.csv --caches \
        --flags young16="-Xmn16m" --before .testbed/before

`plain` starts from jars, with the preset's flags; all others are held against it. `caches` starts
from AOT caches, which are trained first. The folder `before` has the jars of an older build. After
each start 100 threads put a workload on, in windows of 5 s. The ratios have Welch's intervals.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl

from testbed.analysis.statistics.ratios import ratio_of_runs
from testbed.cli.preparing import described, startable
from testbed.deploy.building import jdk
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import ProcessMeter, Usage
from testbed.deploy.services import Deployment
from testbed.deploy.stack import Stack
from testbed.measure import load
from testbed.measure.warming import compilers_s
from testbed.model import systems
from testbed.model.project import Project

PLAIN, CACHES, BEFORE = "plain", "caches", "before"
THREADS = 100
WINDOW_S = 5
HALF_MINUTE = 30 // WINDOW_S

FIGURES = {
    "ready_s": "ready, s",
    "start_cpu_s": "CPU until then, s",
    "compilers_s": "of it compilers, s",
    "first_per_s": "operations per second, first 30 s",
    "warm_per_s": "operations per second, last 30 s",
    "warm_cpu_ms": "CPU of an operation then, ms",
    "pss_mb": "memory then (PSS), MB",
}


def measured(
    project: Project,
    started: Deployment,
    generator: load.Generator,
    samples: Path,
    workload: str,
    windows: int,
) -> dict[str, float]:
    """Start a deployment; return the figures of its start and the goodput of each window."""
    stack = Stack(project, started, os.environ)
    stack.start()
    try:
        running = {service.name: service.process for service in stack.record.running}
        meter = ProcessMeter(running)
        until_ready = _cpu_s(meter.read())
        compiled = compilers_s([process.pid for process in running.values()]) or 0.0
        limits = load.load_for(
            project,
            started.variant,
            workload,
            threads=THREADS,
            ramp=0,
            ports=started.front_ports,
            duration=WINDOW_S,
        )
        rates, used = [], [until_ready]
        for _ in range(windows):
            # JMeter would append to them.
            samples.unlink(missing_ok=True)
            seen = generator.run(limits, samples).seen
            rates.append((seen.operations - seen.failed) / WINDOW_S)
            used.append(_cpu_s(meter.read()))
        memory = meter.read(pss=True)
        warm = rates[-HALF_MINUTE:]
        return {
            "ready_s": stack.record.start_s or 0.0,
            "start_cpu_s": round(until_ready, 2),
            "compilers_s": round(compiled, 2),
            "first_per_s": round(mean(rates[:HALF_MINUTE]), 1),
            "warm_per_s": round(mean(warm), 1),
            "warm_cpu_ms": round(
                1000 * (used[-1] - used[-HALF_MINUTE - 1]) / sum(warm) / WINDOW_S, 4
            ),
            "pss_mb": round(sum(usage.pss_mb or 0.0 for usage in memory.values()), 1),
        } | {f"{WINDOW_S * place}s": rate for place, rate in enumerate(rates)}
    finally:
        stack.stop(60)


def _cpu_s(usages: Mapping[str, Usage]) -> float:
    return sum(usage.cpu_s for usage in usages.values())


def table(rows: pl.DataFrame) -> str:
    """Return a Markdown table: each figure of each variant, and the ratios of ways to `plain`."""
    ways = [way for way in rows["way"].unique(maintain_order=True) if way != PLAIN]
    lines = [
        f"| | {' | '.join([PLAIN, *(f'{way} ÷ {PLAIN}' for way in ways)])} |",
        "|---|---:|" + "---|" * len(ways),
    ]
    for variant, (figure, words) in itertools.product(
        rows["variant"].unique(maintain_order=True), FIGURES.items()
    ):
        of_variant = rows.filter(pl.col("variant") == variant)
        plain = of_variant.filter(pl.col("way") == PLAIN)[figure].to_list()
        cells = [f"{mean(plain):,.4g}"]
        for way in ways:
            side = of_variant.filter(pl.col("way") == way)[figure].to_list()
            compared = ratio_of_runs(side, plain)
            cells.append(f"{compared.estimate:.2f} [{compared.low:.2f}, {compared.high:.2f}]")
        lines.append(f"| `{variant}`: {words} | {' | '.join(cells)} |")
    return "\n".join(lines)


def ways(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the ways to start, each with the flags of its JVMs."""
    chosen = {PLAIN: True, CACHES: arguments.caches, BEFORE: arguments.before}
    of_flags = dict(given.split("=", 1) for given in arguments.flags)
    return {name: "" for name, wanted in chosen.items() if wanted} | of_flags


def main() -> None:
    """Start everything in turns, write a row for each start, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, required=True, help="CSV file, a row for each start")
    parser.add_argument("--caches", action="store_true", help="also from AOT caches")
    parser.add_argument("--before", help="folder of older jars, in the project")
    parser.add_argument("--flags", action="append", default=[], metavar="NAME=FLAGS")
    parser.add_argument("--variant", action="append", choices=systems.names())
    parser.add_argument("--workload", default="list")
    parser.add_argument("--rounds", type=int, default=3, help="every other one in reverse order")
    parser.add_argument("--windows", type=int, default=18, help="of 5 s, after each start")
    arguments = parser.parse_args()
    if arguments.windows < HALF_MINUTE:
        parser.error(f"--windows is {arguments.windows}: at least {HALF_MINUTE}, half a minute")
    project, starts = Project.find(), dict[tuple[str, str], Deployment]()
    for variant, (way, flags) in itertools.product(
        arguments.variant or systems.compared(), ways(arguments).items()
    ):
        settings = dict(systems.declaration(variant).measured)
        if flags:
            settings["JAVA_OPTS"] = flags
        jars = arguments.before if way == BEFORE else None
        choice = Choice(variant, settings=settings, jars=jars)
        deployment = described(project, choice, os.environ)
        starts[variant, way] = startable(
            project, choice, deployment, os.environ, caches=way == CACHES
        )
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = load.generator_command(project, jdk.for_jmeter())
        with load.Generator.started(command, folder / "generator.log") as generator:
            for number in range(arguments.rounds):
                for variant, way in list(starts)[:: 1 if number % 2 == 0 else -1]:
                    figures = measured(
                        project,
                        starts[variant, way],
                        generator,
                        folder / "samples.csv",
                        arguments.workload,
                        arguments.windows,
                    )
                    rows.append({"variant": variant, "way": way, "round": number} | figures)
                    print(f"{variant:6} {way:12} ready in {figures['ready_s']:.1f} s", flush=True)
                    pl.DataFrame(rows).write_csv(arguments.into)
    print(table(pl.DataFrame(rows)))


if __name__ == "__main__":
    main()

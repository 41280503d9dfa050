"""How soon each variant is ready, and its goodput in the two minutes after, by two builds in turns.

Run from the project's folder, after ``./testbed build``, on a machine that does nothing else::

    .venv/bin/python harness/benchmarks/cold_starts.py --before .testbed/before --into cold.csv

The folder has the jars of an older build. Both start from AOT caches, which are trained first.
After each start 100 threads ask for lists, in windows of 5 s. The ratios of the two builds have
Welch's intervals over starts.
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
from testbed.cli.preparing import trained
from testbed.deploy.building import jdk
from testbed.deploy.deployments import Choice
from testbed.deploy.meter import ProcessMeter
from testbed.deploy.services import Deployment
from testbed.deploy.stack import Stack
from testbed.measure import load
from testbed.model import systems
from testbed.model.project import Project

BEFORE, NOW = "before", "now"
THREADS = 100
WINDOW_S = 5
WINDOWS = 24
HALF_MINUTE = 30 // WINDOW_S

FIGURES = {
    "ready_s": "ready, s",
    "start_cpu_s": "CPU until then, s",
    "first_per_s": "lists per second, 0 to 30 s",
    "warm_per_s": "lists per second, 90 to 120 s",
    "first_share": "the first of these as a share of the last",
}


def measured(
    project: Project, started: Deployment, generator: load.Generator, samples: Path
) -> dict[str, float]:
    """Start a deployment; return the figures of its start and the goodput of each window."""
    stack = Stack(project, started, os.environ)
    stack.start()
    try:
        used = ProcessMeter(
            {service.name: service.process for service in stack.record.running}
        ).read()
        limits = load.load_for(
            project,
            started.variant,
            "list",
            threads=THREADS,
            ramp=0,
            ports=started.front_ports,
            duration=WINDOW_S,
        )
        rates = []
        for _ in range(WINDOWS):
            # JMeter would append to them.
            samples.unlink(missing_ok=True)
            seen = generator.run(limits, samples).seen
            rates.append((seen.operations - seen.failed) / WINDOW_S)
        first, warm = mean(rates[:HALF_MINUTE]), mean(rates[-HALF_MINUTE:])
        return {
            "ready_s": stack.record.start_s or 0.0,
            "start_cpu_s": round(sum(usage.cpu_s for usage in used.values()), 2),
            "first_per_s": round(first, 1),
            "warm_per_s": round(warm, 1),
            "first_share": round(first / warm, 3),
        } | {f"{WINDOW_S * place}s": rate for place, rate in enumerate(rates)}
    finally:
        stack.stop(60)


def table(rows: pl.DataFrame) -> str:
    """Return a Markdown table: each figure of each variant, both builds and their ratio."""
    lines = [f"| | {BEFORE} | {NOW} | {NOW} ÷ {BEFORE} |", "|---|---:|---:|---|"]
    for variant, (figure, words) in itertools.product(systems.compared(), FIGURES.items()):
        sides = [
            rows.filter(pl.col("variant") == variant, pl.col("build") == build)[figure].to_list()
            for build in (NOW, BEFORE)
        ]
        now, before = (f"{mean(side):.3g}" for side in sides)
        compared = ratio_of_runs(*sides)
        ratio = f"{compared.estimate:.2f} [{compared.low:.2f}, {compared.high:.2f}]"
        lines.append(f"| `{variant}`: {words} | {before} | {now} | {ratio} |")
    return "\n".join(lines)


def main() -> None:
    """Start everything in turns, write a row for each start, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True, help="folder of the older jars, in the project")
    parser.add_argument("--into", type=Path, required=True, help="CSV file, a row for each start")
    parser.add_argument("--rounds", type=int, default=3, help="every other one in reverse order")
    arguments = parser.parse_args()
    project, java = Project.find(), jdk.for_services()
    starts: Mapping[tuple[str, str], Deployment] = {
        (variant, build): trained(
            project,
            Choice(variant, settings=systems.declaration(variant).measured, jars=jars),
            java,
            os.environ,
        )
        for variant in systems.compared()
        for build, jars in ((BEFORE, arguments.before), (NOW, None))
    }
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = load.generator_command(project, jdk.for_jmeter())
        with load.Generator.started(command, folder / "generator.log") as generator:
            for number in range(arguments.rounds):
                for variant, build in list(starts)[:: 1 if number % 2 == 0 else -1]:
                    start = {"variant": variant, "build": build, "round": number}
                    figures = measured(
                        project, starts[variant, build], generator, folder / "samples.csv"
                    )
                    rows.append(start | figures)
                    print(f"{variant:6} {build:7} ready in {figures['ready_s']:.1f} s")
                    pl.DataFrame(rows).write_csv(arguments.into)
    print(table(pl.DataFrame(rows)))


if __name__ == "__main__":
    main()

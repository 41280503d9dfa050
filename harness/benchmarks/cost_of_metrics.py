"""What metrics cost services in CPU time: to be scraped, and to count into buckets.

Run from the project's folder, on a machine that does nothing else::

    .venv/bin/python harness/benchmarks/cost_of_metrics.py

Where every processor is busy, a share of CPU time that goes into watching is the same share of the
throughput that is missing. Scrapes are measured on services that have had load, so that their
series exist, and have none now: turns of scrapes alternate with turns of nothing, whose CPU time is
taken off. What a record takes more with buckets is measured alone (``CostOfCounting.java``); how
many there are of an operation is counted by the timers themselves.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from prometheus_client.parser import text_string_to_metric_families

from testbed import jdk, load, metrics, processes, services
from testbed.analysis.statistics.intervals import Interval, mean_interval
from testbed.meter import ProcessMeter
from testbed.project import Project
from testbed.samplefile import SampleFile
from testbed.stack import Stack
from testbed.variants import VARIANTS, Choice, deployment

SCRAPES = 100
"""In a turn."""

INTERVAL_S = 5
"""Between the scrapes of compose's Prometheus."""

THREADS = 50
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "with histograms": {},
    "without": {"TESTBED_HISTOGRAM_BUCKETS": ""},
}


BUCKETS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""As in ``service-support/src/main/resources/testbed-defaults.yml``."""


def counting(project: Project, rounds: int) -> Interval:
    """Return what recording a time takes more with buckets than without, in ns."""
    source = Path(__file__).with_name("CostOfCounting.java")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(project.jar("aggregator-service")) as jar:
            libraries = [name for name in jar.namelist() if name.endswith(".jar")]
            jar.extractall(folder, libraries)
        path = os.pathsep.join(str(Path(folder) / name) for name in libraries)
        command = [str(jdk.for_services().java), "-cp", path, str(source)]
        command += map(str, (rounds, *BUCKETS_MS))
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    each = [tuple(map(float, line.split())) for line in lines.splitlines()]
    return mean_interval([with_buckets - without for with_buckets, without in each])


def counted(endpoints: Mapping[str, int]) -> float:
    """Return how many times have been counted into buckets so far, by all services."""
    with services.client(metrics.TIMEOUT_S) as http:
        texts = metrics.ask(http, endpoints)
    return sum(
        sample.value
        for text in texts.values()
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.endswith("_bucket") and sample.labels["le"] == "+Inf"
    )


def warm(project: Project, stack: Stack, variant: str, seconds: int) -> dict[str, float]:
    """Put each workload on a variant; return how many times an operation of it counts."""
    found = {}
    for workload in ("list", "reserve"):
        with tempfile.TemporaryDirectory() as folder:
            port = stack.deployment.front_port
            limits = load.load_for(
                project, variant, workload, threads=THREADS, ramp=1, port=port, duration=seconds
            )
            samples, log = Path(folder) / "samples.csv", Path(folder) / "jmeter.log"
            generator = load.jmeter_command(project, jdk.for_jmeter())
            before = counted(stack.endpoints())
            load.run(generator, limits, samples, log, processes.alone)
            after = counted(stack.endpoints())
            operations = sum(1 for _ in SampleFile(samples, workload.__eq__).read())
        if not operations:
            raise SystemExit(f"{variant}: no operation in {seconds} s")
        found[workload] = (after - before) / operations
    return found


def used_s(meter: ProcessMeter, endpoints: Mapping[str, int]) -> dict[str, float]:
    """Return the CPU seconds of each service since its start."""
    return {name: one.cpu_s for name, one in meter.read().items() if name in endpoints}


def turns(stack: Stack, rounds: int) -> tuple[dict[str, Interval], dict[str, float]]:
    """Return each service's CPU time for one scrape, ms, and the size of the answer, kB."""
    endpoints = stack.endpoints()
    meter = ProcessMeter({one.name: one.process for one in stack.record.running})
    spent: dict[str, list[float]] = {name: [] for name in endpoints}
    with services.client(metrics.TIMEOUT_S) as http:
        metrics.ask(http, endpoints)
        for _ in range(rounds):
            before, began = used_s(meter, endpoints), time.monotonic()
            for _ in range(SCRAPES):
                texts = metrics.ask(http, endpoints)
            after, took = used_s(meter, endpoints), time.monotonic() - began
            time.sleep(took)
            idle = used_s(meter, endpoints)
            for name in endpoints:
                scraping = (after[name] - before[name]) - (idle[name] - after[name])
                spent[name].append(1000 * scraping / SCRAPES)
    sizes = {name: len(text) / 1000 for name, text in texts.items()}
    return {name: mean_interval(one) for name, one in spent.items()}, sizes


def main() -> None:
    """Measure and print a table, and what it comes to at Prometheus's interval."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10, help="turns of each kind (%(default)s)")
    parser.add_argument("--warm", type=int, default=30, help="s of each workload (%(default)s)")
    given = parser.parse_args()
    project, cores = Project.find(), len(os.sched_getaffinity(0))
    more = counting(project, given.rounds)
    reach = (more.high - more.low) / 2
    print(f"a time counted into buckets: {more.estimate:.0f} ns ± {reach:.0f} more than without")
    for variant in VARIANTS:
        for words, settings in SETTINGS.items():
            choice = Choice(variant, settings=settings)
            stack = Stack(project, deployment(choice, project, jdk.for_services()), os.environ)
            stack.start()
            try:
                times = warm(project, stack, variant, given.warm)
                costs, sizes = turns(stack, given.rounds)
            finally:
                stack.stop()
            print(f"{variant}, {words}")
            for workload, number in times.items():
                print(f"  {workload}: {number:.1f} times into buckets an operation")
            for name, cost in costs.items():
                reach = (cost.high - cost.low) / 2
                print(f"  {name:28} {cost.estimate:6.2f} ms ± {reach:4.2f}   {sizes[name]:5.0f} kB")
            # Errors of services are independent.
            total = sum(cost.estimate for cost in costs.values())
            reach = float(np.hypot.reduce([(one.high - one.low) / 2 for one in costs.values()]))
            share = 100 / 1000 / INTERVAL_S / cores
            print(
                f"  all: {total:.1f} ms ± {reach:.1f}, every {INTERVAL_S} s on {cores} cores ",
                end="",
            )
            print(f"{total * share:.2f} % ± {reach * share:.2f} of the CPU time", flush=True)


if __name__ == "__main__":
    main()

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

import httpx
from prometheus_client.parser import text_string_to_metric_families

from testbed import jdk, load, metrics, services
from testbed.analysis.statistics.intervals import Interval, mean_interval
from testbed.errors import UserError
from testbed.meter import Meter
from testbed.project import Project
from testbed.samplefile import SampleFile
from testbed.stack import Stack
from testbed.variants import VARIANTS, Choice, deployment

FIRST = 60
"""Scrapes that are told apart: the code that answers them is still being compiled."""

SCRAPES = 100
"""In a turn, after them."""

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
            command = load.generator_command(project, jdk.for_jmeter())
            before = counted(stack.endpoints())
            with load.Generator.started(command, log) as generator:
                generator.run(limits, samples)
            after = counted(stack.endpoints())
            operations = sum(1 for _ in SampleFile(samples, workload.__eq__).read())
        if not operations:
            raise SystemExit(f"{variant}: no operation in {seconds} s")
        found[workload] = (after - before) / operations
    return found


def used_s(meter: Meter, endpoints: Mapping[str, int]) -> dict[str, float]:
    """Return the CPU seconds of each service since its start."""
    return {name: one.cpu_s for name, one in meter.read().items() if name in endpoints}


def turn(
    http: httpx.Client, meter: Meter, endpoints: Mapping[str, int], scrapes: int
) -> dict[str, float]:
    """Return each service's CPU time for one scrape, ms."""
    before, began = used_s(meter, endpoints), time.monotonic()
    for _ in range(scrapes):
        metrics.ask(http, endpoints)
    after, took = used_s(meter, endpoints), time.monotonic() - began
    time.sleep(took)
    idle = used_s(meter, endpoints)
    return {
        name: 1000 * (after[name] - before[name] - (idle[name] - after[name])) / scrapes
        for name in endpoints
    }


def told(cost: Interval, share: float = 1.0) -> str:
    """Return an interval that is as wide to both sides in words, times a share."""
    reach = (cost.high - cost.low) / 2
    return f"{cost.estimate * share:.2f} ± {reach * share:.2f}"


def main() -> None:
    """Measure and print a table, and what it comes to at Prometheus's interval."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10, help="turns of each kind (%(default)s)")
    parser.add_argument("--warm", type=int, default=30, help="s of each workload (%(default)s)")
    given = parser.parse_args()
    project, cores = Project.find(), len(os.sched_getaffinity(0))
    share = 100 / 1000 / INTERVAL_S / cores
    print(f"a time counted into buckets: {told(counting(project, given.rounds))} ns more")
    for variant in VARIANTS:
        for words, settings in SETTINGS.items():
            choice = Choice(variant, settings=settings)
            stack = Stack(project, deployment(choice, project, jdk.for_services()), os.environ)
            stack.start()
            try:
                times = warm(project, stack, variant, given.warm)
                endpoints = stack.endpoints()
                meter = stack.meter()
                with services.client(metrics.TIMEOUT_S) as http:
                    sizes = {name: len(text) for name, text in metrics.ask(http, endpoints).items()}
                    first = turn(http, meter, endpoints, FIRST)
                    turns = [turn(http, meter, endpoints, SCRAPES) for _ in range(given.rounds)]
            finally:
                stack.stop()
            print(f"{variant}, {words}")
            for workload, number in times.items():
                print(f"  {workload}: {number:.1f} times into buckets an operation")
            for name, size in sizes.items():
                cost = mean_interval([one[name] for one in turns])
                print(f"  {name:28} {size / 1000:4.0f} kB   {told(cost)} ms")
            total = mean_interval([sum(one.values()) for one in turns])
            print(f"  all: {told(total)} ms, at first {sum(first.values()):.0f} ms")
            print(
                f"  every {INTERVAL_S} s on {cores} cores: {told(total, share)} % of the CPU time,"
                f" at first {sum(first.values()) * share:.2f} %",
                flush=True,
            )


if __name__ == "__main__":
    try:
        main()
    except UserError as why:
        raise SystemExit(str(why)) from None

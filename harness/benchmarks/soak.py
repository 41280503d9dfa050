"""What half an hour of mixed load does to a system: memory, threads and connections over time.

Run from the project's folder, after ``./testbed build``, on a machine that does nothing else::

    .venv/bin/python harness/benchmarks/soak.py sync async --into soak

Every workload has its own JMeter, all at once. After a warm-up a closed loop shows the capacity.
Then operations arrive at 70 % of it, as a Poisson process. Full collections show what is live in
the services' heaps: resident memory rises until garbage has filled a heap once. At the end the
stored reservations are counted.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import psutil
from prometheus_client.parser import text_string_to_metric_families
from pymongo import MongoClient
from scipy import stats

from testbed.cli.preparing import prepare
from testbed.deploy import database, services
from testbed.deploy.building import jdk
from testbed.deploy.deployments import Choice
from testbed.deploy.stack import Stack
from testbed.measure import load, metrics
from testbed.measure.scraping import repeating
from testbed.model import systems
from testbed.model.project import Project

THREADS = {"list": 30, "reserve": 10}
"""Users of each workload in the closed loops: lists are most of the work, as in a shop."""

WARM_S, CAPACITY_S, LEFT_OUT_S, EVERY_S = 150, 60, 300, 10
LOOKS_PER_COLLECTION = 12
SHARE = 0.7
IN_FLIGHT = 200
"""Users of each workload in the open loops. JMeter's take turns, so each has a connection: all
together no more than the front door keeps open.
"""
MOST_STORED = 2_000_000
"""The embedded MongoDB gets memory for so many reservations."""
FIGURES = ("rss_mb", "live_heap_mb", "threads", "connections")


@dataclass(frozen=True)
class Trend:
    """A straight line through a figure's minutes: its change per hour, with 95 % confidence."""

    per_hour: float
    low: float
    high: float


def trend(seconds: Sequence[float], values: Sequence[float]) -> Trend:
    """Fit a line to means of equal intervals.

    Neighbouring minutes resemble each other: the degrees of freedom are those of as many
    independent values as the residuals' lag-1 autocorrelation leaves (Santer et al. 2000).
    """
    fit = stats.linregress(seconds, values)
    residuals = np.asarray(values) - fit.intercept - fit.slope * np.asarray(seconds)
    spread = float(residuals @ residuals)
    if not spread:
        return Trend(*[3600 * fit.slope] * 3)
    alike = max(0.0, float(residuals[:-1] @ residuals[1:]) / spread)
    count = len(values)
    independent = max(3.0, count * (1 - alike) / (1 + alike))
    error = fit.stderr * np.sqrt((count - 2) / (independent - 2))
    width = stats.t.ppf(0.975, independent - 2) * error
    return Trend(*(3600 * slope for slope in (fit.slope, fit.slope - width, fit.slope + width)))


class Mixed:
    """A running system with a JMeter for each workload."""

    def __init__(
        self, project: Project, stack: Stack, generators: Mapping[str, load.Generator], folder: Path
    ) -> None:
        self._project, self._stack = project, stack
        self._generators, self._folder = generators, folder

    def run(self, seconds: int, rates: Mapping[str, float] | None = None) -> dict[str, load.Seen]:
        """Put all workloads on the system at once; at given rates, or as fast as users can."""

        def loaded(workload: str) -> load.Seen:
            samples = self._folder / f"{workload}.csv"
            samples.unlink(missing_ok=True)
            arrivals = None
            if rates is not None:
                arrivals = self._folder / f"{workload}.arrivals"
                drawn = np.random.default_rng().exponential(
                    1000 / rates[workload], int(1.1 * rates[workload] * seconds) + 100
                )
                times = np.cumsum(drawn).astype(np.int64)
                np.savetxt(arrivals, times[times < 1000 * seconds], fmt="%d")
            asked = load.load_for(
                self._project,
                self._stack.deployment.variant,
                workload,
                threads=THREADS[workload] if rates is None else IN_FLIGHT,
                ramp=0,
                ports=self._stack.deployment.front_ports,
                duration=None if rates else seconds,
                arrivals=arrivals,
            )
            return self._generators[workload].run(asked, samples).seen

        with ThreadPoolExecutor(len(self._generators)) as pool:
            return dict(zip(self._generators, pool.map(loaded, self._generators), strict=True))


def looked(
    stack: Stack, age_s: float, live_heaps_mb: Mapping[str, float | None]
) -> Iterable[dict[str, object]]:
    """Return what each process has now."""
    for running in stack.record.running:
        process = psutil.Process(running.process.pid)
        open_now = [link for link in process.net_connections("tcp") if link.status == "ESTABLISHED"]
        yield {
            "system": stack.deployment.variant,
            "service": running.name,
            "age_s": round(age_s, 1),
            "rss_mb": process.memory_info().rss / 1e6,
            "live_heap_mb": live_heaps_mb.get(running.name),
            "threads": process.num_threads(),
            "connections": len(open_now),
        }


def collected(stack: Stack, java: jdk.Jdk) -> dict[str, float | None]:
    """Make a full collection in each service; return what is left of its heap, in MB."""
    endpoints = stack.endpoints()
    for running in stack.record.running:
        if running.name in endpoints:
            java.command(running.process.pid, "GC.run")
    with services.client(metrics.TIMEOUT_S) as http:
        return {name: live_mb(text) for name, text in metrics.ask(http, endpoints).items()}


def live_mb(text: str) -> float | None:
    """Return what the last full collection has left of a JVM's heap, in MB."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == "jvm_gc_live_data_size_bytes":
                return sample.value / 1e6
    return None


def failures(samples: Path) -> pl.DataFrame:
    """Return the failed exchanges of a result file; `age_s` is from its first one on."""
    since_first = pl.col("timeStamp") - pl.col("timeStamp").min()
    return (
        pl.scan_csv(samples, infer_schema=False)
        .with_columns(pl.col("timeStamp", "elapsed").cast(pl.Int64))
        .with_columns(age_s=since_first / 1000)
        .filter(pl.col("success") != "true")
        .select("age_s", "label", "elapsed", "responseCode", "failureMessage")
        .collect()
    )


def soak(
    project: Project, variant: str, seconds: int, folder: Path
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Load a system; print what it did.

    Returns its processes' figures over time, and the exchanges that failed.
    """
    java, chosen = jdk.for_services(), Choice(variant, stored=MOST_STORED)
    deployment = prepare(project, chosen, os.environ, build_first=False)
    reset = systems.declaration(variant).reset
    assert reset is not None and deployment.mongodb_uri is not None
    rows: list[dict[str, object]] = []
    with ExitStack() as ends:
        stack = Stack(project, deployment, os.environ)
        stack.start()
        ends.callback(stack.stop, 60)
        command = load.generator_command(project, jdk.for_jmeter())
        generators = {
            workload: ends.enter_context(
                load.Generator.started(command, folder / f"{workload}.log")
            )
            for workload in THREADS
        }
        mixed = Mixed(project, stack, generators, folder)
        mixed.run(WARM_S)
        at_most = {
            name: (seen.operations - seen.failed) / seen.span_s
            for name, seen in mixed.run(CAPACITY_S).items()
        }
        rates = {name: SHARE * rate for name, rate in at_most.items()}
        database.empty(deployment.mongodb_uri, reset.databases, reset.collections)
        began = time.monotonic()
        looks = itertools.count()

        def look() -> None:
            heaps = collected(stack, java) if next(looks) % LOOKS_PER_COLLECTION == 0 else {}
            rows.extend(looked(stack, time.monotonic() - began, heaps))

        with repeating(look, EVERY_S, "looking", 30):
            seen = mixed.run(seconds, rates)
        client = ends.enter_context(MongoClient(deployment.mongodb_uri))
        stored = sum(
            client[name]["reservations"].count_documents({})
            for name in client.list_database_names()
            if name.startswith(reset.databases)
        )
    for name, total in seen.items():
        print(
            f"{variant} {name}: capacity {at_most[name]:.0f}/s, {total.operations:,} operations at "
            f"{rates[name]:.0f}/s, {total.failed} failed, {total.late} late"
        )
    made = seen["reserve"].operations - seen["reserve"].failed
    print(f"{variant}: {made:,} reservations made, {stored:,} stored")
    failed = pl.concat(failures(folder / f"{name}.csv") for name in THREADS)
    return (
        pl.DataFrame(rows, infer_schema_length=None),
        failed.select(pl.lit(variant).alias("system"), pl.all()),
    )


def trends_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the trend of each figure of each service."""
    minutes = (
        rows.filter(pl.col("age_s") >= LEFT_OUT_S)
        .with_columns(minute=(pl.col("age_s") // 60) * 60)
        .group_by("system", "service", "minute", maintain_order=True)
        .agg(pl.col(*FIGURES).mean())
        # Not whole: the last look comes when the load has ended.
        .filter(pl.col("minute") < pl.col("minute").max().over("system"))
    )
    trends = []
    for (system, service), own in minutes.group_by("system", "service", maintain_order=True):
        for figure in FIGURES:
            sampled = own.select("minute", figure).drop_nulls()
            if sampled.height < 4:
                continue
            values = sampled[figure].to_list()
            line = trend(sampled["minute"].to_list(), values)
            trends.append(
                {"system": system, "service": service, "figure": figure}
                | {"first": values[0], "last": values[-1]}
                | {"per_hour": line.per_hour, "low": line.low, "high": line.high}
            )
    return pl.DataFrame(trends)


def main() -> None:
    """Load one system after the other; write and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", nargs="+", choices=systems.names())
    parser.add_argument("--into", type=Path, required=True, help="folder of the CSV files")
    parser.add_argument("--minutes", type=float, default=30)
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    project = Project.find()
    every = []
    for variant in arguments.system:
        with tempfile.TemporaryDirectory() as name:
            every.append(soak(project, variant, int(60 * arguments.minutes), Path(name)))
        rows, failed = (pl.concat(frames) for frames in zip(*every, strict=True))
        rows.write_csv(arguments.into / "soak.csv", float_precision=1)
        failed.write_csv(arguments.into / "failures.csv", float_precision=3)
        trends = trends_of(rows)
        trends.write_csv(arguments.into / "trends.csv", float_precision=2)
        with pl.Config(tbl_rows=-1, tbl_cols=-1, fmt_str_lengths=40, tbl_width_chars=120):
            print(trends)


if __name__ == "__main__":
    main()

"""What watching takes from the throughput: scraped and with histograms, against neither.

Run from the project's folder, on a machine of two cores or more that does nothing else::

    .venv/bin/python harness/benchmarks/cost_of_watching.py --into watching.csv

A variant is started twice, on ports of its own each: one start has histograms and is scraped, the
other has neither. Both have load at the same time, each on a core of its own, its generator and its
scraper included, and change places every two seconds. What the machine does meanwhile is then the
same for both (as in a duet: Bulej et al., ICPE 2020), and neither can take time from the other.
What differs between two starts of the same code is not the same, so that starts are what the
interval counts. They differ least where code is soon compiled for good:
``JAVA_OPTS=-XX:TieredStopAtLevel=1``.

Stopped and begun again with the same file, it goes on after the starts that are in it.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import psutil

from testbed import jdk, load, processes
from testbed.analysis.statistics.intervals import factor_interval
from testbed.errors import UserError
from testbed.meter import cpu_between
from testbed.project import Project
from testbed.samplefile import SampleFile
from testbed.scraping import Scraper
from testbed.stack import Stack
from testbed.variants import VARIANTS, Choice, deployment

WORKLOAD = "list"
THREADS = 25
INTERVAL_S = 10
"""Between scrapes: twice as long as compose's Prometheus waits, as a side has half of a machine of
two cores. The share of the processors is then the same."""

SWAP_S = 2
WINDOW_S = 2 * INTERVAL_S
"""Of a whole number of intervals, or windows would differ in scrapes, and of an even number of
places."""

PORT_OFFSETS = (0, 10_000)
QUANTITIES = {"rate": "throughput", "cpu_ms": "CPU time of an operation"}

SCHEMA = {
    "variant": pl.String,
    "start": pl.Int64,
    "window": pl.Int64,
    "watched": pl.Boolean,
    "rate": pl.Float64,
    "cpu_ms": pl.Float64,
    "failed": pl.Int64,
}


@dataclass(frozen=True)
class Side:
    """One of the two starts that are compared."""

    project: Project
    watched: bool
    stack: Stack

    @contextlib.contextmanager
    def loaded(self, samples: Path, seconds: int) -> Iterator[int]:
        """Put load on it from a process of its own, whose number this gives."""
        endpoints = self.stack.endpoints() if self.watched else {}
        system = self.stack.deployment
        client = multiprocessing.get_context("spawn").Process(
            target=put_load,
            args=(self.project, system.variant, system.front_port, endpoints, samples, seconds),
        )
        client.start()
        try:
            assert client.pid is not None
            yield client.pid
        except BaseException:
            client.terminate()
            raise
        finally:
            client.join()

    def move(self, client: int, core: int) -> None:
        """Let its services, and all that its client has started, run on one core only."""
        clients = [client, *(one.pid for one in psutil.Process(client).children(recursive=True))]
        for pid in (*(one.process.pid for one in self.stack.record.running), *clients):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(ProcessLookupError):
                    os.sched_setaffinity(int(thread.name), {core})


def put_load(
    project: Project,
    variant: str,
    port: int,
    endpoints: Mapping[str, int],
    samples: Path,
    seconds: int,
) -> None:
    """Put load on a front door for some seconds, and meanwhile scrape the services."""
    processes.end_on_signals()
    plan = load.load_for(
        project, variant, WORKLOAD, threads=THREADS, ramp=1, port=port, duration=seconds
    )
    command = load.generator_command(project, jdk.for_jmeter())
    with contextlib.suppress(processes.Interrupted), contextlib.ExitStack() as beside:
        if endpoints:
            beside.enter_context(Scraper(INTERVAL_S, endpoints).during())
        generator = beside.enter_context(
            load.Generator.started(command, samples.with_suffix(".log"))
        )
        generator.run(plan, samples)


@contextlib.contextmanager
def sides(project: Project, variant: str, first: bool) -> Iterator[tuple[Side, Side]]:
    """Start both sides; which is first, and so has the lower ports, changes from start to start."""
    with contextlib.ExitStack() as started:
        both = []
        for watched, offset in zip((first, not first), PORT_OFFSETS, strict=True):
            state = started.enter_context(tempfile.TemporaryDirectory())
            place = Project(project.root, Path(state))
            settings = {} if watched else {"TESTBED_HISTOGRAM_BUCKETS": ""}
            choice = Choice(variant, settings=settings, port_offset=offset)
            stack = Stack(place, deployment(choice, place, jdk.for_services()), os.environ)
            stack.start()
            started.callback(stack.stop)
            both.append(Side(place, watched, stack))
        yield both[0], both[1]


def compare(
    project: Project, variant: str, start: int, windows: int, warm: int
) -> Iterator[dict[str, object]]:
    """Start a variant twice and yield what both did in each window."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    seconds = warm + windows * WINDOW_S
    spans: list[tuple[float, float]] = []
    spent: list[list[float]] = []
    with sides(project, variant, first=start % 2 == 0) as both, tempfile.TemporaryDirectory() as to:
        samples = [Path(to) / f"{one.watched}.csv" for one in both]
        meters = [one.stack.meter() for one in both]
        with both[0].loaded(samples[0], seconds) as a, both[1].loaded(samples[1], seconds) as b:
            time.sleep(warm)
            for _ in range(windows):
                began_ms, clock = 1000 * time.time(), time.monotonic()
                before = [one.read() for one in meters]
                for turn in range(1, WINDOW_S // SWAP_S + 1):
                    both[0].move(a, cores[turn % 2])
                    both[1].move(b, cores[1 - turn % 2])
                    time.sleep(max(0.0, clock + turn * SWAP_S - time.monotonic()))
                spans.append((began_ms, began_ms + 1000 * (time.monotonic() - clock)))
                after = [one.read() for one in meters]
                pairs = zip(before, after, strict=True)
                spent.append([sum(cpu_between(*one).values()) for one in pairs])
        rows = [list(SampleFile(one, WORKLOAD.__eq__).read()) for one in samples]
    for window, (began_ms, ended_ms) in enumerate(spans):
        for index, one in enumerate(both):
            done = [row for row in rows[index] if began_ms <= row.end_ms < ended_ms]
            if not done:
                raise SystemExit(f"{variant}: no operation ended in window {window}")
            yield {
                "variant": variant,
                "start": start,
                "window": window,
                "watched": one.watched,
                "rate": round(1000 * len(done) / (ended_ms - began_ms), 1),
                "cpu_ms": round(1000 * spent[window][index] / len(done), 3),
                "failed": sum(not row.success for row in done),
            }


def factors(seen: pl.DataFrame, quantity: str) -> list[float]:
    """Return the watched side's quantity over the other's, one geometric mean for each start."""
    logs = (
        seen.with_columns(side=pl.when("watched").then(pl.lit("on")).otherwise(pl.lit("off")))
        .pivot("side", index=["start", "window"], values=quantity)
        .with_columns(factor=(pl.col("on") / pl.col("off")).log())
        .group_by("start")
        .agg(pl.col("factor").mean())
        .sort("start")
    )
    return [math.exp(one) for one in logs["factor"]]


def tell(seen: pl.DataFrame) -> None:
    """Print what each variant's starts come to, and all together."""
    found = {str(variant): own for (variant,), own in seen.group_by("variant", maintain_order=True)}
    for variant, own in found.items():
        print(f"{variant}: {own['start'].n_unique()} starts, {own['failed'].sum()} failed")
        for quantity, words in QUANTITIES.items():
            print(f"  {words:25} {changes(factors(own, quantity))}")
    if len(found) > 1:
        print("all starts")
        for quantity, words in QUANTITIES.items():
            each = [one for own in found.values() for one in factors(own, quantity)]
            print(f"  {words:25} {changes(each)}")


def changes(each: list[float]) -> str:
    """Return what factors of starts come to, in percent: with its interval, and each."""
    told = "of the starts: " + " ".join(f"{100 * (one - 1):+.1f}" for one in each)
    if len(each) < 2:
        return told
    found = factor_interval(each)
    low, high = 100 * (found.low - 1), 100 * (found.high - 1)
    return f"{100 * (found.estimate - 1):+.1f} % [{low:+.1f}, {high:+.1f}], {told}"


def main() -> None:
    """Measure what is not in the file yet, and print what all of it comes to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, required=True, help="CSV file of all windows")
    parser.add_argument("--starts", type=int, default=8, help="of each variant (%(default)s)")
    parser.add_argument("--windows", type=int, default=8, help="of 20 s, of a start (%(default)s)")
    parser.add_argument("--warm", type=int, default=90, help="s of load before (%(default)s)")
    given = parser.parse_args()
    if len(os.sched_getaffinity(0)) < 2:
        parser.error("each side needs a core of its own, and this machine has one")
    project, into = Project.find(), given.into
    seen = pl.read_csv(into, schema=SCHEMA) if into.exists() else pl.DataFrame(schema=SCHEMA)
    processes.end_on_signals()
    try:
        for start in range(given.starts):
            for variant in VARIANTS:
                if seen.filter(variant=variant, start=start).height:
                    continue
                rows = list(compare(project, variant, start, given.windows, given.warm))
                seen = seen.vstack(pl.DataFrame(rows, schema=SCHEMA))
                seen.write_csv(into)
                print(
                    f"start {start + 1} of {given.starts}, {variant}", file=sys.stderr, flush=True
                )
    except processes.Interrupted:
        print("Stopped; the same command goes on.", file=sys.stderr)
    except UserError as why:
        raise SystemExit(f"{why}; the same command goes on") from None
    tell(seen)


if __name__ == "__main__":
    main()

"""Our reading and summarising of a large result file against ``jmeter -g`` and polars alone.

Run from the project's folder, on a machine that does nothing else::

    .venv/bin/python harness/benchmarks/read_and_summarise.py --rounds 5

Each starts as a process of its own and ends with its result on disk; the time is that of the whole
process, its start included. They take turns, in an order that changes from round to round.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

PROJECT = Path(__file__).resolve().parents[2]
EPOCH_MS = 1_760_000_000_000

OURS = """
import sys
from pathlib import Path
from testbed.analysis.samples import load
from testbed.analysis.summary import tabulate
Path(sys.argv[2]).mkdir()
tabulate(load(Path(sys.argv[1]))).write_csv(Path(sys.argv[2]) / "summary.csv")
"""

POLARS = """
import sys
from pathlib import Path
import polars as pl
elapsed = pl.col("elapsed")
Path(sys.argv[2]).mkdir()
pl.read_csv(sys.argv[1]).group_by("label", "success").agg(
    pl.len(), elapsed.mean(), *(elapsed.quantile(at).alias(f"p{at}") for at in (0.5, 0.95, 0.99))
).write_csv(Path(sys.argv[2]) / "summary.csv")
"""
"""The least that a summary by label needs."""


@dataclass(frozen=True)
class Timed:
    """One process: its wall time, its CPU time and its peak of resident memory."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def write_results(folder: Path, operations: int, threads: int = 100, seed: int = 1) -> Path:
    """Write a results directory with one asynchronous run and return its sample file.

    An operation is three rows, as the plans write them: request, fetch, and the operation itself.
    """
    rng = np.random.default_rng(seed)
    each = operations // threads
    request = np.maximum(1, rng.lognormal(np.log(6), 0.5, (threads, each))).astype(np.int64)
    fetch = np.maximum(1, rng.lognormal(np.log(20), 0.6, (threads, each))).astype(np.int64)
    start = EPOCH_MS + np.cumsum(request + fetch, axis=1) - request - fetch
    failed = rng.random((threads, each)) < 0.02
    thread = np.repeat(np.arange(1, threads + 1), each)
    base = {"thread": thread, "turn": np.arange(thread.size)}
    url = "http://localhost:8099/api/movie/list"
    parts = [
        ("list request", 0, start, request, "202", "202", False),
        ("list fetch", 1, start + request, fetch, "200", "504", True),
        ("list", 2, start, request + fetch, "200", "", True),
    ]
    rows = pl.concat(
        pl.DataFrame(
            {
                **base,
                "place": np.full(thread.size, place),
                "timeStamp": begin.ravel(),
                "elapsed": elapsed.ravel(),
                "failed": failed.ravel() & can_fail,
            }
        ).with_columns(
            pl.lit(label).alias("label"),
            pl.when("failed").then(pl.lit(bad)).otherwise(pl.lit(good)).alias("responseCode"),
            pl.lit(url if label != "list" else "null").alias("URL"),
        )
        for label, place, begin, elapsed, good, bad, can_fail in parts
    )
    rows = rows.sort(pl.col("timeStamp") + pl.col("elapsed"), "turn", "place").select(
        "timeStamp",
        "elapsed",
        "label",
        "responseCode",
        pl.lit("").alias("responseMessage"),
        pl.format("users 1-{}", "thread").alias("threadName"),
        pl.lit("text").alias("dataType"),
        (~pl.col("failed")).alias("success"),
        pl.lit("").alias("failureMessage"),
        pl.lit(1197).alias("bytes"),
        pl.lit(130).alias("sentBytes"),
        pl.lit(threads).alias("grpThreads"),
        pl.lit(threads).alias("allThreads"),
        "URL",
        pl.col("elapsed").alias("Latency"),
        pl.lit(0).alias("IdleTime"),
        pl.lit(0).alias("Connect"),
    )
    run = folder / "runs" / "async-list-100-1"
    run.mkdir(parents=True)
    rows.write_csv(run / "samples.csv")
    record = {
        "variant": "async",
        "preset": "tuned",
        "workload": "list",
        "threads": threads,
        "repetition": 1,
        "backends": "embedded",
        "loops": each,
    }
    (run / "run.json").write_text(json.dumps(record))
    return run / "samples.csv"


def timed(command: list[str], log: Path) -> Timed:
    """Run a command to its end.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    with log.open("wb") as out:
        began = time.monotonic()
        # JMeter writes a folder temp where it is started.
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=log.parent)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - began
    if status:
        raise RuntimeError(f"{command[0]} failed:\n{log.read_text(errors='replace')[-2000:]}")
    return Timed(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def main() -> None:
    """Write the file, let both read it in turns, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operations", type=int, default=550_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--jmeter", type=Path, default=PROJECT / ".testbed" / "jmeter", help="its folder"
    )
    parser.add_argument("--java", default="java", help="that JMeter runs on")
    parser.add_argument("--heap", default="1g", help="JMeter's heap; its own script gives it 1g")
    arguments = parser.parse_args()
    times: dict[str, list[Timed]] = {"testbed": [], "polars alone": []}
    if arguments.jmeter.is_dir():
        times["jmeter -g"] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = write_results(folder / "results", arguments.operations)
        size_mb = samples.stat().st_size / 1e6
        print(
            f"{2 * arguments.operations:,} samples and {arguments.operations:,} rows of "
            f"operations, {size_mb:.0f} MB; {os.cpu_count()} cores",
            flush=True,
        )
        for number in range(arguments.rounds):
            order = list(times) if number % 2 == 0 else list(times)[::-1]
            for who in order:
                out = folder / f"out-{number}"
                shutil.rmtree(out, ignore_errors=True)
                if who == "testbed":
                    command = [sys.executable, "-c", OURS, str(samples.parents[2]), str(out)]
                elif who == "polars alone":
                    command = [sys.executable, "-c", POLARS, str(samples), str(out)]
                else:
                    log = str(folder / "jmeter.log")
                    jar = str(arguments.jmeter / "bin" / "ApacheJMeter.jar")
                    command = [arguments.java, f"-Xmx{arguments.heap}", "-jar", jar]
                    command += ["-g", str(samples), "-o", str(out), "-j", log]
                times[who].append(timed(command, folder / "out.log"))
                print(f"round {number + 1}: {who:12} {times[who][-1].wall_s:7.2f} s", flush=True)
    print("\n| | median | fastest | slowest | CPU, median | peak memory |")
    print("|---|---:|---:|---:|---:|---:|")
    for who, rounds in times.items():
        walls = [figures.wall_s for figures in rounds]
        print(
            f"| {who} | {statistics.median(walls):.2f} s | {min(walls):.2f} s | {max(walls):.2f} s "
            f"| {statistics.median(figures.cpu_s for figures in rounds):.2f} s "
            f"| {max(figures.peak_mb for figures in rounds):,.0f} MB |"
        )
    ours = times.pop("testbed")
    for who, rounds in times.items():
        wall, cpu = (
            statistics.median(getattr(figures, name) for figures in rounds)
            / statistics.median(getattr(figures, name) for figures in ours)
            for name in ("wall_s", "cpu_s")
        )
        print(f"\n{who} ÷ testbed, medians: time {wall:.2f}, CPU {cpu:.2f}")


if __name__ == "__main__":
    main()

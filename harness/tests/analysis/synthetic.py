"""Result directories as JMeter and the harness would write them, from a seeded generator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from testbed.analysis.claims import examining
from testbed.analysis.claims.claim import Claim, Count, Evidence
from testbed.analysis.claims.sources import MeasuredFigures
from testbed.analysis.samples import load
from testbed.analysis.verdicts import Judged, judge_all

EPOCH_MS = 1_760_000_000_000

HEADER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
    "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect"
)

ANSWERS = {
    "breaker_open": ("503", "Test failed: text expected not to contain /circuit-open/"),
    "no_port": ("503", "Test failed: text expected not to contain /ports-exhausted/"),
    "time_limit": ("504", ""),
    "not_ready": ("202", "Test failed: code expected to equal /200/"),
    "partial": ("200", "Test failed: headers expected not to contain /(?i)cinemas-missing:/"),
    "rejected": ("503", ""),
    "connect": ("Non HTTP response code: org.apache.http.conn.HttpHostConnectException", ""),
    "wrong_body": ("200", 'Test failed: text expected to contain /"CNW001"/'),
    "other": ("500", ""),
}
"""Response code and assertion message by failure class; only a fetch can be ``not_ready``."""


def moment(at_ms: int) -> str:
    """Return a moment of a run, ms since its start, as records have it."""
    return (
        datetime.fromtimestamp(EPOCH_MS / 1000, UTC) + timedelta(milliseconds=at_ms)
    ).isoformat()


def operations(
    rng: np.random.Generator, threads: int, loops: int, median_ms: float
) -> pl.DataFrame:
    """Draw the operations of a closed loop: log-normal response times, no think time."""
    elapsed = np.maximum(1, rng.lognormal(np.log(median_ms), 0.4, (threads, loops))).astype(int)
    start = EPOCH_MS + np.cumsum(elapsed, axis=1) - elapsed
    return pl.DataFrame(
        {
            "timeStamp": start.ravel(),
            "elapsed": elapsed.ravel(),
            "thread": np.repeat(np.arange(1, threads + 1), loops),
        }
    )


def sample_rows(
    rng: np.random.Generator,
    variant: str,
    workload: str,
    threads: int,
    loops: int,
    median_ms: float,
    failures: Mapping[str, float],
) -> pl.DataFrame:
    """Return the rows of a sample file of this project's plans, in the order JMeter writes them.

    ``failures`` is the share of operations by failure class.
    """
    ok_share = 1 - sum(failures.values())
    outcomes = rng.choice(["ok", *failures], size=threads * loops, p=[ok_share, *failures.values()])
    ok_code = "201" if workload == "reserve" and variant == "sync" else "200"
    codes = {"ok": ok_code} | {name: ANSWERS[name][0] for name in failures}
    messages = {"ok": ""} | {name: ANSWERS[name][1] for name in failures}
    answered = (
        operations(rng, threads, loops, median_ms)
        .with_columns(
            pl.Series("outcome", outcomes),
            pl.lit(workload).alias("label"),
            pl.int_range(pl.len()).alias("turn"),
        )
        .with_columns(
            pl.col("outcome").replace_strict(codes).alias("responseCode"),
            pl.col("outcome").replace_strict(messages).alias("failureMessage"),
            (pl.col("outcome") == "ok").alias("success"),
            pl.lit(2).alias("place"),
        )
    )
    rows = answered
    if variant == "async":
        ack = (pl.col("elapsed") * 0.3).cast(pl.Int64)
        request = answered.with_columns(
            pl.lit(f"{workload} request").alias("label"),
            pl.lit("202").alias("responseCode"),
            pl.lit("").alias("failureMessage"),
            pl.lit(True).alias("success"),
            ack.alias("elapsed"),
            pl.lit(0).alias("place"),
        )
        fetch = answered.with_columns(
            pl.lit(f"{workload} fetch").alias("label"),
            (pl.col("timeStamp") + ack).alias("timeStamp"),
            (pl.col("elapsed") - ack).alias("elapsed"),
            pl.lit(1).alias("place"),
        )
        transaction = answered.with_columns(
            pl.when("success").then(pl.lit("200")).otherwise(pl.lit("")).alias("responseCode"),
            pl.lit("").alias("failureMessage"),
        )
        rows = pl.concat([request, fetch, transaction])
    return rows.sort(pl.col("timeStamp") + pl.col("elapsed"), "turn", "place").select(
        "timeStamp",
        "elapsed",
        "label",
        "responseCode",
        pl.lit("").alias("responseMessage"),
        pl.format("{} {}-1-{}", pl.lit(f"{variant} {workload}"), pl.lit("users"), "thread").alias(
            "threadName"
        ),
        pl.lit("text").alias("dataType"),
        "success",
        "failureMessage",
        pl.lit(1200).alias("bytes"),
        pl.lit(130).alias("sentBytes"),
        pl.lit(threads).alias("grpThreads"),
        pl.lit(threads).alias("allThreads"),
        pl.lit("http://localhost:8099/").alias("URL"),
        pl.col("elapsed").alias("Latency"),
        pl.lit(0).alias("IdleTime"),
        pl.lit(0).alias("Connect"),
    )


def write_run(
    results: Path,
    *,
    variant: str = "sync",
    workload: str = "list",
    preset: str = "tuned",
    threads: int = 10,
    repetition: int = 1,
    loops: int = 100,
    median_ms: float = 10.0,
    failures: Mapping[str, float] | None = None,
    record: Mapping[str, object] | None = None,
    seed: int = 1,
) -> Path:
    """Write one run's folder and return it; ``record`` changes keys of ``run.json``."""
    rng = np.random.default_rng([seed, threads, repetition, len(variant), len(workload)])
    folder = results / "runs" / f"{variant}-{workload}-{preset}-{threads:03}-{repetition}"
    folder.mkdir(parents=True)
    rows = sample_rows(rng, variant, workload, threads, loops, median_ms, failures or {})
    rows.write_csv(folder / "samples.csv")
    fields = {
        "variant": variant,
        "preset": preset,
        "workload": workload,
        "threads": threads,
        "repetition": repetition,
        "backends": "embedded",
        "started": moment(-500),
        # Tests that move rows do so by less.
        "finished": moment(60_000 + int((rows["timeStamp"] + rows["elapsed"]).max()) - EPOCH_MS),
        "loops": loops,
        "duration_s": None,
        "fetch": "wait" if variant == "async" else None,
        "plan": f"{variant}-{workload}.jmx",
        "jmeter_exit": 0,
        "wall_s": 10.0,
        "server_cpu_s": {"gateway": 1.5, "cinema-ucd": 0.5},
        "server_rss_mb": {"gateway": 300.0, "cinema-ucd": 200.0},
        "generator_cpu_s": 1.0,
        "warmup": False,
    }
    (folder / "run.json").write_text(json.dumps({**fields, **(record or {})}))
    return folder


def write_blocks(
    results: Path,
    *,
    medians_ms: tuple[float, ...] = (10.0, 10.0),
    settle_s: float = 0.2,
    variant: str = "sync",
    threads: int = 10,
    repetition: int = 1,
    loops: int = 100,
    failures: Mapping[str, float] | tuple[Mapping[str, float], ...] | None = None,
    record: Mapping[str, object] | None = None,
    beside: str = "the other",
    others: tuple[float, ...] = (),
    seed: int = 1,
) -> Path:
    """Write one run of a block per median, 100 s apart, and return its folder.

    Each block costs 2 s of CPU of the servers and 0.5 s of the generator. ``others`` is the share
    of the machine that other programs used in each block; one above a tenth does not count.
    ``failures`` is of every block, or has one for each.
    """
    rng = np.random.default_rng([seed, threads, repetition, len(variant), 4])
    blocks: list[dict[str, object]] = []
    parts = []
    for index, median_ms in enumerate(medians_ms):
        at_ms = 100_000 * index
        shares = failures[index] if isinstance(failures, tuple) else failures or {}
        rows = sample_rows(rng, variant, "list", threads, loops, median_ms, shares)
        length_ms = int((rows["timeStamp"] + rows["elapsed"]).max()) - EPOCH_MS
        parts.append(rows.with_columns(pl.col("timeStamp") + at_ms))
        blocks.append(
            {
                "file": f"block-{index + 1}.csv",
                "started": moment(at_ms - 100),
                "finished": moment(at_ms + length_ms + 100),
                "place": 4 + 2 * index,
                "age_s": 60.0 + 100 * index,
                "planned_s": length_ms / 1000,
                "settle_s": settle_s,
                "server_cpu_s": {"gateway": 1.5, "cinema-ucd": 0.5},
                "idle_cpu_s": {beside: 0.1},
                "generator_cpu_s": 0.5,
                "wall_s": length_ms / 1000 + 10,
                "samples": rows.height,
            }
        )
    for block, share in zip(blocks, others, strict=False):
        block["others"] = {"share": share, "cores": 2 * share, "of": 2, "names": ["cc1"]}
        block["disturbed"] = share > 0.1
        block["counts"] = share <= 0.1
    folder = write_run(
        results,
        variant=variant,
        threads=threads,
        repetition=repetition,
        loops=1,
        record={"loops": None, "blocks": blocks, "warm": True, **(record or {})},
    )
    (folder / "samples.csv").unlink()
    for block, part in zip(blocks, parts, strict=True):
        part.write_csv(folder / str(block["file"]))
    return folder


def write_results(results: Path, levels: tuple[int, ...] = (10, 50, 100)) -> Path:
    """Write a small comparison of both variants and workloads, with some failures at the top."""
    for variant, slower in (("sync", 1.0), ("async", 1.3)):
        for workload, base in (("list", 4.0), ("reserve", 2.0)):
            for threads in levels:
                write_run(
                    results,
                    variant=variant,
                    workload=workload,
                    threads=threads,
                    loops=60,
                    median_ms=base * slower * (1 + threads / 8),
                    failures={"rejected": 0.02, "partial": 0.01} if threads == levels[-1] else None,
                )
    (results / "environment.json").write_text(
        json.dumps({"machine": {"cpus": 2, "memory_mb": 24105}, "java": "25.0.1"})
    )
    (results / "experiment.yaml").write_text("name: synthetic\nlevels: [10, 50, 100]\n")
    return results


def write_pair(
    path: Path,
    runs: int = 3,
    levels: tuple[int, ...] = (10,),
    second: float = 1.5,
    change: float = 0.0,
) -> Judged:
    """Write sync and async runs; async is so many times slower, less so by ``change`` per level."""
    for place, threads in enumerate(levels):
        for repetition in range(1, runs + 1):
            for variant, factor in (("sync", 1.0), ("async", second - change * place)):
                write_run(
                    path,
                    variant=variant,
                    threads=threads,
                    repetition=repetition,
                    median_ms=20 * factor * (1 + threads / 20),
                    record={"wall_s": 100.0},
                )
    return judge_all(load(path))


def examine(claim: Claim, judged: Judged, count: Count = "operation") -> Evidence:
    """Return what results say about a claim."""
    return examining.examine(claim, MeasuredFigures(judged, count))

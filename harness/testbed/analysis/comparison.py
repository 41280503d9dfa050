"""The asynchronous variant against the synchronous one, level by level."""

from __future__ import annotations

import polars as pl

RATIOS = ("mean_ms", "p50_ms", "p95_ms", "p99_ms", "ok_per_s", "server_cpu_ms_per_ok")
"""Figures whose ratio async ÷ sync is formed."""


def compare(summary: pl.DataFrame) -> pl.DataFrame:
    """Set async beside sync.

    Parameters
    ----------
    summary
        As `testbed.analysis.summary.summarise` returns it.

    Returns
    -------
    pl.DataFrame
        One row per (workload, preset, backends, threads) that both variants were measured at, in
        the order of ``summary``. Columns of the summary are sync's; async's have the suffix
        ``_async``; those of `RATIOS` async ÷ sync the suffix ``_ratio`` (null where either is null,
        or sync's is zero).
    """
    sync, other = (
        summary.filter(pl.col("variant") == variant).drop("variant")
        for variant in ("sync", "async")
    )
    return sync.join(
        other,
        on=["workload", "preset", "backends", "threads"],
        suffix="_async",
        maintain_order="left",
    ).with_columns(
        pl.when(pl.col(name) != 0)
        .then(pl.col(f"{name}_async") / pl.col(name))
        .alias(f"{name}_ratio")
        for name in RATIOS
    )

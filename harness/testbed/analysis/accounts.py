"""What became of the work that systems accepted, beside what queueing theory predicts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from testbed.analysis import per_run
from testbed.analysis.results import Run
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.queueing import burst_loss, poisson_loss
from testbed.analysis.verdicts import Judged
from testbed.model.systems import declarations, service_of

LEAST_DRAINED = 20
"""The least work finished after a load that tells a rate."""


@dataclass(frozen=True)
class Account:
    run: Run
    offered: int
    """Operations that were accepted or refused."""
    accepted: int
    confirmed: int
    """Requests that the load generator saw accepted; ``accepted`` are those that are stored."""
    refused: int
    built: int
    lost: int
    """Accepted and then dropped, whether the system reports it or not."""
    dead_lettered: int
    queued: int
    built_later: int
    wrong: int
    first_third: float | None
    """The share of the lost that came in the first third of the run; None if nothing is lost."""
    places: float
    """How much accepted work there can be at once."""
    drained_per_s: float | None
    """How much the system finished per second after the load had ended.

    None if less than `LEAST_DRAINED` was finished.
    """
    predicted: float | None
    """The share of the offered that finds every place taken, if work flows evenly."""
    steady: float | None
    """The same share by M/M/1/K, for endless Poisson arrivals; None for others."""
    oldest_s: float | None
    """The longest time from an arrival until its result was there."""
    cpu_ms: float | None
    """CPU time of all services of the system, drain included, for each that was built."""
    peak_mb: float | None
    """The most memory of services with limits; None without."""

    @property
    def unserved_share(self) -> float:
        """The lost and the refused, as a share of the offered."""
        return (self.lost + self.refused) / self.offered if self.offered else 0.0

    @property
    def closed(self) -> bool:
        """Whether each accepted request has one outcome, and the load generator saw as many."""
        outcomes = self.built + self.lost + self.dead_lettered + self.queued
        return self.wrong == 0 and outcomes == self.accepted == self.confirmed


def accounts(judged: Judged) -> list[Account]:
    """Return the account of each usable run that has one."""
    return [
        account(measurement) for measurement in judged.used.measurements if measurement.run.ledger
    ]


def tabulate(judged: Judged) -> pl.DataFrame:
    """Return the table of ``accounts.csv``: a row for each account, with the fields of `Account`.

    Shares are of 1. ``closed`` is whether each accepted request has one outcome.
    """
    return per_run.tabulate(accounts(judged), "unserved_share", "closed")


def account(measurement: Measurement) -> Account:
    run, operations = measurement.run, measurement.recorded.operations
    kept = run.ledger or {}
    lost = kept["lost"] + kept["dropped"]
    refused = int((operations["failure"] == "rejected").sum())
    is_request = pl.col("step").cast(pl.String) != "fetch"
    offered = kept["accepted"] + refused
    starts = operations["start_ms"].to_numpy()
    # The last arrival ends its own interval too.
    span_s = float(np.ptp(starts)) / 1000 * starts.size / max(starts.size - 1, 1)
    declared = declarations().get(run.cell.variant)
    ledger = declared.ledger if declared else None
    places = ledger.capacity(run.settings, run.cell.backends) if ledger else float("inf")
    rate = kept["built_per_s"] if kept["built_later"] >= LEAST_DRAINED else None
    poisson = run.arrivals is not None and run.arrivals.kind == "poisson"
    return Account(
        run=run,
        offered=offered,
        accepted=kept["accepted"],
        confirmed=measurement.recorded.samples.filter(pl.col("ok") & is_request).height,
        refused=refused,
        built=kept["built"],
        lost=lost,
        dead_lettered=kept["dead-lettered"],
        queued=kept["queued"],
        built_later=kept["built_later"],
        wrong=kept["twice"] + kept["strangers"],
        first_third=kept["lost_by_third"][0] / lost if lost else None,
        places=places,
        drained_per_s=rate,
        predicted=burst_loss(offered, span_s, places, rate) if rate else None,
        steady=(
            poisson_loss(offered / span_s / rate, int(places))
            if rate and poisson and span_s and places < float("inf")
            else None
        ),
        oldest_s=_oldest_s(run, starts),
        cpu_ms=cpu_ms(run, kept["built"], declared.services if declared else ()),
        peak_mb=sum((kept.get("peak_mb") or {}).values()) or None,
    )


def _oldest_s(run: Run, starts: np.ndarray) -> float | None:
    """Return the most time from an arrival to the moment at which it was built."""
    file: Path = run.folder / "ledger.csv"
    if not file.is_file() or not starts.size:
        return None
    rows = pl.read_csv(file, schema_overrides={"built_s": pl.Float64}).drop_nulls("built_s")
    if rows.is_empty():
        return None
    # Work is numbered in the order of its arrival.
    came = np.sort(starts)[np.clip(rows["number"].to_numpy() - 1, 0, starts.size - 1)]
    return float((rows["built_s"].to_numpy() - came / 1000).max())


def cpu_ms(run: Run, built: int, services: Collection[str]) -> float | None:
    """Return the CPU time of some services, drain included, for each that was built."""
    parts = [*(block.server_cpu_s for block in run.blocks), (run.ledger or {}).get("cpu_s") or {}]
    spent = sum(s for part in parts for name, s in part.items() if service_of(name) in services)
    return 1000 * spent / built if built and spent else None

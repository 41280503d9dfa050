"""What caches save: how often they requested what is behind them, and how old answers were."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from testbed.analysis import per_run
from testbed.analysis.hops import Timed, counted
from testbed.analysis.results import Run
from testbed.analysis.samples import Measurement
from testbed.analysis.verdicts import Judged
from testbed.model.systems import Caching, declarations


@dataclass(frozen=True)
class Cached:
    """The requests of a run to its system, and those of the system to what is behind its caches."""

    run: Run
    operations: int
    failed: int
    asked: int
    """Requests to what is behind the caches."""
    refused: int
    """Those of them that were refused."""
    length_s: float
    fresh_s: float | None
    """How long an answer is kept; None if nothing is kept, or if that is unknown."""
    request_s: float
    """The mean time of a request to what is behind the caches."""
    mean_age_s: float | None
    """How old answers were on average when they came; None if they do not say."""
    oldest_s: float | None
    """How old the oldest was."""

    @property
    def kept_share(self) -> float:
        """The share of operations without a request behind the caches."""
        return max(0.0, 1 - self.asked / self.operations) if self.operations else 0.0

    @property
    def predicted_asked(self) -> float | None:
        """The requests of one cache that fetches one answer at a time, for Poisson arrivals.

        None without a cache.

        By renewal: a cycle is the time until the next arrival, that of a request, and that for
        which its answer is kept unless it was refused. All other arrivals of the cycle are joined
        or get what is kept.
        """
        if self.fresh_s is None or not self.length_s:
            return None
        kept_s = self.fresh_s * (1 - (self.refused_share or 0.0))
        per_cycle = 1 + self.operations / self.length_s * (self.request_s + kept_s)
        return self.operations / per_cycle

    @property
    def predicted_share(self) -> float | None:
        """The kept share that follows from `predicted_asked`."""
        requests = self.predicted_asked
        return None if requests is None else 1 - requests / self.operations

    @property
    def refused_share(self) -> float | None:
        """The share of requests that was refused behind the caches; None without requests."""
        return self.refused / self.asked if self.asked else None

    @property
    def asked_ratio(self) -> float | None:
        """``asked`` over `predicted_asked`: one if requests for the same answer are joined.

        None for a run in which fewer than two answers stop being fresh.
        """
        needed = self.predicted_asked
        if needed is None or not self.fresh_s or self.length_s < 2 * self.fresh_s:
            return None
        return self.asked / needed

    @property
    def oldest_share(self) -> float | None:
        """The age of the oldest answer as a share of the time for which it is fresh."""
        return self.oldest_s / self.fresh_s if self.oldest_s is not None and self.fresh_s else None


def cached(judged: Judged) -> list[Cached]:
    """Return what the caches of each usable run saved, of systems that have any."""
    declared = declarations()
    return [
        cached
        for measurement in judged.used.measurements
        if measurement.run.cell.variant in declared
        and (caching := declared[measurement.run.cell.variant].cache) is not None
        and (cached := _cached(measurement.recorded, caching)) is not None
    ]


def tabulate(judged: Judged) -> pl.DataFrame:
    """Return the table of ``caches.csv``: a row for each run, with the fields of `Cached`."""
    shares = "kept_share", "predicted_share", "refused_share"
    return per_run.tabulate(cached(judged), *shares, "asked_ratio")


def _cached(measurement: Measurement, caching: Caching) -> Cached | None:
    run, operations = measurement.run, measurement.operations
    if (spent := counted(run, {caching.metric})) is None:
        return None
    whole = sum(spent.values(), Timed())
    refused = [
        timed.calls
        for series, timed in spent.items()
        if caching.refused.items() <= dict(series.labels).items()
    ]
    ages_s = operations.filter("ok")["age_ms"].drop_nulls().to_numpy() / 1000
    return Cached(
        run=run,
        operations=operations.height,
        failed=operations.height - int(operations["ok"].sum()),
        asked=round(whole.calls),
        refused=round(sum(refused)),
        length_s=measurement.duration_s,
        fresh_s=caching.fresh_s(run.settings),
        request_s=whole.total_s / whole.calls if whole.calls else 0.0,
        mean_age_s=float(ages_s.mean()) if ages_s.size else None,
        oldest_s=float(ages_s.max()) if ages_s.size else None,
    )

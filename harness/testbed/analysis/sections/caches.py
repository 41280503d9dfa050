"""What caches save, and the age of their answers."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis import caching
from testbed.analysis.caching import Cached
from testbed.analysis.grouping import grouped
from testbed.analysis.tables import markdown_table, mean_known, number, of_cell, share
from testbed.analysis.verdicts import Judged

NOTE = (
    "The origin is what the caches stand in front of. *Requests* are those to it, *kept* is "
    "the share of operations without one. Predicted is the share that a cache keeps which fetches "
    "one answer at a time, for λ arrivals per second: 1 - 1/(1 + λ(R + T(1 - r))). R is the time "
    "of a request to the origin, r the share of these that are refused, T the time for which an "
    "answer is fresh. *Requests ÷ needed* is their number over that prediction: 1 if a cache "
    "joins the requests that arrive while it fetches an answer. Age is the time from when an "
    "answer was true until the client has it. Figures are means over runs; *oldest* is the "
    "maximum of all."
)


def kept(judged: Judged) -> str:
    """Return what the caches of each cell saved; empty if no system has any."""
    runs = caching.cached(judged)
    if not runs:
        return ""
    rows = [_row(part) for part in grouped(runs, lambda cached: cached.run.cell).values()]
    return f"{NOTE}\n\n{markdown_table(rows, ('system', 'workload', 'load'))}"


def _row(runs: Sequence[Cached]) -> dict[str, str]:
    def mean(figure: str) -> float | None:
        return mean_known([getattr(cached, figure) for cached in runs])

    ages = [cached.oldest_s for cached in runs if cached.oldest_s is not None]
    return {
        **of_cell(runs[0].run.cell),
        "runs": f"{len(runs)}",
        "failed": share(
            sum(cached.failed for cached in runs) / sum(cached.operations for cached in runs)
        ),
        "requests": number(mean("asked"), 0),
        "refused": share(mean("refused_share")),
        "kept": share(mean("kept_share")),
        "predicted": share(mean("predicted_share")),
        "fresh, s": number(mean("fresh_s"), 0),
        "requests ÷ needed": number(mean("asked_ratio"), 1),
        "age, mean, s": number(mean("mean_age_s"), 2),
        "oldest, s": number(max(ages, default=None), 2),
    }

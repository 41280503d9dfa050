"""What caches save, and how old what they tell is."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis import caching
from testbed.analysis.caching import Cached
from testbed.analysis.grouping import grouped
from testbed.analysis.tables import markdown_table, mean_known, number, share
from testbed.analysis.verdicts import Judged

NOTE = (
    "*Asked* are the requests to what is behind the caches, *kept* the share of operations "
    "without one, and predicted is what a cache keeps that fetches one answer at a time, for λ "
    "arrivals per second: 1 - 1/(1 + λ(R + T(1 - r))), with R the time of a request behind the "
    "caches, r the share of those that are refused, T the time for which an answer is fresh. *Per "
    "expiry* are the answers that were fetched for each time that one stopped being fresh: one if "
    "a cache joins the requests that come meanwhile. A failed operation was refused behind the "
    "caches, and nothing could be told in place of an answer. Ages count from the time at which "
    "what is told was so, to the moment at which the client has it. Figures are means over runs, "
    "the oldest is that of all."
)


def kept(judged: Judged) -> str:
    """Return what the caches of each cell saved; empty if no system has any."""
    found = caching.cached(judged)
    if not found:
        return ""
    rows = [_row(part) for part in grouped(found, lambda one: one.run.cell).values()]
    return f"{NOTE}\n\n{markdown_table(rows, ('system', 'workload', 'load'))}"


def _row(runs: Sequence[Cached]) -> dict[str, str]:
    cell = runs[0].run.cell

    def mean(figure: str) -> float | None:
        return mean_known([getattr(one, figure) for one in runs])

    ages = [one.oldest_s for one in runs if one.oldest_s is not None]
    return {
        "system": cell.system,
        "workload": cell.workload,
        "load": cell.load,
        "runs": f"{len(runs)}",
        "operations": number(mean("operations"), 0),
        "failed": share(sum(one.failed for one in runs) / sum(one.operations for one in runs)),
        "asked": number(mean("asked"), 0),
        "refused": share(mean("refused_share")),
        "kept": share(mean("kept_share")),
        "predicted": share(mean("predicted_share")),
        "fresh, s": number(mean("fresh_s"), 0),
        "per expiry": number(mean("per_expiry"), 1),
        "age, mean, s": number(mean("mean_age_s"), 2),
        "oldest, s": number(max(ages, default=None), 2),
    }

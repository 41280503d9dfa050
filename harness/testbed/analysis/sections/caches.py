"""What caches save, and the age of their answers."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis import caching
from testbed.analysis.caching import Cached
from testbed.analysis.grouping import grouped
from testbed.analysis.tables import markdown_table, mean_known, number, share
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
        "failed": share(sum(one.failed for one in runs) / sum(one.operations for one in runs)),
        "requests": number(mean("asked"), 0),
        "refused": share(mean("refused_share")),
        "kept": share(mean("kept_share")),
        "predicted": share(mean("predicted_share")),
        "fresh, s": number(mean("fresh_s"), 0),
        "requests ÷ needed": number(mean("asked_ratio"), 1),
        "age, mean, s": number(mean("mean_age_s"), 2),
        "oldest, s": number(max(ages, default=None), 2),
    }

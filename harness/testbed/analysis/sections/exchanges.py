"""The times of the exchanges that operations are made of."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis import exchanges
from testbed.analysis.exchanges import Exchanged
from testbed.analysis.grouping import grouped
from testbed.analysis.tables import markdown_table, mean_known, number, of_cell, share
from testbed.analysis.verdicts import Judged

NOTE = (
    "An operation of several exchanges, such as a session, is one row of the tables above. These "
    "are its exchanges. Times are of the successful ones, from the actual start, in ms. Figures "
    "are arithmetic means over runs; the least and the greatest are those of all runs."
)


def exchanged(judged: Judged) -> str:
    """Return the times of exchanges; empty if every operation is a single one."""
    every = exchanges.exchanged(judged)
    if not every:
        return ""
    rows = grouped(every, lambda each: (each.run.cell, each.exchange)).values()
    return (
        f"{NOTE}\n\n{markdown_table(map(_row, rows), ('system', 'workload', 'load', 'exchange'))}"
    )


def _row(runs: Sequence[Exchanged]) -> dict[str, str]:
    def mean(figure: str, decimals: int = 0) -> str:
        return number(mean_known([getattr(run, figure) for run in runs]), decimals)

    return {
        **of_cell(runs[0].run.cell),
        "exchange": runs[0].exchange,
        "of each operation": mean("per_operation", 2),
        "1/s": mean("per_s", 1),
        "min": number(min((run.min_ms for run in runs if run.min_ms is not None), default=None)),
        "mean": mean("mean_ms", 1),
        "p95": mean("p95_ms"),
        "max": number(max((run.max_ms for run in runs if run.max_ms is not None), default=None)),
        "failed": share(mean_known([run.failed_share for run in runs])),
    }

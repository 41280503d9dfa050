"""What became of the work that systems accepted, and what was predicted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from testbed.analysis import accounts
from testbed.analysis.accounts import Account
from testbed.analysis.tables import Column, markdown_table, number, share, word
from testbed.analysis.verdicts import Judged

NOTE = (
    "By id, when the drain had ended: accepted = built + lost + dead-lettered + queued. Refused is "
    "not lost: that client was told. *Unserved* are the lost and the refused, as a share of the "
    "offered. Predicted for n that arrive at rate a, with K places, drained at m per second: "
    "max(0, 1 - K/n - m/a); with Poisson arrivals that never end, M/M/1/K. The drain rate m is "
    "measured after the load. *First third* is the share of the lost that came in the first third "
    "of the run. The oldest is of those done after the load. Figures are means over runs."
)

ACCOUNTED = (
    Column("system", word("system"), numeric=False),
    Column("workload", word("workload"), numeric=False),
    Column("load", word("load"), numeric=False),
    Column("runs", number("runs")),
    Column("offered", number("offered")),
    Column("refused", number("refused")),
    Column("accepted", number("accepted")),
    Column("built", number("built")),
    Column("lost", number("lost")),
    Column("dead-lettered", number("dead_lettered")),
    Column("queued", number("queued")),
    Column("unserved", share("unserved_share")),
    Column("predicted", share("predicted")),
    Column("M/M/1/K", share("steady")),
    Column("K", word("places")),
    Column("m, 1/s", number("drained_per_s", 1)),
    Column("first third", share("first_third")),
    Column("built after the load", number("built_later")),
    Column("oldest, s", number("oldest_s", 1)),
    Column("CPU, ms each", number("cpu_ms", 1)),
    Column("peak, MB", number("peak_mb")),
)
MEANS = (
    "offered",
    "refused",
    "accepted",
    "built",
    "lost",
    "dead_lettered",
    "queued",
    "unserved_share",
    "predicted",
    "steady",
    "drained_per_s",
    "first_third",
    "built_later",
    "oldest_s",
    "cpu_ms",
    "peak_mb",
)


def accounted(judged: Judged) -> str:
    """Return what became of accepted work; empty if no run has an account."""
    found = accounts.accounts(judged)
    if not found:
        return ""
    rows = [_row(list(part)) for _, part in groupby(found, key=lambda one: one.run.cell)]
    parts = [NOTE, markdown_table(rows, ACCOUNTED)]
    if wrong := [one.run.id for one in found if not one.closed]:
        listed = ", ".join(f"`{run}`" for run in wrong)
        parts.append(
            f"**The account does not close** in {listed}: an id has two outcomes, one was never "
            "accepted, or the load generator did not see as many accepted as are stored."
        )
    return "\n\n".join(parts)


def _row(runs: Sequence[Account]) -> dict[str, Any]:
    cell, places = runs[0].run.cell, runs[0].places
    return {
        "system": cell.system,
        "workload": cell.workload,
        "load": cell.load,
        "runs": len(runs),
        "places": "∞" if places == float("inf") else f"{places:,.0f}",
        **{figure: _mean([getattr(one, figure) for one in runs]) for figure in MEANS},
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None

"""What became of the work that systems accepted, and what was predicted."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis import accounts
from testbed.analysis.accounts import Account
from testbed.analysis.grouping import grouped
from testbed.analysis.tables import markdown_table, mean_known, number, of_cell, share
from testbed.analysis.verdicts import Judged

NOTE = (
    "By id, when the drain had ended: accepted = built + lost + dead-lettered + queued. Refused is "
    "not lost: that client knows of it. *Unserved* are the lost and the refused, as a share of the "
    "offered. Predicted for n that arrive at rate a, with K places, drained at m per second: "
    "max(0, 1 - K/n - m/a); with Poisson arrivals that never end, M/M/1/K. The drain rate m is "
    "measured after the load. *First third* is the share of the lost that came in the first third "
    "of the run. Figures are means over runs."
)


def accounted(judged: Judged) -> str:
    """Return what became of accepted work; empty if no run has an account."""
    every = accounts.accounts(judged)
    if not every:
        return ""
    rows = [_row(part) for part in grouped(every, lambda account: account.run.cell).values()]
    parts = [NOTE, markdown_table(rows, ("system", "workload", "load"))]
    if wrong := [account.run.id for account in every if not account.closed]:
        listed = ", ".join(f"`{run}`" for run in wrong)
        parts.append(
            f"**The account does not close** in {listed}: an id has two outcomes, one was never "
            "accepted, or the load generator did not see as many accepted as are stored."
        )
    return "\n\n".join(parts)


def _row(runs: Sequence[Account]) -> dict[str, str]:
    cell, places = runs[0].run.cell, runs[0].places

    def mean(figure: str, decimals: int = 0) -> str:
        return number(mean_known([getattr(account, figure) for account in runs]), decimals)

    def mean_share(figure: str) -> str:
        return share(mean_known([getattr(account, figure) for account in runs]))

    return {
        **of_cell(cell),
        "runs": f"{len(runs)}",
        "offered": mean("offered"),
        "refused": mean("refused"),
        "accepted": mean("accepted"),
        "built": mean("built"),
        "lost": mean("lost"),
        "dead-lettered": mean("dead_lettered"),
        "queued": mean("queued"),
        "unserved": mean_share("unserved_share"),
        "predicted": mean_share("predicted"),
        "M/M/1/K": mean_share("steady"),
        "K": "∞" if places == float("inf") else f"{places:,.0f}",
        "m, 1/s": mean("drained_per_s", 1),
        "first third": mean_share("first_third"),
        "built after the load": mean("built_later"),
        "oldest, s": mean("oldest_s", 1),
        "CPU, ms each": mean("cpu_ms", 1),
        "peak, MB": mean("peak_mb"),
    }

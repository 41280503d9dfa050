"""Which runs are valid, and why others are not."""

from __future__ import annotations

from collections.abc import Iterable

from testbed.analysis.samples import Measurement
from testbed.analysis.tables import MISSING, markdown_table
from testbed.analysis.verdicts import OTHERS, RATE, STALL, TREND, WARM, Check, Judged

VALIDITY_NOTE = (
    "An *invalid* run is in this table, in those of open loops and stopped services, and in "
    "figures over time; it is used nowhere else. An *overloaded* run fell behind its "
    "plan of arrivals, or left the system without a full answer. In a *stalled* run no operation "
    "ended for a while. Both are used and decide: they are what the system does. So is one whose "
    "*users pause* between operations: fewer of them wait for an answer than there are. A run that "
    "is *still warming* was measured on a system that was not warm, or changed over its time: it "
    "is used and does not decide, as is one that is *disturbed*: other programs used more than a "
    "tenth of the machine in more than half of its blocks. The start of a block (`settle`) does "
    "not count; `runs.csv` beside this report has a row for each run. Strays are exchanges of "
    "operations that did not finish, for example because the run ended."
)

WORST_FIRST = (
    *("invalid", "disturbed", "overloaded", "stalled", "still warming"),
    *("users pause", "valid"),
)

SHOWN = (
    "operations",
    "Little's law",
    STALL,
    RATE,
    "generator late",
    "generator CPU",
    OTHERS,
    WARM,
    TREND,
)
"""Checks whose figures are always shown; the others are shown if a run failed them."""


def validity(judged: Judged) -> str:
    """Return the verdict of each run with the figures of its checks, the worst first."""
    runs = sorted(
        judged.recorded.measurements,
        key=lambda measurement: WORST_FIRST.index(judged.verdicts[measurement.run.id].status),
    )
    if not runs:
        return "No run can be read."
    outcomes: dict[str, set[str]] = {}
    for verdict in judged.verdicts.values():
        for check in verdict.checks:
            outcomes.setdefault(check.name, set()).add(check.outcome)
    limits = {
        # Not every run has each check. The limits of the worst run are shown.
        check.name: check.limit
        for measurement in reversed(runs)
        for check in judged.verdicts[measurement.run.id].checks
    }
    shown = [
        name
        for name, of_check in outcomes.items()
        if "failed" in of_check or (name in SHOWN and "passed" in of_check)
    ]
    passed = [name for name in outcomes if name not in shown and "passed" in outcomes[name]]
    unknown = [name for name, of_check in outcomes.items() if of_check == {"not checked"}]
    listed = "; ".join(f"{name}: {limits[name]}" for name in shown)
    rows = []
    for measurement in runs:
        status = judged.verdicts[measurement.run.id].status
        marks = {check.name: _marked(check) for check in judged.verdicts[measurement.run.id].checks}
        rows.append(
            {
                "run": f"`{measurement.run.id}`",
                "verdict": status if status == "valid" else f"**{status}**",
                **{name: marks.get(name, MISSING) for name in shown},
                "strays": f"{measurement.strays:,}",
            }
        )
    parts = [f"{VALIDITY_NOTE} Limits: {listed}."]
    if passed:
        parts.append(f"Failed by no run: {', '.join(passed)}.")
    if unknown:
        parts.append(
            f"Not recorded in any run, or not applicable, so not checked: {', '.join(unknown)}."
        )
    parts.append(markdown_table(rows, ("run", "verdict", *shown)))
    if of_tools := _of_other_tools(runs):
        parts.append("Files of other tools than JMeter, and what they do not tell:")
        parts.append(of_tools)
    if len(tools := sorted({measurement.source.tool for measurement in runs})) > 1:
        parts.append(
            f"Runs were loaded by different tools ({', '.join(tools)}): a difference between them "
            "may be the tool's."
        )
    if judged.recorded.unreadable:
        parts.append("Runs that could not be read, and are in no figure:")
        parts.append(
            "\n".join(f"- `{run}`: {why}" for run, why in judged.recorded.unreadable.items())
        )
    return "\n\n".join(parts)


def _of_other_tools(runs: Iterable[Measurement]) -> str:
    return "\n".join(
        f"- `{run.run.id}`, of {run.source.tool}: {'; '.join(run.source.lacks)}."
        for run in runs
        if run.source.lacks
    )


def _marked(check: Check) -> str:
    if check.outcome == "not checked":
        return "not checked"
    return f"**✗ {check.figure}**" if check.outcome == "failed" else check.figure

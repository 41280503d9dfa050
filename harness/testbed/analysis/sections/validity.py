"""Which runs may be believed."""

from __future__ import annotations

from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import batch_means
from testbed.analysis.tables import MISSING, Column, markdown_table, word
from testbed.analysis.verdicts import Check, Judged

BATCH = 1000
"""Operations per batch, as in Akbulut and Perros (2019)."""

VALIDITY_NOTE = (
    "An *invalid* run is shown here and used nowhere else. A run that is *not steady* spent more "
    "than half of itself warming up. A run that is *overloaded* fell behind its plan of arrivals, "
    "or left the system without a full answer, with nothing else wrong. Both are used whole, "
    "because to leave such runs out would favour the system that has them. Of every other run the "
    "numbers are of the steady part that MSER-5 leaves; `summary-recorded.csv` beside this report "
    "has every run whole. The mean is that of the whole run's successful operations, with the "
    "interval of batch means of 1000 operations. Strays are exchanges that belong to no finished "
    "operation, as of one that was under way at the end."
)


def validity(judged: Judged) -> str:
    """Return the verdict of each run, with the figure of each check."""
    rows = []
    for one in judged.recorded.measurements:
        verdict = judged.verdicts[one.run.id]
        checks = {check.name: check for check in verdict.checks}
        rows.append(
            {
                "run": f"`{one.run.id}`",
                "status": verdict.status if verdict.status == "valid" else f"**{verdict.status}**",
                **{name: _marked(check) for name, check in checks.items()},
                "strays": f"{one.strays:,}",
                "mean": _batched(one),
            }
        )
    if not rows:
        return "No run can be read."
    names = [check.name for check in next(iter(judged.verdicts.values())).checks]
    known = [name for name in names if any(row[name] != MISSING for row in rows)]
    unknown_ = [name for name in names if name not in known]
    columns = (
        Column("run", word("run"), numeric=False),
        Column("verdict", word("status"), numeric=False),
        *(Column(name, word(name), numeric=False) for name in known),
        Column("strays", word("strays")),
        Column("mean, ms", word("mean"), numeric=False),
    )
    limits = "; ".join(
        f"{check.name}: {check.limit}"
        for check in next(iter(judged.verdicts.values())).checks
        if check.name in known
    )
    parts = [f"{VALIDITY_NOTE} Limits: {limits}."]
    if unknown_:
        parts.append(f"Recorded in no run, so not checked: {', '.join(unknown_)}.")
    parts.append(markdown_table(rows, columns))
    if judged.recorded.unreadable:
        parts.append("Runs that could not be read, and are in no figure:")
        parts.append(
            "\n".join(f"- `{run}`: {why}" for run, why in judged.recorded.unreadable.items())
        )
    return "\n\n".join(parts)


def _marked(check: Check) -> str:
    if check.outcome == "not known":
        return MISSING
    return f"**✗ {check.figure}**" if check.outcome == "failed" else check.figure


def _batched(measurement: Measurement) -> str:
    """Return a run's mean response time with its batch means interval."""
    elapsed = measurement.operations.filter("ok")["elapsed_ms"].to_numpy()
    if not elapsed.size:
        return MISSING
    if elapsed.size < 2 * BATCH:
        return f"{elapsed.mean():.1f}"
    found = batch_means(elapsed, BATCH)
    return f"{found.estimate:.1f} [{found.low:.1f}, {found.high:.1f}]"

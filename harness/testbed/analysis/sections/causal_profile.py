"""What an improvement of each part of a system would be worth, from parts that were made slower."""

from __future__ import annotations

from collections.abc import Sequence

from testbed.analysis.aa import Handicapped, handicapped
from testbed.analysis.decisions import Decision
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import GOODPUT, P95
from testbed.analysis.tables import MISSING, Row, markdown_table
from testbed.analysis.verdicts import Judged

STEP_MS = 0.1
"""The improvement whose worth is shown: so much less CPU time of an operation, ms."""

Worth = tuple[float, float | None, float | None]
"""A figure as a ratio to now, and the ends of its interval."""

NOTE = (
    f"Each part burnt a known CPU time more, alone. From that follows what {STEP_MS:g} ms **less** "
    "CPU time of an operation in that part would change, if it is worth as much as the time "
    f"added: ratio^(−{STEP_MS:g} ÷ ms added), with the interval of the decision. (A causal "
    "profile: Curtsinger and Berger, Coz, SOSP 2015.)"
)


def causal_profile(judged: Judged, decisions: Sequence[Decision]) -> str:
    """Return what CPU time is worth in each part, the worthiest first; empty without handicaps."""
    cells = grouped(
        handicapped(judged.results, decisions),
        lambda case: (case.decision.reference, case.decision.workload, case.decision.load),
    )
    rows = [
        row
        for (reference, workload, load), cases in cells.items()
        for row in _rows(f"{reference}, {workload}, {load}", cases)
    ]
    return f"{NOTE}\n\n{markdown_table(rows, ('cell', 'part'))}" if rows else ""


def worth(case: Handicapped) -> Worth | None:
    """Return the figure with `STEP_MS` less CPU time of an operation in the case's part.

    None if the ratio under the handicap is not known.
    """
    decision, power = case.decision, -STEP_MS / case.added_ms
    if decision.ratio is None:
        return None
    ends = [None if end is None else end**power for end in (decision.low, decision.high)]
    low, high = ends if power > 0 else reversed(ends)
    return decision.ratio**power, low, high


def _rows(cell: str, cases: Sequence[Handicapped]) -> list[Row]:
    rows = []
    for of_part in grouped(cases, lambda case: (case.part, case.added_ms)).values():
        goodput, p95 = (
            next((worth(case) for case in of_part if case.decision.figure == quantity.name), None)
            for quantity in (GOODPUT, P95)
        )
        row = {
            "cell": cell,
            "part": of_part[0].part,
            "CPU added, ms": f"{of_part[0].added_ms:.2f}",
            f"{GOODPUT.label} with {STEP_MS:g} ms less": _percent(goodput),
            f"{P95.label} with {STEP_MS:g} ms less": _percent(p95),
        }
        rows.append((goodput[0] if goodput else 0.0, row))
    return [row for _, row in sorted(rows, key=lambda rated: -rated[0])]


def _percent(ratio: Worth | None) -> str:
    if ratio is None:
        return MISSING
    value, low, high = ratio
    ends = "" if low is None or high is None else f" [{_change(low)}, {_change(high)}]"
    return f"{_change(value)} %{ends}"


def _change(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.0f}".replace("-", "\N{MINUS SIGN}")

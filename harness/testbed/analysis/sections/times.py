"""The time of operations, hop by hop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from testbed.analysis.grouping import grouped
from testbed.analysis.hops import SELDOM, Journey
from testbed.analysis.studies import Study
from testbed.analysis.tables import MISSING, markdown_table
from testbed.model.loads import load_words

NOTE = (
    "By the timers of the services themselves, read before and after each run: ms per operation, "
    "which is the calls per operation × the mean ms of one call. It is the arithmetic mean over "
    "all operations of the usable runs, whole; the mean in the table above is that of a typical "
    "block, so the two differ where blocks do. "
    "Hops are nested, from the outside in: a hop's own time is its time minus that of the "
    "hops it waits for. Services that are called at once overlap, so that the times of their hops "
    "do not add up to that of the operation. Waiting in a queue is counted in whole milliseconds. "
    f"Hops with less than one call in {1 / SELDOM:.0f} operations are left out."
)


def hops(journeys: Sequence[Journey]) -> str:
    """Return the time of operations at each hop; empty if no run has timers."""
    missing = [journey.cell for journey in journeys if not journey.passages]
    if len(missing) == len(journeys):
        return ""
    parts = [NOTE]
    timed = (journey for journey in journeys if journey.passages)
    for study, part in grouped(timed, lambda journey: Study.of(journey.cell)).items():
        parts.append(f"**`{study.workload}`, {study.conditions}**\n\n{_table(part)}")
    if missing:
        listed = "; ".join(f"{cell.system}, {cell.workload}, {cell.load}" for cell in missing)
        parts.append(f"Without timers: {listed}.")
    return "\n\n".join(parts)


def _table(part: Sequence[Journey]) -> str:
    """Return a table with a row per system and hop, and a column per level."""
    titles = {
        journey.cell.level: f"{load_words(journey.cell.mode, journey.cell.level)}: ms"
        for journey in sorted(part, key=lambda journey: journey.cell.level)
    }
    rows = (
        {
            "system": system,
            "hop": hop,
            **{title: row.get(level, MISSING) for level, title in titles.items()},
        }
        for system in dict.fromkeys(journey.cell.system for journey in part)
        for hop, row in _rows([journey for journey in part if journey.cell.system == system])
    )
    return markdown_table(rows, ("system", "hop"))


def _rows(levels: Sequence[Journey]) -> Iterator[tuple[str, Mapping[float, str]]]:
    """Yield the rows of one system: its hops, then the number of runs behind the means."""
    for hop in sorted({passage.hop for journey in levels for passage in journey.passages}):
        yield (
            hop.name,
            {
                journey.cell.level: (
                    f"{passage.operation_ms:,.2f} ({passage.calls:.2f} × {passage.call_ms:,.2f})"
                )
                for journey in levels
                for passage in journey.passages
                if passage.hop == hop
            },
        )
    yield "runs", {journey.cell.level: f"{journey.runs}" for journey in levels}

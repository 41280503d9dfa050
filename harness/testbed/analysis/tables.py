"""Tables for the terminal (80 columns) and for the report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from testbed.analysis.decisions import Decision
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import CPU, GOODPUT, MEAN, P50, P95, P99, QUANTITIES, Quantity
from testbed.analysis.results import UNSTATED, Cell
from testbed.analysis.samples import CLASSES
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import ALIKE, POWER

MISSING = "–"

Row = Mapping[str, Any]
"""The cells of a table's row by the titles of its columns; titles contain the unit."""


def mean_known(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values that there are; None if there is none."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def number(value: float | None, decimals: int = 0) -> str:
    """Return a formatted number; a missing value is a dash."""
    return MISSING if value is None else f"{value:,.{decimals}f}"


def share(part: float | None) -> str:
    """Return a share of 1 as a percentage; a missing value is a dash."""
    return MISSING if part is None else percent(part)


def percent(part: float) -> str:
    """Return a share of 1 as a percentage; a small share is not rounded to 0."""
    if part == 0:
        return "0 %"
    if part < 0.0001:
        return "<0.01 %"
    return f"{100 * part:.2f} %" if part < 0.01 else f"{100 * part:.1f} %"


def share_with_interval(interval: Interval) -> str:
    """Return a share of 1 with its interval, in percent."""
    low, high = 100 * interval.low, 100 * interval.high
    return f"{percent(interval.estimate)} [{low:.3g}, {high:.3g}]"


def failures(row: Row) -> str:
    """Return the failed arrivals of a summary's row by class, most frequent first."""
    counts = sorted(((row[name], name) for name in CLASSES if row[name]), reverse=True)
    if not counts:
        return "none"
    return ", ".join(
        f"{name.replace('_', ' ')} {count:,} ({percent(row[f'{name}_share'])})"
        for count, name in counts
    )


def cell(row: Row) -> Row:
    """Return the columns that say which cell a summary's row is about."""
    unit = "" if row["mode"] == "closed" else "/s"
    return {
        "system": row["system"],
        "workload": row["workload"],
        "level": f"{row['level']:,g}{unit}",
    }


def of_cell(cell: Cell) -> dict[str, str]:
    """Return the columns that say which cell some runs are of."""
    return {"system": cell.system, "workload": cell.workload, "load": cell.load}


def columns(row: Row, *quantities: Quantity) -> Row:
    """Return quantities of a summary's row, titled with their units; missing ones are dashes."""
    return {
        quantity.title: number(row.get(quantity.column), quantity.decimals)
        for quantity in quantities
    }


def speed(row: Row) -> Row:
    """Return a row of the table of speed, see `SPEED_NOTE`."""
    return {
        **cell(row),
        "ok/s": number(row[GOODPUT.column]),
        **{
            quantity.label: number(row[quantity.column], quantity.decimals)
            for quantity in (MEAN, P50, P95, P99)
        },
        "failed": share(row["failed_share"]),
    }


def cost(row: Row) -> Row:
    """Return a row of the table of failures and cost, see `COST_NOTE`."""
    return {
        **cell(row),
        "failures by class": failures(row),
        "ack ms": number(row["acknowledged_mean_ms"], 1),
        "CPU ms": number(row[CPU.column], CPU.decimals),
        "PSS MB": number(row["server_pss_mb"]),
        "RSS MB": number(row["server_rss_mb"]),
        "generator": number(row["generator_cores"], 2),
    }


SPEED_NOTE = (
    "level: threads, or arrivals/s; ok/s: successful operations per second; mean and percentiles "
    "of these, in ms: each the geometric mean over blocks and runs"
)
COST_NOTE = (
    "ack: mean time to the acknowledgement; CPU: of all servers, per successful operation; "
    "PSS: memory of all servers, with shared pages counted once; RSS: with shared pages counted in "
    "each process; generator: cores that it kept busy"
)
CELL_TABLES = ((speed, SPEED_NOTE), (cost, COST_NOTE))
LONG = ("failures by class", "system")
"""Columns whose values are broken before a number is cut off."""
CELL_TEXT = ("system", "workload", "failures by class")

SEEN = "could see"
"""The column of detectable differences."""

DECIDED_TEXT = ("figure", "cell", "decided")
DECIDED_NOTE = (
    "cell: workload, and threads or arrivals/s; goodput: successful operations/s; p95: ms within "
    "which 95 % of them were complete; CPU: ms of all servers for each; all of the pairs of starts "
    "that decide; ratio: with the interval that decides. Better or worse: it excludes 1; alike: it "
    f"is within {100 * (ALIKE - 1):.0f} % of 1; {SEEN}: the smallest difference that would have "
    f"been seen with a probability of {100 * POWER:.0f} %"
)

WHOLE = 100
"""Value from which a figure has no decimals."""


def factor(ratio: float) -> str | None:
    """Return a ratio from 2 on or below 0.1; None between, where percent are easier to read."""
    if ratio >= 2:
        return f"{ratio:.1f}"
    return f"{ratio:.2g}" if ratio < 0.1 else None


def decision_words(decision: Decision) -> str:
    """Return a decision in words: ``worse by 16 %``, ``worse: × 2.1``, ``alike ±10 %``."""
    if decision.ratio is None or decision.decision == "not known":
        return "not known"
    if decision.decision == "alike":
        return f"alike ±{100 * (ALIKE - 1):.0f} %"
    if times := factor(decision.ratio):
        return f"{decision.decision}: × {times}"
    return f"{decision.decision} by {100 * abs(decision.ratio - 1):.0f} %"


def effect(ratio: float | None) -> str:
    """Return a ratio above 1 as a difference: ``9 %``, or ``× 2.3`` from 2 on."""
    if ratio is None:
        return MISSING
    if ratio >= 99.5:
        return "> × 100"
    return f"{100 * (ratio - 1):.2g} %" if ratio < 1.995 else f"× {ratio:.2g}"


def ratio_words(decision: Decision) -> str:
    """Return a ratio with its interval: ``0.50 [0.45, 0.56]``."""
    if decision.ratio is None:
        return MISSING
    ratio = ratio_text(decision.ratio)
    if decision.low is None or decision.high is None:
        return ratio
    return f"{ratio} [{bound_text(decision.low)}, {bound_text(decision.high)}]"


def ratio_text(ratio: float) -> str:
    """Return a ratio; a small one is not rounded to 0."""
    if not 0.001 <= ratio <= 1000:
        return "<0.001" if ratio < 1 else ">1000"
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def bound_text(bound: float) -> str:
    """Return the end of an interval; one beside 1 is not rounded to 1."""
    text = ratio_text(bound)
    if text != "1.00" or bound == 1:
        return text
    return f"{bound:.3f}" if f"{bound:.3f}" != "1.000" else f"{bound:.5f}"


def deviation(sd: float | None) -> str:
    """Return a relative standard deviation in percent."""
    return MISSING if sd is None else f"{100 * sd:.1f} %"


def decided_rows(decisions: Iterable[Decision]) -> list[Row]:
    """Return a row for each decision; a figure is named only in its first row.

    The columns of the two systems have their names.
    """
    rows: list[Row] = []
    before = ""
    for decision in decisions:
        arrivals = "" if decision.mode == "closed" else "/s"
        value, ratio = decision.reference_value, decision.ratio
        decimals = 0 if value is None or value >= WHOLE else QUANTITIES[decision.figure].decimals
        others = None if value is None or ratio is None else value * ratio
        rows.append(
            {
                "figure": QUANTITIES[decision.figure].label if decision.figure != before else "",
                "cell": f"{decision.workload} {decision.level:g}{arrivals}",
                decision.reference: number(value, decimals),
                decision.system: number(others, decimals),
                "ratio": ratio_words(decision),
                "decided": decision_words(decision),
                SEEN: effect(decision.could_tell),
            }
        )
        before = decision.figure
    return rows


def remarks(decisions: Iterable[Decision]) -> list[str]:
    """Return remarks on decisions: why some are not known, and how many pairs are left out."""
    figures: dict[tuple[str, str], list[str]] = {}
    for decision in decisions:
        where = f"{decision.workload} {decision.load}"
        if decision.left_out and decision.pairs:
            pairs = "1 pair" if decision.left_out == 1 else f"{decision.left_out} pairs"
            figures.setdefault((f"{pairs} left out", where), []).append("")
        if decision.reason:
            words = f"{QUANTITIES[decision.figure].label} not known"
            figures.setdefault((decision.reason, where), []).append(words)
    cells: dict[str, list[str]] = {}
    for (reason, where), remarked in figures.items():
        # What holds for all figures is of the cell.
        of_figure = f"{remarked[0]}, " if len(remarked) == 1 and remarked[0] else ""
        cells.setdefault(f"{of_figure}{reason}", []).append(where)
    return [f"{', '.join(where)}: {why}" for why, where in cells.items()]


def by_systems(decisions: Iterable[Decision]) -> dict[str, list[Decision]]:
    """Group decisions by the compared systems, in words."""
    return grouped(decisions, lambda decision: f"{decision.system} against {decision.reference}")


def any_value(decisions: Iterable[Decision]) -> bool:
    """Return whether a table of decisions would have a figure; otherwise its remarks say all."""
    return any(decision.ratio is not None for decision in decisions)


def print_decisions(decisions: Iterable[Decision], console: Console) -> None:
    """Print a table for each compared system: a row per cell and headline figure."""
    parts = by_systems(decisions)
    last = next((title for title in reversed(parts) if any_value(parts[title])), None)
    for title, part in parts.items():
        if any_value(part):
            note = DECIDED_NOTE if title == last else None
            _print(title, decided_rows(part), note, DECIDED_TEXT, console, "figure")
        else:
            console.print(escape(title), highlight=False)
        for remark in remarks(part):
            console.print(f"[yellow]{escape(remark)}[/yellow]", highlight=False)


def conditions(summary: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Split a summary by preset and backends, with words for each."""
    parts = summary.partition_by("preset", "backends", maintain_order=True)
    return [(condition(part["preset"][0], part["backends"][0]), part) for part in parts]


def condition(preset: str, backends: str) -> str:
    """Return the words for a preset and backends."""
    if preset == backends == UNSTATED:
        return "preset and backends not stated"
    return f"preset {preset}, {backends} backends"


def print_table(summary: pl.DataFrame, console: Console) -> None:
    """Print a summary of `testbed.analysis.summary.tabulate`; it needs 80 columns.

    There are two tables per preset: speed, then failures and cost.
    """
    for words, part in conditions(summary):
        for columns, note in CELL_TABLES:
            rows = [columns(row) for row in part.iter_rows(named=True)]
            _print(f"Operations, {words}", rows, note, CELL_TEXT, console, "system", "workload")


def markdown_table(rows: Iterable[Row], text: Collection[str] | None = None) -> str:
    """Return rows as a Markdown table; empty without rows.

    The first row has the titles of all columns. ``text`` are those of columns that are not numbers;
    None is all.
    """
    if not (given := list(rows)):
        return ""
    titles = list(given[0])
    lines = [
        titles,
        [":---" if text is None or title in text else "---:" for title in titles],
        *([str(row[title]).replace("|", "\\|") for title in titles] for row in given),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _print(
    title: str,
    rows: Sequence[Row],
    note: str | None,
    text: Collection[str],
    console: Console,
    *groups: str,
) -> None:
    """Print a table with an empty line where one of the ``groups`` columns changes.

    If every row is a group, there are none. Names of systems, and a ratio before its interval, are
    broken before a number is cut off.
    ``text`` are the columns that are not numbers. An empty value continues its group.
    """
    table = Table(
        title=escape(title),
        caption=note,
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title_justify="left",
        caption_justify="left",
    )
    fixed = (*DECIDED_TEXT, SEEN)
    for column in rows[0]:
        table.add_column(
            column.replace(" ", "\n") if text is DECIDED_TEXT else column,
            justify="left" if column in text else "right",
            no_wrap=column in fixed if text is DECIDED_TEXT else column not in LONG,
            overflow="fold",
        )
    ends = [
        following is None or any(following[name] not in (row[name], "") for name in groups)
        for row, following in zip(rows, [*rows[1:], None], strict=True)
    ]
    apart = not all(ends)
    for row, last in zip(rows, ends, strict=True):
        table.add_row(*(Text(value) for value in row.values()), end_section=last and apart)
    console.print(table)

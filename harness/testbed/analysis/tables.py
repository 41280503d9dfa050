"""The summary as tables for people: on a terminal of 80 columns, and in the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from testbed.analysis.results import UNSTATED
from testbed.analysis.samples import CLASSES
from testbed.analysis.statistics.intervals import Interval

MISSING = "–"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """One column of a table for people.

    Parameters
    ----------
    title
        With the unit.
    text
        Returns what stands in it for a row of the summary.
    numeric
        Whether it is set flush right.
    """

    title: str
    text: Callable[[Row], str]
    numeric: bool = True


def number(name: str, decimals: int = 0) -> Callable[[Row], str]:
    """Return the formatter of a numeric column; a dash where there is no figure."""

    def text(row: Row) -> str:
        value = row[name]
        return MISSING if value is None else f"{value:,.{decimals}f}"

    return text


def word(name: str) -> Callable[[Row], str]:
    """Return the formatter of a column of words."""
    return lambda row: str(row[name])


def share(name: str) -> Callable[[Row], str]:
    """Return the formatter of a column of shares."""
    return lambda row: MISSING if row[name] is None else percent(row[name])


def percent(part: float) -> str:
    """Return a share of 1 as a percentage that rounds no failure away."""
    if part == 0:
        return "0 %"
    if part < 0.0001:
        return "<0.01 %"
    return f"{100 * part:.2f} %" if part < 0.01 else f"{100 * part:.1f} %"


def share_with_interval(interval: Interval) -> str:
    """Return a share of 1 with its interval, in per cent."""
    low, high = 100 * interval.low, 100 * interval.high
    return f"{percent(interval.estimate)} [{low:.2g}, {high:.2g}]"


def failures(row: Row) -> str:
    """Return the failed arrivals of a row by class, most frequent first."""
    counts = sorted(((row[name], name) for name in CLASSES if row[name]), reverse=True)
    if not counts:
        return "none"
    return ", ".join(
        f"{name.replace('_', ' ')} {count:,} ({percent(row[f'{name}_share'])})"
        for count, name in counts
    )


def level(row: Row) -> str:
    """Return the level: threads, or arrivals per second with their unit."""
    return f"{row['level']:,g}" + ("" if row["mode"] == "closed" else "/s")


CELL = (
    Column("system", word("system"), numeric=False),
    Column("workload", word("workload"), numeric=False),
    Column("level", level),
)
SPEED = (
    *CELL,
    Column("ok/s", number("ok_per_s")),
    Column("mean", number("mean_ms", 1)),
    Column("p50", number("p50_ms")),
    Column("p95", number("p95_ms")),
    Column("p99", number("p99_ms")),
    Column("failed", share("failed_share")),
)
COST = (
    *CELL,
    Column("failures by class", failures, numeric=False),
    Column("ack ms", number("acknowledged_mean_ms", 1)),
    Column("CPU ms", number("server_cpu_ms_per_ok", 2)),
    Column("MB", number("server_rss_mb")),
)
SPEED_NOTE = (
    "level: threads, or arrivals/s; ok/s: successful operations per second; mean and percentiles "
    "of these, in ms"
)
COST_NOTE = (
    "ack: mean time to the acknowledgement; CPU: of all servers, per successful operation; "
    "MB: resident memory of all servers"
)


def conditions(summary: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Split a summary by preset and backends, with words for each."""
    parts = summary.partition_by("preset", "backends", maintain_order=True)
    return [(condition(part["preset"][0], part["backends"][0]), part) for part in parts]


def condition(preset: str, backends: str) -> str:
    """Return the words for a preset and backends."""
    if preset == backends == UNSTATED:
        return "preset and backends not stated"
    return f"preset {preset}, {backends} backends"


def print_table(summary: pl.DataFrame, console: Console | None = None) -> None:
    """Print a summary in two tables per preset: speed, then failures and cost.

    Parameters
    ----------
    summary
        As `testbed.analysis.summary.summarise` returns it.
    console
        Where to; standard output by default. Reads well from 80 columns.
    """
    console = console or Console()
    for words, part in conditions(summary):
        for columns, note in ((SPEED, SPEED_NOTE), (COST, COST_NOTE)):
            table = Table(
                title=f"Operations, {words}",
                caption=note,
                box=SIMPLE_HEAD,
                padding=(0, 1, 0, 0),
                title_justify="left",
                caption_justify="left",
            )
            for column in columns:
                table.add_column(
                    column.title,
                    justify="right" if column.numeric else "left",
                    no_wrap=column.numeric or column in CELL,
                )
            rows = list(part.iter_rows(named=True))
            for row, following in zip(rows, [*rows[1:], None], strict=True):
                last = following is None or _group(row) != _group(following)
                table.add_row(*(Text(column.text(row)) for column in columns), end_section=last)
            console.print(table)


def markdown_table(rows: Iterable[Row], columns: Sequence[Column]) -> str:
    """Return rows as a Markdown table."""
    lines = [
        [column.title for column in columns],
        ["---:" if column.numeric else ":---" for column in columns],
        *([column.text(row).replace("|", "\\|") for column in columns] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _group(row: Row) -> tuple[str, str]:
    return row["system"], row["workload"]

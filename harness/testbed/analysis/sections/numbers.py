"""The tables of cells: speed, failures and cost."""

from __future__ import annotations

import polars as pl

from testbed.analysis.results import UNSTATED
from testbed.analysis.tables import CELL_TABLES, CELL_TEXT, conditions, markdown_table

NOTHING = "There is no usable run."

UNCHECKED = (
    "The sample files hold no check of an answer's body. Answers far smaller than usual are taken "
    "for partial ones, that is, for lists that lack a part; the file itself calls them successes."
)


def numbers(summary: pl.DataFrame) -> str:
    tables = [
        f"**{words[0].upper()}{words[1:]}.** {note}.\n\n"
        + markdown_table(map(columns, part.iter_rows(named=True)), CELL_TEXT)
        for words, part in conditions(summary)
        for columns, note in CELL_TABLES
    ]
    if summary.is_empty():
        return NOTHING
    unchecked = summary.filter((pl.col("preset") == UNSTATED) & (pl.col("partial") > 0))
    return "\n\n".join(tables if unchecked.is_empty() else [*tables, UNCHECKED])

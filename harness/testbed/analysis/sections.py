"""The report's words, as Markdown: what the measurements say, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from testbed.analysis.comparison import compare
from testbed.analysis.results import UNSTATED, Results
from testbed.analysis.samples import Measured
from testbed.analysis.tables import (
    CELL,
    COST,
    COST_NOTE,
    SPEED,
    SPEED_NOTE,
    Column,
    conditions,
    markdown_table,
    number,
    share,
    word,
)

COMPARISON = (
    Column("workload", word("workload"), numeric=False),
    Column("threads", number("threads")),
    Column("p95 sync, ms", number("p95_ms")),
    Column("p95 async, ms", number("p95_ms_async")),
    Column("async ÷ sync", number("p95_ms_ratio", 2)),
    Column("ok/s sync", number("ok_per_s")),
    Column("ok/s async", number("ok_per_s_async")),
    Column("async ÷ sync", number("ok_per_s_ratio", 2)),
    Column("failed sync", share("failed_share")),
    Column("failed async", share("failed_share_async")),
    Column("runs", lambda row: f"{row['runs']} / {row['runs_async']}"),
    Column("decided", lambda row: "no", numeric=False),
)

PER_SAMPLE = (
    *CELL,
    Column("samples", number("samples")),
    Column("mean of samples, ms", number("sample_mean_ms", 2)),
    Column("failed samples", share("failed_sample_share")),
    Column("operations", number("operations")),
    Column("mean of operations, ms", number("mean_ms", 2)),
    Column("failed operations", share("failed_share")),
)

ENVIRONMENT = (
    Column("what", word("what"), numeric=False),
    Column("value", word("value"), numeric=False),
)

UNCHECKED = (
    "The sample files hold no check of an answer's body. Answers far smaller than usual are taken "
    "for partial ones, that is, for lists that lack a cinema; the file itself calls them successes."
)


def heading(measured: Measured) -> str:
    """Return the title, and in one line what was measured."""
    cells = list(measured.by_cell())
    variants = " and ".join(dict.fromkeys(cell.variant for cell in cells))
    workloads = " and ".join(dict.fromkeys(cell.workload for cell in cells))
    levels = ", ".join(str(level) for level in sorted({cell.threads for cell in cells}))
    return (
        f"# Microservice patterns under load: {variants}\n\n"
        f"Results `{measured.results.path.resolve().name}`. Workloads: {workloads}. "
        f"Threads, in a closed loop: {levels}. "
        f"{len(measured.measurements)} runs of {len(cells)} cells."
    )


def answer(measured: Measured, summary: pl.DataFrame) -> str:
    """Return which pattern served which load better, and how sure that is."""
    paragraphs = [_certainty(summary)]
    for words, part in conditions(compare(summary)):
        seen = "\n".join(f"- {sentence}" for sentence in _seen(part))
        table = markdown_table(part.iter_rows(named=True), COMPARISON)
        paragraphs += [f"{_capital(words)}:", seen, table]
    if measured.unreadable:
        paragraphs.append("Runs that could not be read, and are in no figure:")
        paragraphs.append(
            "\n".join(f"- `{run}`: {why}" for run, why in measured.unreadable.items())
        )
    return "\n\n".join(paragraphs)


def numbers(summary: pl.DataFrame) -> str:
    """Return the tables of speed, and of failures and cost."""
    tables = [
        f"**{_capital(words)}.** {note}.\n\n" + markdown_table(part.iter_rows(named=True), columns)
        for words, part in conditions(summary)
        for columns, note in ((SPEED, SPEED_NOTE), (COST, COST_NOTE))
    ]
    unchecked = summary.filter((pl.col("preset") == UNSTATED) & (pl.col("partial") > 0))
    return "\n\n".join(tables if unchecked.is_empty() else [*tables, UNCHECKED])


def per_sample(summary: pl.DataFrame) -> str:
    """Return the figures per HTTP exchange, beside those per operation."""
    return "\n\n".join(
        f"**{_capital(words)}**\n\n" + markdown_table(part.iter_rows(named=True), PER_SAMPLE)
        for words, part in conditions(summary)
    )


def environment(results: Results) -> str:
    """Return what the measurements were made with."""
    if not results.environment:
        return "Not recorded: loose sample files say nothing of their conditions."
    rows = ({"what": what, "value": value} for what, value in _flat(results.environment))
    return markdown_table(rows, ENVIRONMENT)


def reproduction(results: Results) -> str:
    """Return the commands that give these figures again, and the experiment as it was run."""
    report = (
        "The same report from the same sample files, which are never changed:\n\n"
        "```\n./testbed report RESULTS\n```"
    )
    if not results.declaration:
        return report
    return (
        f"{report}\n\nThe same measurement, with this experiment saved as a file:\n\n"
        f"```\n./testbed run EXPERIMENT.yaml\n```\n\n```\n{results.declaration.strip()}\n```"
    )


def _certainty(summary: pl.DataFrame) -> str:
    """Return in how far the comparison is decided."""
    if compare(summary).is_empty():
        return (
            "**Not decided:** no level was measured in both variants, so nothing can be compared."
        )
    if max(summary["runs"].to_list()) == 1:
        return (
            "**Not decided.** Each cell was run once, and one run per cell gives no interval: it "
            "cannot tell the effect of the pattern from what differs between any two runs. The "
            "ratios below are what was seen, not a finding."
        )
    return (
        "**Not decided.** The runs of each cell are pooled and no interval is computed: the ratios "
        "below are what was seen, not a finding."
    )


def _seen(comparison: pl.DataFrame) -> Iterator[str]:
    """Return for each workload, in a sentence, how the variants stood to one another."""
    for part in comparison.partition_by("workload", maintain_order=True):
        levels = part["threads"].to_list()
        at = f"{levels[0]} threads" if len(levels) == 1 else f"{levels[0]} to {levels[-1]} threads"
        slower, goodput = (_range(part[f"{name}_ratio"]) for name in ("p95_ms", "ok_per_s"))
        yield (
            f"`{part['workload'][0]}`, {at}: async's 95th percentile was {slower} times sync's, "
            f"its goodput {goodput} times."
        )


def _range(ratios: pl.Series) -> str:
    known = sorted(ratios.drop_nulls().to_list())
    if not known:
        return "an unknown number of"
    low, high = f"{known[0]:.2f}", f"{known[-1]:.2f}"
    return low if low == high else f"{low} to {high}"


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Return the leaves of nested mappings with their paths; lists are one leaf."""
    for key, value in tree.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path} / ")
        elif isinstance(value, list):
            yield path, " ".join(str(item) for item in value)
        else:
            yield path, str(value)

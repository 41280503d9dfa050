"""Two results side by side: what became faster or slower, and whether that is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from testbed import environment
from testbed.analysis.decisions import Comparison, Question, compare_runs
from testbed.analysis.quantities import FIGURES, MORE_IS_BETTER, WORDS
from testbed.analysis.samples import load
from testbed.analysis.tables import MISSING
from testbed.analysis.verdicts import judge_all
from testbed.errors import UserError

SHOWN = ("p50_ms", "p95_ms", "ok_per_s", "cpu_ms_per_ok")
"""Figures of the table; a regression is looked for in all."""


@dataclass(frozen=True)
class Regression:
    """A figure that became worse, decided, by more than was allowed.

    Parameters
    ----------
    comparison
        Where.
    figure
        Which.
    factor
        How many times worse, above 1.
    """

    comparison: Comparison
    figure: str
    factor: float

    def __str__(self) -> str:
        """Return it in one line."""
        one = self.comparison
        interval = one.ratios[self.figure].interval
        known = f" [{interval.low:.2f}, {interval.high:.2f}]" if interval is not None else ""
        observed = one.ratios[self.figure].observed or 0.0
        return (
            f"{one.second}, {one.question.workload}, {one.load}: {WORDS[self.figure]} "
            f"×{observed:.2f}{known}"
        )


def side_by_side(results: Path, base: Path, *, anyway: bool = False) -> list[Comparison]:
    """Compare the cells that two results have in common.

    Parameters
    ----------
    results
        The results that are looked at.
    base
        What they are held against; ratios are results divided by base.
    anyway
        Whether to compare results of different environments.

    Raises
    ------
    UserError
        If one of them cannot be read, they were measured in different environments, or have no
        usable cell in common.
    """
    ours, theirs = judge_all(load(results)), judge_all(load(base))
    differing = environment.differences(theirs.results.environment, ours.results.environment)
    if differing and not anyway:
        raise UserError(
            f"{results} and {base} were measured in different environments:\n"
            + "\n".join(differing),
            "--anyway compares them all the same.",
        )
    before, after = theirs.used.by_cell(), ours.used.by_cell()
    shared = [cell for cell in after if cell in before]
    if not shared:
        raise UserError(f"{results} and {base} have no usable cell in common")
    return [
        compare_runs(
            Question(cell.workload, cell.backends, cell.mode, cell.preset),
            cell.level,
            (cell.system, before[cell]),
            (cell.system, after[cell]),
        )
        for cell in shared
    ]


def regressions(compared: Sequence[Comparison], factor: float) -> list[Regression]:
    """Return what is worse by more than a factor, and decided.

    Parameters
    ----------
    compared
        As `side_by_side` returns it.
    factor
        At least 1: 1.10 allows response times and CPU time to rise, and goodput to fall, by 10 %.

    Raises
    ------
    UserError
        If the factor is less than 1.
    """
    if factor < 1:
        raise UserError(f"--fail-above is {factor:g}; it must be at least 1, for example 1.10")
    found = []
    for one in compared:
        for figure in FIGURES:
            observed = one.ratios[figure].observed
            if not observed or one.winner(figure) != "first":
                continue
            worse = 1 / observed if figure in MORE_IS_BETTER else observed
            if worse > factor:
                found.append(Regression(one, figure, worse))
    return found


def print_comparison(compared: Sequence[Comparison], console: Console) -> None:
    """Print the ratios of two results; an asterisk marks what is decided."""
    table = Table(
        title="Results ÷ base",
        caption="* decided: the 95 % interval excludes 1, with three usable runs of each or more",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title_justify="left",
        caption_justify="left",
    )
    for title in ("system", "workload", "load"):
        table.add_column(title)
    for figure in SHOWN:
        table.add_column({"cpu_ms_per_ok": "CPU"}.get(figure, WORDS[figure]), justify="right")
    table.add_column("runs", justify="right")
    for one in compared:
        table.add_row(
            one.second,
            one.question.workload,
            one.load,
            *(_ratio(one, figure) for figure in SHOWN),
            f"{one.runs[1]}/{one.runs[0]}",
        )
    console.print(table)


def _ratio(one: Comparison, figure: str) -> str:
    ratio = one.ratios[figure]
    if ratio.observed is None:
        return MISSING
    return f"{ratio.observed:.2f}{'*' if one.winner(figure) else ' '}"

"""Two results side by side: what became faster or slower, and whether that is decided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from testbed import environment
from testbed.analysis.decisions import DECIDING_RUNS, Comparison, Question, compare_runs
from testbed.analysis.quantities import FIGURES, MORE_IS_BETTER, WORDS
from testbed.analysis.results import Cell
from testbed.analysis.samples import load
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.tables import MISSING
from testbed.analysis.verdicts import judge_all
from testbed.errors import UserError

FAILED = "failed"
SHOWN = ("p50_ms", "p95_ms", "ok_per_s", "cpu_ms_per_ok")
"""Figures of the table; a regression is looked for in all."""

ALIKE = (
    "loops",
    "duration",
    "ramp",
    "warmup",
    "fetch",
    "arrivals",
    "max_in_flight",
    "schedule",
    "disturb",
    "local_ports",
)
"""What two experiments must declare alike, or it shows in the figures."""


@dataclass(frozen=True)
class SideBySide:
    """Two results side by side.

    Parameters
    ----------
    compared
        The cells that both have usable runs of; at least one.
    missing
        Cells that the base has usable runs of, and the results have not.
    """

    compared: tuple[Comparison, ...]
    missing: tuple[Cell, ...]

    @property
    def undecidable(self) -> tuple[Comparison, ...]:
        """Comparisons of too few runs to decide anything."""
        return tuple(one for one in self.compared if min(one.runs) < DECIDING_RUNS)


@dataclass(frozen=True)
class Regression:
    """A figure that became worse, decided, by more than was allowed.

    Parameters
    ----------
    comparison
        Where.
    figure
        Which; ``failed`` for the share of failed operations.
    factor
        How many times worse, above 1; infinite where nothing had failed.
    """

    comparison: Comparison
    figure: str
    factor: float

    def __str__(self) -> str:
        """Return it in one line."""
        one = self.comparison
        where = f"{one.second}, {one.question.workload}, {one.load}"
        if self.figure == FAILED:
            return f"{where}: failed {_share(one.failed[0])} → {_share(one.failed[1])}"
        interval = one.ratios[self.figure].interval
        known = f" [{interval.low:.2f}, {interval.high:.2f}]" if interval is not None else ""
        observed = one.ratios[self.figure].observed or 0.0
        return f"{where}: {WORDS[self.figure]} ×{observed:.2f}{known}"


def side_by_side(results: Path, base: Path, *, anyway: bool = False) -> SideBySide:
    """Compare the cells that two results have in common.

    Parameters
    ----------
    results
        The results that are looked at.
    base
        What they are held against; ratios are results divided by base.
    anyway
        Whether to compare results of different environments, or measured in different ways.

    Raises
    ------
    UserError
        If one of them cannot be read, they were measured in different environments or in different
        ways, or have no usable cell in common.
    """
    ours, theirs = judge_all(load(results)), judge_all(load(base))
    differing = environment.differences(theirs.results.environment, ours.results.environment)
    declared = theirs.results.declared, ours.results.declared
    if all(declared):
        differing += environment.differences(*declared, ALIKE)
    if differing and not anyway:
        raise UserError(
            f"{results} and {base} were measured in different environments or ways:\n"
            + "\n".join(differing),
            "--anyway compares them all the same.",
        )
    before, after = theirs.used.by_cell(), ours.used.by_cell()
    shared = [cell for cell in after if cell in before]
    if not shared:
        raise UserError(f"{results} and {base} have no usable cell in common")
    compared = tuple(
        compare_runs(
            Question(cell.workload, cell.backends, cell.mode, cell.preset),
            cell.level,
            (cell.system, before[cell]),
            (cell.system, after[cell]),
        )
        for cell in shared
    )
    return SideBySide(compared, tuple(cell for cell in before if cell not in after))


def regressions(compared: Sequence[Comparison], factor: float) -> list[Regression]:
    """Return what is worse by more than a factor, and decided.

    Failures are worse if their share rose for certain, by whatever factor.

    Parameters
    ----------
    compared
        As `side_by_side` returns it.
    factor
        At least 1 and finite: 1.10 allows response times and CPU time to rise, and goodput to fall,
        by 10 %.

    Raises
    ------
    UserError
        If the factor is less than 1, or no number.
    """
    if not 1 <= factor < math.inf:
        raise UserError(f"--fail-above is {factor:g}; it must be at least 1, for example 1.10")
    found = []
    for one in compared:
        before, after = one.failed
        if min(one.runs) >= DECIDING_RUNS and after.low > before.high:
            times = after.estimate / before.estimate if before.estimate else math.inf
            found.append(Regression(one, FAILED, times))
        for figure in FIGURES:
            observed = one.ratios[figure].observed
            if not observed or one.winner(figure) != "first":
                continue
            worse = 1 / observed if figure in MORE_IS_BETTER else observed
            if worse > factor:
                found.append(Regression(one, figure, worse))
    return found


def print_comparison(both: SideBySide, console: Console) -> None:
    """Print the ratios of two results, and what cannot be compared; an asterisk: decided."""
    table = Table(
        title="Results ÷ base",
        caption="* decided: the 95 % interval excludes 1, with three usable runs of each or more. "
        "Failed and runs: base → results. Level: threads, or arrivals/s",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title_justify="left",
        caption_justify="left",
    )
    for title in ("system", "workload"):
        table.add_column(title)
    table.add_column("level", justify="right")
    for figure in SHOWN:
        table.add_column({"cpu_ms_per_ok": "CPU"}.get(figure, WORDS[figure]), justify="right")
    for title in ("failed", "runs"):
        table.add_column(title, justify="right")
    for one in both.compared:
        table.add_row(
            one.second,
            one.question.workload,
            f"{one.level:g}",
            *(_ratio(one, figure) for figure in SHOWN),
            f"{_share(one.failed[0])} → {_share(one.failed[1])}",
            f"{one.runs[0]} → {one.runs[1]}",
        )
    console.print(table)
    for cell in both.missing:
        console.print(
            f"[red]missing[/red] {cell.system}, {cell.workload}, {cell.load}: only the base has "
            "usable runs",
            highlight=False,
        )
    if few := len(both.undecidable):
        console.print(
            f"[yellow]not decidable[/yellow] {few} of {len(both.compared)}: fewer than "
            f"{DECIDING_RUNS} usable runs on a side",
            highlight=False,
        )


def _share(failed: Interval) -> str:
    return f"{100 * failed.estimate:.2g} %"


def _ratio(one: Comparison, figure: str) -> str:
    ratio = one.ratios[figure]
    if ratio.observed is None:
        return MISSING
    return f"{ratio.observed:.2f}{'*' if one.winner(figure) else ' '}"

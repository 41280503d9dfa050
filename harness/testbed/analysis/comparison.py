"""Two results side by side: what became faster or slower, and whether that is decided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from scipy import stats

from testbed import environment
from testbed.analysis.decisions import DECIDING_RUNS, HEADLINE, Decision, decided, figures_of
from testbed.analysis.quantities import FIGURES, WORDS, failed_share
from testbed.analysis.results import Cell
from testbed.analysis.samples import Measurement, load
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import unpaired_ratios
from testbed.analysis.tables import print_decisions, ratio_words
from testbed.analysis.verdicts import judge_all
from testbed.errors import UserError

FAILED = "failed"
BASE = "the base"
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
class Compared:
    """A cell of two results.

    Parameters
    ----------
    cell
        Which.
    runs
        Of the base and of the results.
    failed
        Share of each one's arrivals that failed or never began.
    decisions
        By figure: the results against the base.
    """

    cell: Cell
    runs: tuple[int, int]
    failed: tuple[Interval, Interval]
    decisions: Mapping[str, Decision]

    @property
    def where(self) -> str:
        """The cell in words."""
        return f"{self.cell.system}, {self.cell.workload}, {self.cell.load}"

    @property
    def failures(self) -> str:
        """The failed shares in words."""
        return " → ".join(f"{100 * share.estimate:.2g} %" for share in self.failed)


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

    compared: tuple[Compared, ...]
    missing: tuple[Cell, ...]

    @property
    def undecidable(self) -> tuple[Compared, ...]:
        """Cells of too few runs to decide anything."""
        return tuple(one for one in self.compared if min(one.runs) < DECIDING_RUNS)


@dataclass(frozen=True)
class Regression:
    """A figure that became worse, decided, by more than was allowed.

    Parameters
    ----------
    compared
        Where.
    figure
        Which; ``failed`` for the share of failed operations.
    factor
        How many times worse, above 1; infinite where nothing had failed.
    """

    compared: Compared
    figure: str
    factor: float

    def __str__(self) -> str:
        """Return it in one line."""
        where = self.compared.where
        if self.figure == FAILED:
            return f"{where}: failed {self.compared.failures}"
        return f"{where}: {WORDS[self.figure]} ×{ratio_words(self.compared.decisions[self.figure])}"


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

    Notes
    -----
    Runs of two results are no pairs: Welch's test, Holm over the cells of each figure.
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
    before, after = (
        replace(one.used, measurements=one.deciding).by_cell() for one in (theirs, ours)
    )
    shared = {cell: (before[cell], after[cell]) for cell in after if cell in before}
    if not shared:
        raise UserError(f"{results} and {base} have no usable cell in common")
    failed = {cell: (failed_share(runs[0]), failed_share(runs[1])) for cell, runs in shared.items()}
    found = {figure: _decide(shared, failed, figure) for figure in FIGURES}
    return SideBySide(
        tuple(
            Compared(
                cell,
                (len(runs[0]), len(runs[1])),
                failed[cell],
                {figure: found[figure][cell] for figure in FIGURES},
            )
            for cell, runs in shared.items()
        ),
        tuple(cell for cell in before if cell not in after),
    )


def regressions(compared: Sequence[Compared], factor: float) -> list[Regression]:
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
        for figure, decision in one.decisions.items():
            if decision.decision == "worse" and decision.ratio:
                worse = max(decision.ratio, 1 / decision.ratio)
                if worse > factor:
                    found.append(Regression(one, figure, worse))
    return found


def print_comparison(both: SideBySide, console: Console) -> None:
    """Print what is decided of two results, and what cannot be compared."""
    print_decisions(
        (one.decisions[figure] for figure in HEADLINE for one in both.compared), console
    )
    for one in both.compared:
        if any(share.estimate for share in one.failed):
            console.print(f"failed {one.where}: {one.failures}", highlight=False)
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


def _decide(
    shared: Mapping[Cell, tuple[Sequence[Measurement], Sequence[Measurement]]],
    failed: Mapping[Cell, tuple[Interval, Interval]],
    figure: str,
) -> dict[Cell, Decision]:
    """Decide each cell by one figure; the ratio alone is known of fewer runs than decide."""
    sides = {cell: figures_of(runs, figure) for cell, runs in shared.items()}
    enough = [cell for cell, figures in sides.items() if min(map(len, figures)) >= DECIDING_RUNS]
    told = dict(
        zip(
            enough,
            unpaired_ratios(
                [sides[cell][1] for cell in enough], [sides[cell][0] for cell in enough]
            ),
            strict=True,
        )
    )
    found = {}
    for cell, (below, above) in sides.items():
        name, pairs = cell.system, min(below.size, above.size)
        one = Decision(name, BASE, cell.workload, cell.mode, cell.level, figure, pairs=pairs)
        if cell in told:
            more = failed[cell][1].estimate - failed[cell][0].estimate
            found[cell] = decided(one, told[cell], (below, above), more)
        else:
            ratio = float(stats.gmean(above) / stats.gmean(below)) if below.size else None
            found[cell] = replace(one, ratio=ratio)
    return found

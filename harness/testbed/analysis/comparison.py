"""Compare two results: what became faster or slower, and whether that is decided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from scipy import stats

from testbed.analysis.decisions import DECIDING_RUNS, Decision, decided, figures_of
from testbed.analysis.quantities import HEADLINE, QUANTITIES, failed_share, run_figure
from testbed.analysis.results import Cell
from testbed.analysis.samples import Measurement, load
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import unpaired_ratios
from testbed.analysis.tables import percent, print_decisions, ratio_words
from testbed.analysis.verdicts import judge_all
from testbed.model import environment
from testbed.model.errors import UserError

BASE = "the base"
ALIKE = (
    "loops",
    "duration",
    "blocks",
    "ramp",
    "warmup",
    "fetch",
    "arrivals",
    "max_in_flight",
    "schedule",
    "burst",
    "drain",
    "generators",
    "together",
    "demand",
    "disturb",
)
"""What two experiments must declare alike, because it affects the figures."""


@dataclass(frozen=True)
class SideBySide:
    """Two results side by side."""

    decisions: tuple[Decision, ...]
    """The results against the base; ``pairs`` is the number of runs on the side that has fewer."""
    runs: Mapping[Cell, int]
    """The same number, for cells with deciding runs on both sides; at least one cell."""
    failed: Mapping[Cell, tuple[Interval, Interval]]
    """The share of arrivals that failed or never began, of the base and of the results."""
    missing: tuple[Cell, ...]
    """Cells of the base without a deciding run in the results, or with a run without a success."""
    apart: tuple[Cell, ...] = ()
    """Cells of the base at a share of what was served, which is another rate in the results."""

    @property
    def undecidable(self) -> int:
        """Number of cells with too few runs to decide anything."""
        return sum(runs < DECIDING_RUNS for runs in self.runs.values())


def side_by_side(results: Path, base: Path, *, anyway: bool = False) -> SideBySide:
    """Compare the cells that two results have in common; ratios are ``results`` ÷ ``base``.

    ``anyway`` allows different environments and ways of measuring. Runs of two results are
    unpaired: Welch's test, Holm over the cells of each figure.

    Raises `UserError` if one of them cannot be read, their environments or ways of measuring
    differ, or they have no cell in common with runs that may decide.
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
    before, after = (judged.decisive.used.by_cell() for judged in (theirs, ours))
    shared = [cell for cell in after if cell in before]
    if not shared:
        raise UserError(f"{results} and {base} have no cell in common with runs that may decide")
    runs = {cell: min(len(before[cell]), len(after[cell])) for cell in shared}
    failed = {cell: (failed_share(before[cell]), failed_share(after[cell])) for cell in shared}
    decisions: list[Decision] = []
    for figure in QUANTITIES:
        sides = {cell: figures_of((before[cell], after[cell]), figure) for cell in shared}
        enough = [cell for cell in shared if sides[cell][0].size and runs[cell] >= DECIDING_RUNS]
        ratios = unpaired_ratios(*([sides[cell][side] for cell in enough] for side in (1, 0)))
        by_cell = dict(zip(enough, ratios, strict=True))
        for cell, (below, above) in sides.items():
            decision = Decision(
                cell.system, BASE, cell.workload, cell.mode, cell.level, figure, pairs=runs[cell]
            )
            if cell in by_cell:
                more = failed[cell][1].estimate - failed[cell][0].estimate
                decision = decided(decision, by_cell[cell], (below, above), more)
            elif below.size:
                decision = replace(decision, ratio=float(stats.gmean(above) / stats.gmean(below)))
            decisions.append(decision)
    apart = tuple(
        cell for cell in before if cell not in after and _by_share(cell, theirs.results.declared)
    )
    missing = tuple(
        cell
        for cell in before
        if cell not in apart
        and (cell not in after or (_served(before[cell]) and not _served(after[cell])))
    )
    return SideBySide(tuple(decisions), runs, failed, missing, apart)


def regressions(both: SideBySide, factor: float) -> list[str]:
    """Return in words what is decided to be worse, with a ratio beyond a factor.

    ``factor`` is at least 1 and finite: 1.10 allows response times and CPU time to rise, and
    goodput to fall, by 10 %. Failures are worse if their share certainly rose, by whatever factor.
    Raises `UserError` if the factor is out of range.
    """
    if not 1 <= factor < math.inf:
        raise UserError(f"--fail-above is {factor:g}; it must be at least 1, for example 1.10")
    failures = [
        f"{_where(cell)}: failed {_shares(shares)}"
        for cell, shares in both.failed.items()
        if both.runs[cell] >= DECIDING_RUNS and shares[1].low > shares[0].high
    ]
    return failures + [
        f"{_where(decision)}: {QUANTITIES[decision.figure].words} ×{ratio_words(decision)}"
        for decision in both.decisions
        if decision.decision == "worse"
        and decision.ratio
        and max(decision.ratio, 1 / decision.ratio) > factor
    ]


def print_comparison(both: SideBySide, console: Console) -> None:
    """Print the decisions on two results, and what cannot be compared."""
    headline = sorted(
        (decision for decision in both.decisions if decision.figure in HEADLINE),
        key=lambda decision: HEADLINE.index(decision.figure),
    )
    print_decisions(headline, console)
    for cell, shares in both.failed.items():
        if any(share.estimate for share in shares):
            console.print(escape(f"failed {_where(cell)}: {_shares(shares)}"), highlight=False)
    for cell in both.missing:
        console.print(
            f"[red]missing[/red] {escape(_where(cell))}: no run that may decide, or one without a "
            "success",
            highlight=False,
        )
    for cell in both.apart:
        console.print(
            f"[yellow]not compared[/yellow] {escape(_where(cell))}: a share of what is served is "
            "another rate in the other results; rates in arrivals/s can be compared",
            highlight=False,
        )
    if both.undecidable:
        console.print(
            f"[yellow]not decidable[/yellow] {both.undecidable} of {len(both.runs)}: fewer than "
            f"{DECIDING_RUNS} runs that may decide on a side",
            highlight=False,
        )
    console.print(
        "These runs are no pairs: what changed on the machine between the two results counts as a "
        "difference. Systems that are measured together, in turns, decide more surely.",
        highlight=False,
    )


def _by_share(cell: Cell, declared: Mapping[str, Any]) -> bool:
    """Return whether the rate of a cell is a share that was declared."""
    rates = declared.get("rates") or ()
    shares = any(isinstance(rate, str) for rate in rates)
    return shares and cell.mode == "open" and cell.level not in rates


def _served(runs: Sequence[Measurement]) -> bool:
    return all(run_figure(measurement, "ok_per_s") for measurement in runs)


def _where(place: Cell | Decision) -> str:
    return f"{place.system}, {place.workload}, {place.load}"


def _shares(failed: tuple[Interval, Interval]) -> str:
    return " → ".join(percent(share.estimate) for share in failed)

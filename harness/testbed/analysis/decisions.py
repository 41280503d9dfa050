"""Decide which of two systems is better at which load, and how certain that is.

A ratio is a system's figure divided by its reference's. The statistical unit is the pair of starts:
the difference of the logarithms of the figures of two paired runs. With only one pair it is the
block, and the ratio speaks of these starts alone. Response times are of successes, so a system that
fails more is not called the faster one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Literal

import numpy as np
import polars as pl
from scipy import stats

from testbed.analysis.arrays import Floats
from testbed.analysis.grouping import grouped
from testbed.analysis.quantities import (
    AT_RATES,
    CLOCK_MS,
    COMPARED,
    CPU,
    HEADLINE,
    QUANTILES,
    QUANTITIES,
    block_figures,
    failed_share,
    run_figure,
)
from testbed.analysis.results import Cell, Results
from testbed.analysis.samples import Measurement
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import (
    ALIKE,
    FURTHEST,
    DecidedRatio,
    Verdict,
    paired_ratios,
    sd_of_means,
)
from testbed.analysis.statistics.sequential import e_value, sequential_ratios
from testbed.analysis.verdicts import Judged
from testbed.model.loads import Mode, load_words

DECIDING_RUNS = 3
"""Runs per side that a decision needs if they are not paired, as for the thesis's claims."""

ROUNDING = 1e-9

FAILS_APART = 0.01
"""Share of operations by which a system may fail more and still be called the faster one."""

COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(("system", "reference", "workload", "mode"), pl.String),
    "level": pl.Float64,
    "figure": pl.String,
    **dict.fromkeys(("ratio", "low", "high"), pl.Float64),
    "decision": pl.String,
    "could_tell": pl.Float64,
    "pairs": pl.Int64,
    "reason": pl.String,
    **dict.fromkeys(("reference_value", "pair_spread", "freedom", "evidence"), pl.Float64),
}
"""Of ``decisions.csv``: fields of `Decision`."""

Outcome = Literal["better", "worse", "alike", "not known"]
Sides = tuple[Floats, Floats]
"""A figure of each run, of the reference and of the system."""


@dataclass(frozen=True)
class Decision:
    """The decision on a system against its reference, in one cell by one figure."""

    system: str
    reference: str
    workload: str
    mode: Mode
    level: float
    figure: str
    ratio: float | None = None
    """The system's figure divided by the reference's; None if not known."""
    low: float | None = None
    high: float | None = None
    """With `low`, the interval by which the cell is decided: it excludes 1 if the decision is
    ``better`` or ``worse``.
    """
    decision: Outcome = "not known"
    could_tell: float | None = None
    """The smallest ratio above 1 that would have been detected with a probability of 0.8."""
    pairs: int = 0
    """Pairs of starts behind the ratio."""
    pair_spread: float | None = None
    """Spread of the ratio over pairs, or what its blocks imply if that is larger: 0.02 is 2 %.
    Pooled over cells; None if no cell has two pairs, so that the decision speaks of one pair of
    starts only.
    """
    age_s: float | None = None
    """Median age of the stacks when they were measured, s; None if not recorded."""
    left_out: int = 0
    """Pairs with a run that may not decide."""
    reason: str = ""
    """Why the decision is not known, if the figures alone do not say so."""
    reference_value: float | None = None
    """The reference's figure, in its unit: the geometric mean over its runs."""

    freedom: float | None = None
    """Degrees of freedom of `pair_spread`."""
    evidence: float | None = None
    """The e-value against a ratio of 1, where the results decide when to stop."""

    @property
    def load(self) -> str:
        return load_words(self.mode, self.level)

    @property
    def different(self) -> bool:
        return self.decision in ("better", "worse")


@dataclass(frozen=True)
class PairedCell:
    """The paired runs of one cell of a system and its reference.

    ``cell`` is the system's. ``of_reference`` and ``of_system`` are the runs that may
    decide, in order of the pairs. ``left_out`` counts the pairs with a run that may not decide,
    and ``disturbed`` those of them in which other programs used the machine.
    """

    cell: Cell
    of_reference: tuple[Measurement, ...]
    of_system: tuple[Measurement, ...]
    left_out: int
    disturbed: int = 0

    @property
    def pairs(self) -> tuple[int, ...]:
        """The numbers of the pairs of starts, in order."""
        return tuple(measurement.run.repetition for measurement in self.of_system)

    def sides(self, figure: str) -> Sides:
        """Return one figure of each run; empty if a run lacks it."""
        return figures_of((self.of_reference, self.of_system), figure)

    def differences(self, figure: str) -> Floats:
        """Return the logarithm of the ratio of each pair; empty if a run lacks the figure."""
        below, above = self.sides(figure)
        ratios: Floats = np.log(above / below)
        return ratios

    def block_differences(self, figure: str) -> list[Floats]:
        """Return for each pair the logarithms of its blocks' ratios, by place."""
        return [
            np.array(
                [
                    math.log(above / below)
                    for below, above in zip(
                        block_figures(measurement, figure),
                        block_figures(other, figure),
                        strict=False,
                    )
                    if below and above
                ]
            )
            for measurement, other in zip(self.of_reference, self.of_system, strict=True)
        ]


@dataclass
class _Runs:
    """The runs of a cell of one system, by pair of starts."""

    cell: Cell
    made: set[int] = field(default_factory=set)
    disturbed: set[int] = field(default_factory=set)
    deciding: dict[int, Measurement] = field(default_factory=dict)


def decide(
    judged: Judged, figures: Sequence[str] = (), pairs: Collection[int] | None = None
) -> list[Decision]:
    """Decide every cell in which a system and its reference were measured.

    ``figures`` are by default the headline of a closed loop, and what is compared at given rates.
    ``pairs`` are the numbers of the pairs of starts that count; None is all. The decisions are in
    order of system, figure, workload and level. Where no run has a figure of CPU, as the systems
    were not started here, nothing is compared by it. Results that were looked at while they grew
    are decided by what bears any number of looks, see `sequential_ratios`.
    """
    sequential = judged.results.declared.get("precision") is not None

    def wanted(cell: Cell) -> Sequence[str]:
        return figures or compared_by(judged.results, cell.mode)

    metered = not judged.deciding or any(
        measurement.run.server_cpu_s is not None for measurement in judged.deciding
    )
    return [
        decision
        for (reference, system), cells in paired_cells(judged, pairs).items()
        for figure in figures or COMPARED
        if metered or figure != CPU.name
        for decision in _decide(
            *(reference, system, [paired for paired in cells if figure in wanted(paired.cell)]),
            figure,
            sequential=sequential,
        )
    ]


def compared_by(results: Results, mode: Mode) -> Sequence[str]:
    """Return the figures that decide the cells of a closed or an open loop."""
    return AT_RATES if mode == "open" and results.declared.get("blocks") else HEADLINE


def tabulate(decisions: Iterable[Decision]) -> pl.DataFrame:
    """Return the table of ``decisions.csv``."""
    rows = [[getattr(decision, name) for name in COLUMNS] for decision in decisions]
    return pl.DataFrame(rows, COLUMNS, orient="row")


def references(results: Results) -> list[tuple[str, str]]:
    """Return each compared system after its reference.

    The ``groups`` of an experiment define the comparisons. Without them the first system is the
    reference of all others. Searches compare what they find, not the runs on their way.
    """
    if results.declared.get("demand") or results.declared.get("search"):
        return []
    measured = results.systems
    groups = results.declared.get("groups") or [measured]
    return [
        (group[0], system)
        for group in groups
        for system in group[1:]
        if {group[0], system} <= set(measured)
    ]


def paired_cells(
    judged: Judged, pairs: Collection[int] | None = None
) -> dict[tuple[str, str], list[PairedCell]]:
    """Pair the runs of each compared system with those of its reference.

    Returns, by reference and system, the cells in which both were measured, in order.
    """
    runs: dict[str, dict[tuple[str, str, Mode, float], _Runs]] = {}

    def runs_of(cell: Cell) -> _Runs:
        place = cell.workload, cell.backends, cell.mode, cell.level
        return runs.setdefault(cell.system, {}).setdefault(place, _Runs(cell))

    for run in judged.results.runs:
        if pairs is None or run.repetition in pairs:
            runs_of(run.cell).made.add(run.repetition)
            if run.disturbed:
                runs_of(run.cell).disturbed.add(run.repetition)
    for measurement in judged.deciding:
        if pairs is None or measurement.run.repetition in pairs:
            runs_of(measurement.run.cell).deciding[measurement.run.repetition] = measurement
    return {
        (first, second): [
            _paired(runs[first][place], runs[second][place])
            for place in sorted(runs[first].keys() & runs[second].keys())
        ]
        for first, second in references(judged.results)
        if first in runs and second in runs
    }


def own_variance(figure: str) -> bool:
    """Return whether each cell has a variance of its own, instead of one for the family.

    The p95 of some cells differs many times as much from pair to pair as that of others. Goodput
    and CPU are means of whole blocks.
    """
    return bool(QUANTILES.get(figure))


def figures_of(runs: tuple[Sequence[Measurement], Sequence[Measurement]], figure: str) -> Sides:
    """Return one figure of each run of both sides; empty if a run lacks it."""
    values = [
        [value for measurement in side if (value := run_figure(measurement, figure))]
        for side in runs
    ]
    complete = [len(side) for side in values] == [len(side) for side in runs]
    below, above = (np.array(side if complete else []) for side in values)
    return below, above


def decided(undecided: Decision, ratio: DecidedRatio, sides: Sides, fails_more: float) -> Decision:
    """Return a decision completed by the verdict on its ratio.

    ``fails_more`` is the system's share of failed operations minus the reference's.
    """
    below, above = (float(stats.gmean(side)) for side in sides)
    interval, design = ratio.interval, ratio.design
    could_tell = design.could_tell if design else None
    if QUANTILES.get(undecided.figure):
        interval = _by_clock(interval, below, above)
        could_tell = None if could_tell is None else max(could_tell, 1 + CLOCK_MS / below)
    decision, reason = _outcome(undecided.figure, ratio.verdict, interval)
    ahead = decision == "better"
    faster = undecided.figure in QUANTILES and decision in ("better", "worse")
    if faster and (fails_more if ahead else -fails_more) > FAILS_APART:
        name = undecided.system if ahead else undecided.reference
        decision, reason = "not known", f"{name} is faster but fails more"
    return replace(
        undecided,
        ratio=interval.estimate,
        low=interval.low,
        high=interval.high,
        decision=decision,
        could_tell=could_tell,
        pair_spread=design.spread if design else None,
        freedom=design.freedom if design else None,
        evidence=ratio.evidence,
        reason=reason,
        reference_value=below,
    )


def _by_clock(interval: Interval, below: float, above: float) -> Interval:
    """Return an interval that is at least as wide as the clock's resolution of both times, ms.

    Blocks of a few milliseconds agree to the digit, and their ratio would seem to be exact.
    """
    half = CLOCK_MS / 2
    least, most = max((above - half) / (below + half), math.exp(-FURTHEST)), math.exp(FURTHEST)
    if below > half:
        most = (above + half) / (below - half)
    return replace(interval, low=min(interval.low, least), high=max(interval.high, most))


def _paired(base: _Runs, of: _Runs) -> PairedCell:
    shared = sorted(base.deciding.keys() & of.deciding.keys())
    return PairedCell(
        of.cell,
        tuple(base.deciding[pair] for pair in shared),
        tuple(of.deciding[pair] for pair in shared),
        # A system may also have been up with others.
        len(base.made & of.made) - len(shared),
        len(base.made & of.made & (base.disturbed | of.disturbed)),
    )


def _decide(
    reference: str,
    system: str,
    cells: Sequence[PairedCell],
    figure: str,
    *,
    sequential: bool,
) -> Iterator[Decision]:
    differences = [cell.differences(figure) for cell in cells]
    blocks = [cell.block_differences(figure) for cell in cells]
    one_pair = max((of_cell.size for of_cell in differences), default=0) < 2
    places = [place for place, of_cell in enumerate(differences) if of_cell.size]
    # Cells with one label share a variance.
    labels = places if own_variance(figure) else [0] * len(places)
    if sequential:
        ratios = sequential_ratios([differences[place] for place in places])
    elif one_pair:  # Its blocks are the unit.
        of_blocks = [blocks[place][0] for place in places]
        ratios = paired_ratios(of_blocks, sizes=labels, starts=False)
    else:
        by_label = grouped(zip(places, labels, strict=True), lambda labelled: labelled[1])
        implied = {
            label: sd_of_means([pair for place, _ in part for pair in blocks[place]])
            for label, part in by_label.items()
        }
        numbers = sorted({pair for cell in cells for pair in cell.pairs})
        ratios = paired_ratios(
            [_by_pair(cells[place], differences[place], numbers) for place in places],
            [implied[label] for label in labels],
            labels,
        )
    by_place = {
        place: ratio for place, ratio in zip(places, ratios, strict=True) if ratio is not None
    }
    for place, paired in enumerate(cells):
        cell, runs = paired.cell, (*paired.of_reference, *paired.of_system)
        ages = [run.run.age_s for run in runs if run.run.age_s is not None]
        unknown = Decision(
            system=system,
            reference=reference,
            workload=cell.workload,
            mode=cell.mode,
            level=cell.level,
            figure=figure,
            pairs=len(paired.of_reference),
            age_s=median(ages) if ages else None,
            left_out=paired.left_out,
        )
        sides = paired.sides(figure)
        if not runs:
            why = "disturbed by other programs" if paired.disturbed else "no pair of runs counts"
            yield replace(unknown, reason=why)
        elif not sides[0].size:
            yield replace(unknown, reason=f"a run has no {QUANTITIES[figure].words}")
        elif place not in by_place:
            yield replace(
                unknown,
                ratio=math.exp(float(differences[place].mean())),
                evidence=e_value(differences[place]) if sequential else None,
                reason=_too_few(one_pair, sequential),
            )
        else:
            more = (
                failed_share(paired.of_system).estimate - failed_share(paired.of_reference).estimate
            )
            decision = decided(unknown, by_place[place], sides, more)
            yield replace(decision, pair_spread=None, freedom=None) if one_pair else decision


def _by_pair(cell: PairedCell, differences: Floats, numbers: Sequence[int]) -> Floats:
    """Return a difference for each of the pairs of starts; NaN where the cell lacks it."""
    by_pair = dict(zip(cell.pairs, differences, strict=True))
    return np.array([by_pair.get(number, math.nan) for number in numbers])


def _too_few(one_pair: bool, sequential: bool) -> str:
    if sequential:
        return "too few pairs so far"
    return "one block of one pair" if one_pair else "one pair"


def _outcome(figure: str, verdict: Verdict, interval: Interval) -> tuple[Outcome, str]:
    """Return the decision apart from failures, and why JMeter's clock prevents one.

    ``interval`` is as wide as the clock makes it.
    """
    if verdict == "not known":
        return "not known", ""
    if verdict == "alike":
        if max(interval.high, 1 / interval.low) > ALIKE + ROUNDING:
            return "not known", f"{100 * (ALIKE - 1):.0f} % of it is less than the clock's 1 ms"
        return "alike", ""
    if interval.low - ROUNDING <= 1 <= interval.high + ROUNDING:
        return "not known", "the difference is within the clock's 1 ms"
    better = (verdict == "higher") == QUANTITIES[figure].more_is_better
    return ("better" if better else "worse"), ""

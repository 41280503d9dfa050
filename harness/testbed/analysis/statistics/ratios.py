"""The ratio of two systems: its interval, and whether it is decided.

Figures are compared as logarithms. The unit is the pair of starts, or a run, never an operation.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from testbed.analysis.arrays import Floats
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval, factor_interval

ALPHA = 1 - CONFIDENCE
"""Probability of any false decision in a family of cells."""

ALIKE = 1.10
"""Two systems are alike if their ratio lies within this factor of 1."""

POWER = 0.8

FURTHEST = 50.0
"""How far an interval reaches at most from its ratio, as a logarithm: more would say no more."""

Verdict = Literal["alike", "higher", "lower", "not known"]


@dataclass(frozen=True)
class Design:
    """The data behind a ratio, from ``pairs`` pairs in its cell."""

    spread: float
    """Standard deviation of the logarithm of a pair's ratio: 0.02 is about 2 %."""
    pairs: int
    freedom: float
    cells: int = 1
    """Size of the family of cells: Holm's first step tests at α divided by it."""

    @property
    def could_tell(self) -> float:
        """The smallest ratio above 1 that is detected with probability `POWER`.

        Its reciprocal is the smallest detected decrease. This is Bloom's minimum detectable effect
        (Evaluation Review 19(5), 1995), but with the noncentral t distribution: the sum of two
        quantiles of Student's t, which Bloom uses, is too small for few pairs.
        """
        critical = float(stats.t.isf(ALPHA / (2 * self.cells), self.freedom))
        highest = 2 * (critical + float(stats.t.ppf(POWER, self.freedom)))
        shift = optimize.brentq(
            lambda at: stats.nct.sf(critical, self.freedom, at) - POWER, 0, highest
        )
        return math.exp(min(shift * self.spread / math.sqrt(self.pairs), 700))


@dataclass(frozen=True)
class DecidedRatio:
    """The interval and the verdict of one ratio.

    The verdict has Holm's correction over the family of cells. ``alike`` within `ALIKE` is tested
    first, for pairs only, then ``higher`` or ``lower`` than 1. ``design`` is None for unpaired
    runs.

    The interval is that of the test which decides, at the level that Holm's method gives this cell.
    So it excludes 1 if the verdict is ``higher`` or ``lower``, lies within `ALIKE` if it is
    ``alike``, and else contains 1 and reaches beyond `ALIKE`. With a probability of at most `ALPHA`
    any cell of the family has an interval that wrongly excludes 1.
    """

    interval: Interval
    verdict: Verdict
    design: Design | None = None
    evidence: float | None = None
    """The e-value against 1, if the results decide when to stop."""


@dataclass(frozen=True)
class Deviation:
    """A standard deviation, and the degrees of freedom of its estimate."""

    sd: float
    freedom: float


def paired_ratios(
    cells: Sequence[ArrayLike],
    of_blocks: Sequence[Deviation | None] = (),
    sizes: Sequence[Hashable] = (),
    *,
    starts: bool = True,
) -> list[DecidedRatio | None]:
    """Decide a family of cells from the differences of pairs.

    Returns an entry per cell; None where no cell of its size has two pairs, so that the spread is
    unknown.

    Parameters
    ----------
    cells
        For each cell the differences of the logarithms of a figure by pair: equal places are of
        one pair of starts. NaN, or a shorter array, is a missing pair; each cell has one at least.
    of_blocks
        For each cell the deviation of a difference that its blocks imply. If it is larger than that
        between pairs, it takes its place: a few pairs may agree by chance.
    sizes
        For each cell its size: cells of equal size share one variance. Default: all cells.
    starts
        Whether equal places have a start in common, as pairs do. Blocks of different cells do not.

    Notes
    -----
    The estimates are the cells' means. Student's intervals, degrees of freedom by `between_pairs`
    and `larger`; Holm (Scandinavian Journal of Statistics 6, 1979) over the cells; equivalence by
    two one-sided tests (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
    """
    rows = _aligned(cells)
    labels = list(sizes) or [None] * len(cells)
    blocks = list(of_blocks) or [None] * len(cells)
    deviations: dict[int, Deviation] = {}
    for label in dict.fromkeys(labels):
        places = [place for place, own in enumerate(labels) if own == label]
        if (between := between_pairs(rows[places], starts=starts)) is not None:
            deviations |= {place: larger(between, blocks[place]) for place in places}
    testable = sorted(deviations)
    spread = np.array([deviations[place].sd for place in testable])
    freedom = np.array([deviations[place].freedom for place in testable])
    counts = (~np.isnan(rows[testable])).sum(axis=1)
    estimates = np.array([float(np.nanmean(rows[place])) for place in testable])
    errors = spread / np.sqrt(counts)
    margin = math.log(ALIKE)
    with np.errstate(divide="ignore", invalid="ignore"):  # Runs that do not differ at all.
        above, below = ((estimates + side) / errors for side in (margin, -margin))
        differs = np.nan_to_num(2 * special.stdtr(freedom, -np.abs(estimates) / errors), nan=1.0)
    not_alike = np.maximum(special.stdtr(freedom, -above), special.stdtr(freedom, below))
    alike, apart = holm(not_alike), holm(differs)
    # Where nothing is decided, the wider interval: it fits both tests.
    undecided = np.minimum(alike.levels, apart.levels / 2)
    decided_apart = np.where(apart.rejected, apart.levels / 2, undecided)
    levels = np.where(alike.rejected, alike.levels, decided_apart)
    reach = np.minimum(-special.stdtrit(freedom, levels) * errors, FURTHEST)
    decided = {
        place: DecidedRatio(
            Interval(math.exp(estimate), math.exp(estimate - wide), math.exp(estimate + wide)),
            "alike" if alike.rejected[i] else _side(estimate) if apart.rejected[i] else "not known",
            Design(float(spread[i]), int(counts[i]), float(freedom[i]), len(testable)),
        )
        for i, (place, estimate, wide) in enumerate(zip(testable, estimates, reach, strict=True))
    }
    return [decided.get(place) for place in range(len(cells))]


def _aligned(cells: Sequence[ArrayLike]) -> Floats:
    """Return a row for each cell and a column for each pair; NaN where a pair is missing."""
    given = [np.asarray(cell, dtype=float) for cell in cells]
    rows = np.full((len(given), max((cell.size for cell in given), default=0)), np.nan)
    for row, cell in zip(rows, given, strict=True):
        row[: cell.size] = cell
    return rows


@dataclass(frozen=True)
class Tests:
    """The outcome of Holm's method for a family of hypotheses, in their order."""

    rejected: npt.NDArray[np.bool_]
    levels: Floats
    """The level at which each is tested: `ALPHA` divided by the number of hypotheses left at its
    step. After the first that is not rejected, the level stays.
    """


def holm(pvalues: ArrayLike) -> Tests:
    """Test a family of hypotheses by Holm's method at `ALPHA`."""
    values = np.asarray(pvalues, dtype=float)
    order = np.argsort(values, kind="stable")
    left = np.arange(values.size, 0, -1)
    passes = np.logical_and.accumulate(values[order] <= ALPHA / left)
    steps = np.minimum(np.arange(values.size), passes.sum())
    rejected, levels = np.zeros(values.size, dtype=bool), np.zeros(values.size)
    rejected[order], levels[order] = passes, ALPHA / (values.size - steps)
    return Tests(rejected, levels)


def larger(between: Deviation, of_blocks: Deviation | None) -> Deviation:
    """Return the deviation that decides: that between pairs, or the larger one of their blocks.

    What the blocks do not explain is then estimated as none, and is as uncertain as the variance
    between pairs. So the degrees of freedom are Satterthwaite's: those between pairs, times the
    squared ratio of the variances, at most those of the blocks.
    """
    if of_blocks is None or of_blocks.sd <= between.sd:
        return between
    if not between.sd:
        return of_blocks
    freedom = between.freedom * (of_blocks.sd / between.sd) ** 4
    return Deviation(of_blocks.sd, min(freedom, of_blocks.freedom))


def between_pairs(rows: Floats, *, starts: bool = True) -> Deviation | None:
    """Return the deviation of cells' differences between pairs; None if no cell has two pairs.

    ``rows`` has a row for each cell, a column for each pair, and NaN for a missing pair. A start
    moves all cells of its pair together, so they are fewer independent values than there are. That
    part of the variance, the share ρ, is estimated from the products of different cells of a pair.
    Of C cells in all of P pairs, the degrees of freedom are C (P - 1) / (1 + (C - 1) ρ²): from
    C (P - 1) without such an effect down to P - 1, the pairs themselves. This is Satterthwaite's
    rule (Biometrics Bulletin 2, 1946) for the pooled variance, with missing pairs as well.
    Without ``starts`` ρ is 0.
    """
    there = ~np.isnan(rows)
    counts = there.sum(axis=1)
    if (own := pooled_sd([row[kept] for row, kept in zip(rows, there, strict=True)])) is None:
        return None
    if not starts or not own.sd:
        return own
    counted = counts > 1
    part, kept = rows[counted], there[counted]
    rest = np.where(kept, part - np.nanmean(part, axis=1, keepdims=True), 0.0)
    shared = kept.astype(float) @ kept.T
    size = counts[counted].astype(float)
    weights = shared - shared / size - shared / size[:, None] + shared**2 / np.outer(size, size)
    np.fill_diagonal(weights, 0.0)
    products = rest @ rest.T
    total = weights.sum()
    if total <= 0:
        return own
    together = (products.sum() - np.trace(products)) / total
    share = min(max(together / own.sd**2, 0.0), 1.0)
    return Deviation(own.sd, own.freedom**2 / (own.freedom + share**2 * total))


def pooled_sd(groups: Iterable[ArrayLike]) -> Deviation | None:
    """Return the standard deviation within groups; None if no group has two values."""
    repeated = [group for values in groups if (group := np.asarray(values, dtype=float)).size > 1]
    if not repeated:
        return None
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in repeated)
    freedom = sum(group.size - 1 for group in repeated)
    return Deviation(math.sqrt(squares / freedom), freedom)


def sd_of_means(pairs: Sequence[Floats]) -> Deviation | None:
    """Return the deviation of the means of pairs that their blocks imply; None if not known."""
    if (within := pooled_sd(pairs)) is None:
        return None
    return Deviation(within.sd / math.sqrt(max(pair.size for pair in pairs)), within.freedom)


def unpaired_ratios(above: Sequence[ArrayLike], below: Sequence[ArrayLike]) -> list[DecidedRatio]:
    """Decide a family of cells from unpaired runs; equivalence is not tested.

    ``above`` and ``below`` hold for each cell a positive figure of each run, at least two on each
    side. The ratio is that of their geometric means. Welch's test (Biometrika 34, 1947) of the
    logarithms, Holm over the cells.
    """
    estimates, pvalues, tests = [], [], []
    for over, other in zip(above, below, strict=True):
        logs = np.log(over), np.log(other)
        estimates.append(float(logs[0].mean() - logs[1].mean()))
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # Equal runs.
            test = stats.ttest_ind(*logs, equal_var=False)
        pvalues.append(float(np.nan_to_num(test.pvalue, nan=1.0)))
        tests.append(test)
    family = holm(pvalues)
    intervals = [
        test.confidence_interval(1 - level)
        for test, level in zip(tests, family.levels, strict=True)
    ]
    return [
        DecidedRatio(
            Interval(*(math.exp(value) for value in (estimate, interval.low, interval.high))),
            _side(estimate) if apart else "not known",
        )
        for estimate, interval, apart in zip(estimates, intervals, family.rejected, strict=True)
    ]


def ratio_of_runs(above: Sequence[float], below: Sequence[float]) -> Interval:
    """Return the ratio of the geometric means of unpaired runs, with Welch's interval of it.

    ``above`` and ``below`` are positive. If one has a single run, the interval is the ratio itself.
    """
    if min(len(above), len(below)) < 2:
        ratio = float(stats.gmean(above) / stats.gmean(below))
        return Interval(ratio, ratio, ratio)
    return unpaired_ratios([above], [below])[0].interval


def ratio_of_pairs(above: Mapping[int, float], below: Mapping[int, float]) -> tuple[Interval, int]:
    """Return the ratio of the geometric means of figures by pair, and its number of pairs or runs.

    The figures are positive. From two pairs on that have both, these alone count, with Student's
    interval of their differences. Otherwise the runs are unpaired, see `ratio_of_runs`.
    """
    shared = sorted(above.keys() & below.keys())
    if len(shared) < 2:
        unpaired = ratio_of_runs(list(above.values()), list(below.values()))
        return unpaired, min(len(above), len(below))
    return factor_interval([above[pair] / below[pair] for pair in shared]), len(shared)


@dataclass(frozen=True)
class Layout:
    """A family of cells as an experiment measures them, for simulations of its decisions."""

    cells: int
    pairs: int
    blocks: int
    """Of one cell of one system in one pair. With one pair the blocks are the unit, as in
    `testbed.analysis.decisions.decide`.
    """
    pair_sd: float
    """Standard deviation of the logarithm of the true ratio of a cell over pairs of starts."""
    block_sd: float
    """Standard deviation of the logarithm of the ratio of two systems' blocks that took turns,
    within a pair.
    """
    start_share: float = 0.0
    """The share of the variance of pairs that all cells of a pair have in common."""
    unequal: tuple[float, ...] = ()
    """What each cell's deviations are multiplied by. Default: all are equal."""
    sizes: tuple[Hashable, ...] = ()
    """As of `paired_ratios`."""


def simulated_families(
    layout: Layout, *, effect: float = 1.0, experiments: int = 300
) -> list[list[Verdict]]:
    """Return the verdicts of `paired_ratios` on the cells of each simulated experiment.

    ``effect`` is the true ratio of every cell.
    """
    rng = np.random.default_rng(1)
    pairs = layout.pairs
    each = np.array(layout.unequal or [1.0] * layout.cells)
    own = rng.normal(0, math.sqrt(1 - layout.start_share), (experiments, layout.cells, pairs))
    starts = own + rng.normal(0, math.sqrt(layout.start_share), (experiments, 1, pairs))
    noise = rng.normal(0, layout.block_sd, (*own.shape, layout.blocks))
    ratios = math.log(effect) + each[:, None, None] * (layout.pair_sd * starts[..., None] + noise)
    return [_verdicts(layout, experiment) for experiment in ratios]


def _verdicts(layout: Layout, ratios: Floats) -> list[Verdict]:
    if layout.pairs == 1:
        decided = paired_ratios(list(ratios[:, 0]), sizes=layout.sizes, starts=False)
    else:
        labels = layout.sizes or (None,) * layout.cells
        of_blocks = [
            sd_of_means(list(ratios[[own == label for own in labels]].reshape(-1, layout.blocks)))
            for label in labels
        ]
        decided = paired_ratios(list(ratios.mean(axis=2)), of_blocks, layout.sizes)
    return [ratio.verdict if ratio else "not known" for ratio in decided]


def simulated_outcomes(
    layout: Layout, *, effect: float = 1.0, experiments: int = 300
) -> Counter[Verdict]:
    """Count the verdicts of `simulated_families`: they add up to ``cells * experiments``."""
    families = simulated_families(layout, effect=effect, experiments=experiments)
    return Counter(verdict for family in families for verdict in family)


def _side(estimate: float) -> Verdict:
    return "higher" if estimate > 0 else "lower"

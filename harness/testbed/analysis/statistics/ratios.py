"""The ratio of two systems: its interval, and whether it is decided.

Figures are compared as logarithms. The unit is the pair of starts, or a run, never an operation.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from scipy import optimize, stats

from testbed.analysis.arrays import Floats
from testbed.analysis.statistics.intervals import CONFIDENCE, Interval

ALPHA = 1 - CONFIDENCE
"""Probability of any false decision in a family of cells."""

ALIKE = 1.10
"""Two systems are alike if their ratio lies within this factor of 1."""

POWER = 0.8

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


@dataclass(frozen=True)
class Deviation:
    """A standard deviation, and the degrees of freedom of its estimate."""

    sd: float
    freedom: float


def paired_ratios(
    cells: Sequence[ArrayLike], of_blocks: Deviation | None = None
) -> list[DecidedRatio] | None:
    """Decide a family of cells from the differences of pairs.

    Returns an entry per cell; None if no cell has two pairs, so that the spread is unknown.

    Parameters
    ----------
    cells
        For each cell the differences of the logarithms of a figure, one per pair; at least one.
    of_blocks
        The deviation of a difference that its blocks imply. If it is larger than that between
        pairs, it takes its place: a few pairs may agree by chance.

    Notes
    -----
    The estimates are the cells' means; the variance is pooled over cells. Student's intervals; Holm
    (Scandinavian Journal of Statistics 6, 1979) over the cells; equivalence by two one-sided tests
    (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
    """
    groups = [np.asarray(cell, dtype=float) for cell in cells]
    sizes = np.array([group.size for group in groups])
    if (between := pooled_sd(groups)) is None:
        return None
    deciding = larger(between, of_blocks)
    spread, freedom = deciding.sd, deciding.freedom
    estimates, errors = np.array([group.mean() for group in groups]), spread / np.sqrt(sizes)
    margin = math.log(ALIKE)
    with np.errstate(divide="ignore", invalid="ignore"):  # Runs that do not differ at all.
        above, below = ((estimates + side) / errors for side in (margin, -margin))
        differs = np.nan_to_num(2 * stats.t.sf(np.abs(estimates) / errors, freedom), nan=1.0)
    not_alike = np.maximum(stats.t.sf(above, freedom), stats.t.cdf(below, freedom))
    alike, apart = holm(not_alike), holm(differs)
    # Where nothing is decided, the wider interval: it fits both tests.
    undecided = np.minimum(alike.levels, apart.levels / 2)
    decided_apart = np.where(apart.rejected, apart.levels / 2, undecided)
    reach = stats.t.isf(np.where(alike.rejected, alike.levels, decided_apart), freedom) * errors
    return [
        DecidedRatio(
            Interval(math.exp(estimate), math.exp(estimate - wide), math.exp(estimate + wide)),
            "alike" if alike.rejected[i] else _side(estimate) if apart.rejected[i] else "not known",
            Design(spread, int(sizes[i]), freedom, len(cells)),
        )
        for i, (estimate, wide) in enumerate(zip(estimates, reach, strict=True))
    ]


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
    """Return the deviation that decides: that between pairs, or the larger one of their blocks."""
    return of_blocks if of_blocks and of_blocks.sd > between.sd else between


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


def simulated_outcomes(
    pair_sd: float,
    ratio_sd: float,
    *,
    cells: int,
    pairs: int,
    blocks: int,
    effect: float = 1.0,
    experiments: int = 300,
    seed: int = 1,
) -> Counter[Verdict]:
    """Count the verdicts of `paired_ratios` in simulated experiments.

    The counts add up to ``cells * experiments``.

    Parameters
    ----------
    pair_sd
        Standard deviation of the logarithm of the true ratio of a cell over pairs of starts.
    ratio_sd
        Standard deviation of the logarithm of the ratio of two systems' blocks that took turns,
        within a pair.
    blocks
        Of one cell of one system in one pair. With one pair the blocks are the unit, as in
        `testbed.analysis.decisions.decide`.
    effect
        The true ratio of every cell.
    """
    rng = np.random.default_rng(seed)
    starts = rng.normal(math.log(effect), pair_sd, (experiments, cells, pairs, 1))
    ratios = starts + rng.normal(0, ratio_sd, (experiments, cells, pairs, blocks))
    verdicts: Counter[Verdict] = Counter()
    for experiment in ratios:
        if pairs == 1:
            decided = paired_ratios(list(experiment[:, 0, :]))
        else:
            of_blocks = sd_of_means(list(experiment.reshape(-1, blocks)))
            decided = paired_ratios(list(experiment.mean(axis=2)), of_blocks)
        verdicts.update(ratio.verdict for ratio in decided or ())
    return verdicts


def _side(estimate: float) -> Verdict:
    return "higher" if estimate > 0 else "lower"

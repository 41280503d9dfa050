"""Decisions that bear any number of looks: an e-process over the pairs of starts of each cell.

After each pair one may look, stop where enough is decided, or go on another day: with a probability
of at most `ALPHA` a true hypothesis of a family is ever rejected, whatever the rule of stopping.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from testbed.analysis.arrays import Floats
from testbed.analysis.statistics.intervals import Interval
from testbed.analysis.statistics.ratios import ALIKE, FURTHEST, DecidedRatio, Verdict, holm

EFFECTS = (1.0, 10.0, 100.0)
"""Prior variances of the effect, in units of the variance of a pair's difference: from what many
pairs show to what three show. Their e-values have equal weights.
"""


def e_value(differences: ArrayLike, mean: float = 0.0) -> float:
    """Return the evidence that the differences of pairs do not have a mean.

    The differences are of logarithms, shape (n,), and their variance is not known. Under the
    hypothesis the values for n = 1, 2, ... are a non-negative martingale with the expectation 1, so
    one ever reaches 1/α with a probability of at most α (Ville's inequality).

    Notes
    -----
    The likelihood ratio of Student's t, the effect μ/σ being normal with variance g: Gönen et al.,
    The American Statistician 59(3), 2005. It is a martingale because t does not depend on the
    scale: Pérez-Ortiz, Lardy, de Heide and Grünwald, Annals of Statistics 52(4), 2024; Wang and
    Ramdas, arXiv 2310.03722.
    """
    values = np.asarray(differences, dtype=float)
    return math.exp(_log_e(values.size, *_moments(values, mean)))


def sequential_ratios(cells: Sequence[ArrayLike]) -> list[DecidedRatio | None]:
    """Decide a family of cells from the differences of the pairs that there are so far.

    Returns an entry per cell, as `testbed.analysis.statistics.ratios.paired_ratios` does, whose
    intervals hold at any number of pairs. None where the pairs are too few for an interval.

    Notes
    -----
    A cell's own variance alone counts, so a start may move all its cells together. Holm's method
    on the reciprocals of e-values, which any dependence of cells leaves valid (Vovk and Wang,
    Annals of Statistics 49(3), 2021). *Alike*: the e-values of both ends of ±10 %.
    """
    groups = [np.asarray(cell, dtype=float) for cell in cells]
    evidence = [e_value(group) for group in groups]
    apart = holm([1 / max(1.0, value) for value in evidence])
    alike = holm([1 / max(1.0, _evidence_alike(group)) for group in groups])
    # Where nothing is decided, the wider interval: it fits both tests.
    undecided = np.minimum(alike.levels, apart.levels)
    levels = np.where(apart.rejected, apart.levels, undecided)
    levels = np.where(alike.rejected, alike.levels, levels)
    ratios: list[DecidedRatio | None] = []
    for place, group in enumerate(groups):
        if (reach := _reach(group, float(levels[place]))) is None:
            ratios.append(None)
            continue
        mean = float(group.mean())
        interval = Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))
        verdict: Verdict = "not known"
        if alike.rejected[place]:
            verdict = "alike"
        elif apart.rejected[place]:
            verdict = "higher" if mean > 0 else "lower"
        ratios.append(DecidedRatio(interval, verdict, evidence=evidence[place]))
    return ratios


def _evidence_alike(differences: Floats) -> float:
    """Return the evidence that the mean is not `ALIKE` or more on either side of 0."""
    margin = math.log(ALIKE)
    if abs(differences.mean()) >= margin:
        return 0.0
    return min(e_value(differences, margin), e_value(differences, -margin))


def _reach(differences: Floats, level: float) -> float | None:
    """Return how far from their mean an e-value reaches 1/level; None if none does."""
    count, (_, squares) = differences.size, _moments(differences, 0.0)

    def above(distance: float) -> float:
        return _log_e(count, distance**2, squares) + math.log(level)

    if above(FURTHEST) < 0:
        return None
    return float(optimize.brentq(above, 0, FURTHEST)) if squares else 0.0


def _moments(values: Floats, mean: float) -> tuple[float, float]:
    """Return the squared distance of the values' mean from another, and their sum of squares."""
    own = float(values.mean())
    return (own - mean) ** 2, float(((values - own) ** 2).sum())


def _log_e(count: int, squared: float, squares: float) -> float:
    """Return the logarithm of the e-value of so many differences, from `_moments`."""
    wide = np.log1p(count * np.array(EFFECTS))
    if not squared:
        ratios = np.zeros_like(wide)
    elif not squares:  # Pairs that do not differ at all.
        ratios = wide
    else:
        # t² divided by its degrees of freedom.
        part = count * squared / squares
        ratios = math.log1p(part) - np.log1p(part * np.exp(-wide))
    return float(special.logsumexp(count / 2 * ratios - wide / 2) - math.log(wide.size))

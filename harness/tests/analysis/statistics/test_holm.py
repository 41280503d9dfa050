"""Holm's method, against a published example and against the closed test that it abbreviates."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from testbed.analysis.statistics.ratios import ALPHA, holm


def closed_test(pvalues: list[float]) -> list[bool]:
    """Return which hypotheses are rejected together with each set that they belong to.

    Sets are tested by Bonferroni's method (Marcus, Peritz and Gabriel, Biometrika 63, 1976).
    """
    numbers = range(len(pvalues))
    families = [
        family for size in range(1, len(pvalues) + 1) for family in combinations(numbers, size)
    ]
    return [
        all(
            min(pvalues[number] for number in family) <= ALPHA / len(family)
            for family in families
            if hypothesis in family
        )
        for hypothesis in numbers
    ]


def test_it_rejects_as_many_as_published() -> None:
    # Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995, section 4: of
    # these 15 hypotheses Bonferroni's and Hochberg's methods both reject the first three at 0.05.
    # Holm's rejects no fewer than the one and no more than the other.
    pvalues = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    pvalues += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]

    family = holm(pvalues)

    assert family.rejected.tolist() == [True] * 3 + [False] * 12
    assert family.levels == pytest.approx([0.05 / left for left in (15, 14, 13, *[12] * 12)])


@pytest.mark.parametrize("size", range(1, 7))
def test_it_rejects_what_the_closed_test_rejects(size: int) -> None:
    rng = np.random.default_rng(size)
    rejected = 0
    for pvalues in rng.uniform(0, 0.06, (200, size)):
        expected = closed_test(pvalues.tolist())
        assert holm(pvalues).rejected.tolist() == expected
        rejected += sum(expected)
    assert 0 < rejected < 200 * size

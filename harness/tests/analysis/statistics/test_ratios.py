"""What pairs tell of ratios, against simulated truths and scipy."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.statistics.ratios import (
    ALIKE,
    Design,
    Deviation,
    holm,
    paired_ratios,
    ratio_of_runs,
    simulated_outcomes,
    unpaired_ratios,
)

PAIR_SD, BLOCK_SD = 0.023, 0.05
CELLS, PAIRS, BLOCKS = 4, 3, 4


def test_one_cell_agrees_with_the_paired_t_test_of_scipy() -> None:
    rng = np.random.default_rng(1)
    below = rng.normal(5, 0.2, 6)
    above = below + rng.normal(0.1, 0.05, 6)
    expected = stats.ttest_rel(above, below)
    ratios = paired_ratios([above - below])
    assert ratios is not None
    interval = ratios[0].interval
    low, high = expected.confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert interval.estimate == pytest.approx(math.exp((above - below).mean()))
    assert ratios[0].verdict == ("higher" if expected.pvalue < 0.05 else "not known")


def test_the_variance_is_pooled_over_cells_of_unequal_size() -> None:
    cells = [[0.5, 0.54, 0.46], [0.1, 0.12], [-0.3]]
    ratios = paired_ratios(cells)
    assert ratios is not None
    squares = 2 * 0.04**2 + 2 * 0.01**2
    spread = math.sqrt(squares / 3)
    # Holm's second and third step. A single pair has an interval too, from what the pairs of other
    # cells differ by.
    reach = stats.t.isf(0.05 / 2 / np.array([1, 2]), 3) * spread
    assert ratios[2].interval.high == pytest.approx(math.exp(-0.3 + reach[1]))
    assert ratios[1].interval.low == pytest.approx(math.exp(0.11 - reach[0] / math.sqrt(2)))
    assert [ratio.design and ratio.design.pairs for ratio in ratios] == [3, 2, 1]
    assert all(ratio.design and ratio.design.freedom == 3 for ratio in ratios)


def test_holm_is_stricter_with_more_cells() -> None:
    cell = [0.20, 0.24, 0.16, 0.22]
    silent = [[0.2, -0.2, 0.21, -0.19], [-0.2, 0.2, -0.21, 0.19]] * 4
    alone = paired_ratios([cell, silent[0]])
    among = paired_ratios([cell, *silent])
    assert alone is not None
    assert among is not None
    assert among[0].verdict == "not known"
    p = stats.ttest_1samp(cell, 0).pvalue
    assert p < 0.05 / 9  # By itself it would be told even so.
    assert [ratio.verdict for ratio in among[1:]] == ["not known"] * 8


def test_holm_tests_at_the_level_of_each_step() -> None:
    # By hand: 0.01 <= 0.05 / 4; 0.02 > 0.05 / 3, where it ends.
    family = holm([0.03, 0.01, 0.04, 0.02])
    assert family.rejected.tolist() == [False, True, False, False]
    assert family.levels.tolist() == pytest.approx([0.05 / 3, 0.05 / 4, 0.05 / 3, 0.05 / 3])
    assert holm([0.011, 0.9, 0.012]).rejected.tolist() == [True, False, True]
    assert holm([]).rejected.size == 0


@pytest.mark.parametrize("seed", range(20))
def test_a_cell_is_decided_exactly_if_its_interval_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    verdicts: Counter[str] = Counter()
    for _ in range(50):
        truths = rng.normal(0, rng.choice([0.01, 0.05, 0.2]), rng.integers(1, 13))
        spread = rng.choice([0.005, 0.03, 0.1])
        cells = [rng.normal(truth, spread, rng.integers(1, 5)) for truth in truths]
        blocks = Deviation(rng.choice([0.01, 0.08]), 24) if rng.random() < 0.5 else None
        for ratio in paired_ratios(cells, blocks) or ():
            interval, verdict = ratio.interval, ratio.verdict
            verdicts[verdict] += 1
            excludes_1 = interval.low > 1 or interval.high < 1
            within = interval.low > 1 / ALIKE and interval.high < ALIKE
            assert (verdict == "not known") == (not excludes_1 and not within)
            assert verdict != "alike" or within
            assert verdict != "higher" or interval.low > 1
            assert verdict != "lower" or interval.high < 1
    assert set(verdicts) == {"alike", "higher", "lower", "not known"}


@pytest.mark.parametrize("seed", range(5))
def test_unpaired_runs_are_decided_exactly_if_their_interval_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        cells = int(rng.integers(1, 9))
        shifts = np.exp(rng.normal(0, 0.1, cells))
        above = [list(shift * rng.lognormal(0, 0.05, 4)) for shift in shifts]
        below = [list(rng.lognormal(0, 0.05, 3)) for _ in shifts]
        for ratio in unpaired_ratios(above, below):
            excludes_1 = ratio.interval.low > 1 or ratio.interval.high < 1
            assert (ratio.verdict != "not known") == excludes_1


def test_a_small_difference_is_alike_however_certain() -> None:
    ratios = paired_ratios([[0.040, 0.041, 0.039], [0.5, 0.501, 0.499], [-0.5, -0.5, -0.501]])
    assert ratios is not None
    assert [ratio.verdict for ratio in ratios] == ["alike", "higher", "lower"]
    assert ratios[0].interval.low > 1


def test_pairs_that_agree_by_chance_tell_no_more_than_their_blocks() -> None:
    lucky = [[0.100, 0.101], [0.300, 0.302]]
    alone, with_blocks = paired_ratios(lucky), paired_ratios(lucky, Deviation(0.08, 24))
    assert alone is not None
    assert with_blocks is not None
    assert [ratio.verdict for ratio in alone] == ["higher", "higher"]
    assert [ratio.verdict for ratio in with_blocks] == ["not known", "higher"]
    # Many blocks know their deviation better than two pairs know theirs.
    reach = stats.t.isf(0.025, 24) * 0.08 / math.sqrt(2)
    assert with_blocks[0].interval.high == pytest.approx(math.exp(0.1005 + reach))
    assert with_blocks[0].design == Design(0.08, 2, 24, 2)
    # What pairs differ by counts where it is more.
    assert paired_ratios([[0.0, 0.4]], Deviation(0.05, 24)) == paired_ratios([[0.0, 0.4]])


@pytest.mark.parametrize("pair_sd", [0.0, 0.03, 0.08])
def test_two_pairs_with_unsteady_blocks_decide_falsely_as_rarely_as_promised(
    pair_sd: float,
) -> None:
    verdicts = simulated_outcomes(
        pair_sd, 0.16, cells=CELLS, pairs=2, blocks=BLOCKS, experiments=1000
    )
    # 5 % for the family of four. The data choose the deviation, which costs a little.
    assert (verdicts["higher"] + verdicts["lower"]) / verdicts.total() < 0.02


def test_two_pairs_find_25_percent_on_an_unsteady_machine() -> None:
    verdicts = simulated_outcomes(0.02, 0.16, cells=CELLS, pairs=2, blocks=BLOCKS, effect=1.25)
    assert verdicts["higher"] / verdicts.total() > 0.55


def test_one_pair_tells_nothing_and_equal_runs_everything() -> None:
    assert paired_ratios([[0.5], [0.1]]) is None
    assert paired_ratios([]) is None
    ratios = paired_ratios([[0.0, 0.0], [0.0, 0.0]])
    assert ratios is not None
    assert ratios[0].verdict == "alike"
    assert (ratios[0].interval.low, ratios[0].interval.high) == (1, 1)


def test_intervals_cover_and_few_decisions_are_false() -> None:
    rng = np.random.default_rng(7)
    truth = math.log(0.85)
    covered = []
    for _ in range(400):
        starts = rng.normal(truth, PAIR_SD, (CELLS, PAIRS))
        noise = rng.normal(0, BLOCK_SD, (2, CELLS, PAIRS, BLOCKS)).mean(axis=3)
        ratios = paired_ratios(list(starts + noise[0] - noise[1]))
        assert ratios is not None
        covered += [ratio.interval.low <= 0.85 <= ratio.interval.high for ratio in ratios]
    # Holm's intervals: at least 95 % each.
    assert np.mean(covered) > 0.95
    outcomes = simulated_outcomes(
        PAIR_SD, math.sqrt(2) * BLOCK_SD, cells=CELLS, pairs=PAIRS, blocks=BLOCKS
    )
    assert outcomes.total() == 300 * CELLS
    # Holm keeps 5 % for the family: about 1.25 % a cell, less what is alike.
    assert (outcomes["higher"] + outcomes["lower"]) / outcomes.total() < 0.0125
    assert outcomes["alike"] / outcomes.total() > 0.5


def test_three_pairs_find_25_percent_and_one_pair_misjudges_other_starts() -> None:
    design = {"cells": CELLS, "blocks": BLOCKS}
    verdicts = simulated_outcomes(
        PAIR_SD, math.sqrt(2) * BLOCK_SD, pairs=PAIRS, effect=1.25, **design
    )
    assert verdicts["higher"] / verdicts.total() > 0.95
    one_pair = simulated_outcomes(0.05, 0.02, pairs=1, **design)
    assert (one_pair["higher"] + one_pair["lower"]) / one_pair.total() > 0.05


@pytest.mark.parametrize(("pairs", "cells"), [(3, 4), (6, 1)])
def test_what_could_be_told_is_told_in_four_of_five_experiments(pairs: int, cells: int) -> None:
    spread = 0.04
    freedom = cells * (pairs - 1)
    ratio = Design(spread, pairs, freedom, cells).could_tell
    rng = np.random.default_rng(3)
    runs = rng.normal(math.log(ratio), spread, (20_000, cells, pairs))
    errors = np.sqrt(runs.var(axis=2, ddof=1).mean(axis=1) / pairs)
    critical = stats.t.isf(0.025 / cells, freedom)
    assert np.mean(runs[:, 0].mean(axis=1) / errors > critical) == pytest.approx(0.8, abs=0.015)


def test_runs_that_are_no_pairs_have_welchs_interval() -> None:
    above, below = [[12.0, 13.0, 15.0], [5.0, 5.1, 5.2]], [[9.0, 10.0, 9.5, 9.2], [5.0, 5.2, 5.1]]
    ratios = unpaired_ratios(above, below)
    test = stats.ttest_ind(np.log(above[0]), np.log(below[0]), equal_var=False)
    low, high = test.confidence_interval(1 - 0.05 / 2)
    interval = ratios[0].interval
    assert (interval.low, interval.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert interval.estimate == pytest.approx(stats.gmean(above[0]) / stats.gmean(below[0]))
    assert [ratio.verdict for ratio in ratios] == ["higher", "not known"]
    assert test.pvalue < 0.025
    # Among four cells the same difference is not told, and its interval contains 1.
    among = unpaired_ratios([*above, above[1], above[1]], [*below, below[1], below[1]])
    assert test.pvalue > 0.05 / 4
    assert among[0].verdict == "not known"
    assert among[0].interval.low < 1 < interval.low


def test_a_single_run_has_no_width_and_gives_the_published_efficiency() -> None:
    # Akbulut and Perros 2019, case study 1: mean response times at 1, 100 and 200 threads.
    for threads, mean_ms, percent in ((100, 399.89, 95.53), (200, 1295.0, 59.00)):
        interval = ratio_of_runs([3.82], [mean_ms]).times(100 * threads)
        assert interval.estimate == pytest.approx(percent, abs=0.005)
        assert interval.low == interval.high == interval.estimate

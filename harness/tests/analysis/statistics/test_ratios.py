"""What pairs tell of ratios, against simulated truths and scipy."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.statistics.ratios import (
    ALIKE,
    DecidedRatio,
    Design,
    Deviation,
    Layout,
    between_pairs,
    holm,
    paired_ratios,
    ratio_of_pairs,
    ratio_of_runs,
    simulated_families,
    simulated_outcomes,
    unpaired_ratios,
)

PAIR_SD, BLOCK_SD = 0.023, 0.05
CELLS, PAIRS, BLOCKS = 4, 3, 4


def decided(*given: Any) -> list[DecidedRatio]:
    """Return what `paired_ratios` decides where every cell has a spread."""
    ratios = paired_ratios(*given)
    assert None not in ratios
    return cast(list[DecidedRatio], ratios)


def test_one_cell_agrees_with_the_paired_t_test_of_scipy() -> None:
    rng = np.random.default_rng(1)
    below = rng.normal(5, 0.2, 6)
    above = below + rng.normal(0.1, 0.05, 6)
    expected = stats.ttest_rel(above, below)
    ratios = decided([above - below])
    interval = ratios[0].interval
    low, high = expected.confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert interval.estimate == pytest.approx(math.exp((above - below).mean()))
    assert ratios[0].verdict == ("higher" if expected.pvalue < 0.05 else "not known")


def test_the_variance_is_pooled_over_cells_of_unequal_size() -> None:
    cells = [[0.5, 0.54, 0.46], [0.12, 0.1], [-0.3]]
    ratios = decided(cells)
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
    among = decided([cell, *silent])
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
        for ratio in paired_ratios(cells, [blocks] * len(cells)):
            if ratio is None:
                continue
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
    ratios = decided([[0.040, 0.041, 0.039], [0.5, 0.501, 0.499], [-0.5, -0.5, -0.501]])
    assert [ratio.verdict for ratio in ratios] == ["alike", "higher", "lower"]
    assert ratios[0].interval.low > 1


def test_pairs_that_agree_by_chance_tell_no_more_than_their_blocks() -> None:
    lucky = [[0.100, 0.101], [0.302, 0.300]]
    alone, with_blocks = decided(lucky), decided(lucky, [Deviation(0.08, 24)] * 2)
    assert [ratio.verdict for ratio in alone] == ["higher", "higher"]
    assert [ratio.verdict for ratio in with_blocks] == ["not known", "higher"]
    # Many blocks know their deviation better than two pairs know theirs. Their 24 degrees of
    # freedom are the limit.
    reach = stats.t.isf(0.025, 24) * 0.08 / math.sqrt(2)
    assert with_blocks[0].interval.high == pytest.approx(math.exp(0.1005 + reach))
    assert with_blocks[0].design == Design(0.08, 2, 24, 2)
    # What pairs differ by counts where it is more.
    assert paired_ratios([[0.0, 0.4]], [Deviation(0.05, 24)]) == paired_ratios([[0.0, 0.4]])


@pytest.mark.parametrize("pair_sd", [0.0, 0.03, 0.08])
def test_two_pairs_with_unsteady_blocks_decide_falsely_as_rarely_as_promised(
    pair_sd: float,
) -> None:
    verdicts = simulated_outcomes(Layout(CELLS, 2, BLOCKS, pair_sd, 0.16), experiments=1000)
    # 5 % for the family of four. The data choose the deviation, which costs a little.
    assert (verdicts["higher"] + verdicts["lower"]) / verdicts.total() < 0.02


def test_two_pairs_find_25_percent_on_an_unsteady_machine() -> None:
    verdicts = simulated_outcomes(Layout(CELLS, 2, BLOCKS, 0.02, 0.16), effect=1.25)
    assert verdicts["higher"] / verdicts.total() > 0.55


def test_one_pair_tells_nothing_and_equal_runs_everything() -> None:
    assert paired_ratios([[0.5], [0.1]]) == [None, None]
    assert paired_ratios([]) == []
    ratios = decided([[0.0, 0.0], [0.0, 0.0]])
    assert ratios[0].verdict == "alike"
    assert (ratios[0].interval.low, ratios[0].interval.high) == (1, 1)


def test_intervals_cover_and_few_decisions_are_false() -> None:
    rng = np.random.default_rng(7)
    truth = math.log(0.85)
    covered = []
    for _ in range(400):
        starts = rng.normal(truth, PAIR_SD, (CELLS, PAIRS))
        noise = rng.normal(0, BLOCK_SD, (2, CELLS, PAIRS, BLOCKS)).mean(axis=3)
        ratios = decided(list(starts + noise[0] - noise[1]))
        covered += [ratio.interval.low <= 0.85 <= ratio.interval.high for ratio in ratios]
    # Holm's intervals: at least 95 % each.
    assert np.mean(covered) > 0.95
    outcomes = simulated_outcomes(Layout(CELLS, PAIRS, BLOCKS, PAIR_SD, math.sqrt(2) * BLOCK_SD))
    assert outcomes.total() == 300 * CELLS
    # Holm keeps 5 % for the family: about 1.25 % a cell, less what is alike.
    assert (outcomes["higher"] + outcomes["lower"]) / outcomes.total() < 0.0125
    assert outcomes["alike"] / outcomes.total() > 0.5


def test_three_pairs_find_25_percent_and_one_pair_misjudges_other_starts() -> None:
    layout = Layout(CELLS, PAIRS, BLOCKS, PAIR_SD, math.sqrt(2) * BLOCK_SD)
    verdicts = simulated_outcomes(layout, effect=1.25)
    assert verdicts["higher"] / verdicts.total() > 0.95
    one_pair = simulated_outcomes(Layout(CELLS, 1, BLOCKS, 0.05, 0.02))
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


def test_a_start_that_moves_all_cells_leaves_few_degrees_of_freedom() -> None:
    rng = np.random.default_rng(11)
    for share in (0.0, 0.5, 1.0):
        starts = math.sqrt(share) * rng.normal(0, 1, 4)
        rows = starts + math.sqrt(1 - share) * rng.normal(0, 1, (6, 4))
        between = between_pairs(rows)
        assert between is not None
        # Satterthwaite's rule from the two mean squares of an analysis of variance.
        rest = rows - rows.mean(axis=1, keepdims=True)
        of_pairs = 6 * (rest.mean(axis=0) ** 2).sum() / 3
        of_cells = ((rest - rest.mean(axis=0)) ** 2).sum() / 15
        expected = (of_pairs + 5 * of_cells) ** 2 / (of_pairs**2 / 3 + 5 * of_cells**2 / 3)
        assert between.sd == pytest.approx(math.sqrt((of_pairs + 5 * of_cells) / 6))
        assert between.freedom == pytest.approx(expected if of_pairs > of_cells else 18)
        assert 3 - 1e-9 <= between.freedom <= 18
    # Without a common start there is nothing to take off.
    assert between_pairs(np.array([[0.0, 1.0], [5.0, 6.0]]), starts=False) == Deviation(
        pytest.approx(math.sqrt(0.5)), 2
    )


def test_missing_pairs_leave_the_share_of_the_start_unbiased() -> None:
    rng = np.random.default_rng(12)
    freedoms = []
    for _ in range(400):
        rows = rng.normal(0, 1, 5) + 1e-3 * rng.normal(0, 1, (4, 5))
        rows[rng.random(rows.shape) < 0.2] = np.nan
        kept = rows[(~np.isnan(rows)).sum(axis=1) > 1]
        if kept.shape[0] > 1:
            freedoms.append(between_pairs(kept).freedom)  # type: ignore[union-attr]
    # All cells say the same: the pairs are the units.
    assert np.median(freedoms) < 5


def test_cells_of_unequal_size_have_a_variance_each() -> None:
    wide, narrow = [0.5, -0.4, 0.3], [0.20, 0.21, 0.22]
    pooled = decided([wide, narrow])
    apart = decided([wide, narrow], [None, None], [1, 100])
    assert [ratio.verdict for ratio in pooled] == ["not known", "not known"]
    assert [ratio.verdict for ratio in apart] == ["not known", "higher"]
    assert [ratio.design and ratio.design.freedom for ratio in apart] == [2, 2]
    # A size with one pair has no spread of its own, and takes that of no other.
    assert paired_ratios([[0.1], narrow], (), [1, 100])[0] is None


UNEQUAL = (4.0, 4.0, 1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "layout",
    [
        Layout(4, 2, 4, 0.06, 0.14),
        Layout(4, 2, 4, 0.06, 0.14, start_share=0.5),
        Layout(12, 2, 4, 0.05, 0.06, start_share=0.3),
        Layout(6, 3, 4, 0.2, 0.1, start_share=0.7),
        Layout(6, 3, 4, 0.2, 0.1, 0.7, UNEQUAL, (1, 1, 10, 10, 100, 100)),
    ],
    ids=str,
)
def test_a_family_has_a_false_decision_in_at_most_one_of_twenty(layout: Layout) -> None:
    families = simulated_families(layout, experiments=500)
    false = sum(any(verdict in ("higher", "lower") for verdict in family) for family in families)
    # With 500 experiments a rate of 5 % shows as up to 6.9 % (two standard errors).
    assert false / 500 <= 0.069


def test_runs_of_the_same_pairs_have_the_interval_of_their_differences() -> None:
    above, below = {1: 12.0, 2: 22.0, 4: 5.0}, {1: 10.0, 2: 20.0, 3: 7.0}
    interval, pairs = ratio_of_pairs(above, below)
    test = stats.ttest_rel(np.log([12.0, 22.0]), np.log([10.0, 20.0]))
    low, high = test.confidence_interval()
    assert (interval.low, interval.high, pairs) == (
        pytest.approx(math.exp(low)),
        pytest.approx(math.exp(high)),
        2,
    )
    unpaired, runs = ratio_of_pairs({1: 12.0, 2: 13.0}, {3: 10.0, 4: 11.0, 5: 9.0})
    assert (unpaired, runs) == (ratio_of_runs([12.0, 13.0], [10.0, 11.0, 9.0]), 2)

"""Changes over time."""

from __future__ import annotations

import numpy as np
import pytest

from testbed.analysis.arrays import Floats
from testbed.analysis.statistics.steadiness import (
    Change,
    Spell,
    change_of_mean,
    trend_of_rates,
    trend_of_times,
)


def spell(rng: np.random.Generator, count: int, mean_ms: float = 10.0) -> Spell:
    return Spell(np.sort(rng.uniform(0, 2, count)), rng.gamma(4, mean_ms / 4, count), 2.0)


def test_a_spell_is_cut_into_thirds() -> None:
    whole = Spell(np.array([0.5, 1.5, 2.0, 5.9]), np.array([1.0, 2.0, 3.0, 4.0]), 6.0)
    begin, end = whole.ends()
    assert (begin.response_ms.tolist(), end.response_ms.tolist()) == ([1, 2], [4])
    assert (begin.seconds, end.seconds, end.at_s.tolist()) == (2, 2, [pytest.approx(1.9)])


def test_a_change_is_told_from_chance() -> None:
    rng = np.random.default_rng(3)
    # Of 20 operations a half more may be chance; of 2000 it is not, and a tenth is let pass.
    for count, later, expected in ((20, 30, False), (2000, 3000, True), (2000, 2200, False)):
        change = trend_of_rates([spell(rng, count), spell(rng, later)])
        assert change.ratio == pytest.approx(later / count)
        assert change.exceeds(0.15) is expected
    assert trend_of_rates([spell(rng, 2000), spell(rng, 1500)]).exceeds(0.15)
    assert trend_of_rates([spell(rng, 50), spell(rng, 0)]).exceeds(0.15)


def test_a_rate_that_comes_and_goes_may_change_by_chance() -> None:
    rng = np.random.default_rng(3)
    times = spell(rng, 3000).at_s
    halting = Spell(times[(times // 0.2) % 2 == 0], np.ones(3000), 2.0)

    change = trend_of_rates([halting, spell(rng, 2000)])

    assert change.ratio == pytest.approx(2000 / 1500, rel=0.05)
    assert not change.exceeds(0.15)


def test_a_trend_over_blocks_is_told_from_better_and_worse_times() -> None:
    rng = np.random.default_rng(3)

    def trend(*counts: int) -> Change:
        return trend_of_rates([spell(rng, count) for count in counts])

    assert trend(1000, 1200, 1440, 1728).ratio == pytest.approx(1.728)
    assert trend(1000, 1200, 1440, 1728).exceeds(0.15)
    assert trend(4000, 3300, 2900, 2300).exceeds(0.15)
    assert not trend(2500, 2000, 2500, 2000).exceeds(0.15)
    assert not trend(2000, 2050, 2110, 2190).exceeds(0.15)
    # Few operations.
    assert not trend(10, 12, 14, 17).exceeds(0.15)


def test_what_the_machine_does_to_both_systems_is_no_trend() -> None:
    rng = np.random.default_rng(3)
    ours, theirs, steady = (
        [spell(rng, count) for count in counts]
        for counts in ((1200, 1300, 1900, 2000), (2600, 2400, 3900, 4000), (2500,) * 4)
    )

    assert trend_of_rates(ours).exceeds(0.15)
    assert trend_of_rates(ours, [theirs]).ratio == pytest.approx(1.0, abs=0.1)
    assert not trend_of_rates(ours, [theirs]).exceeds(0.15)
    assert trend_of_rates(ours, [steady]).exceeds(0.15)
    assert trend_of_rates(ours[:3:2], [theirs[:3:2]]).ratio == pytest.approx(1.9 / 1.2 / 1.5)


def test_times_of_few_open_blocks_differ_by_more_than_a_trend() -> None:
    rng = np.random.default_rng(3)

    def exceeds(*means_ms: float) -> bool:
        return trend_of_times([spell(rng, 3000, mean) for mean in means_ms], 0.78).exceeds(0.15)

    # Of sync at 1,900 lists/s, warm: what four blocks of 4 s were.
    assert not exceeds(255, 53, 190, 10)
    assert not exceeds(57, 14, 11, 10)
    assert not exceeds(*[20.0] * 20)
    assert exceeds(*np.geomspace(100, 10, 20))


def test_of_systems_that_take_turns_the_one_is_meant_that_changed() -> None:
    rng = np.random.default_rng(3)

    def meant(*systems: tuple[int, int]) -> list[bool]:
        spells = [[spell(rng, count) for count in counts] for counts in systems]
        return [
            trend_of_rates(own, spells[:place] + spells[place + 1 :]).exceeds(0.15)
            for place, own in enumerate(spells)
        ]

    assert meant((2000, 2050), (1500, 3)) == [False, True]
    assert meant((2000, 2600), (2000, 2000)) == [True, False]
    # The machine became slower, and the first system quicker.
    assert meant((2000, 1950), (2000, 1200)) == [False, True]
    # Both changed, and neither far more than the other.
    assert meant((2000, 2400), (2000, 1700)) == [True, True]
    assert meant((2000, 2000), (1500, 3), (2000, 2000)) == [False, True, False]
    # The machine became quicker, and the first system did not.
    assert meant((2000, 2000), *[(2000, 3000)] * 3) == [True, False, False, False]


def test_few_blocks_show_a_trend_only_beyond_what_alike_blocks_differ_by() -> None:
    """Two make no error of a line, and four may lie on one by chance: 1.38 and 1.40 were seen."""
    rng = np.random.default_rng(3)

    def change(later: int, beside: int, between: float) -> Change:
        ours, theirs = (2000, later), (3000, beside)
        return trend_of_rates(
            [spell(rng, count) for count in ours],
            [[spell(rng, count) for count in theirs]],
            between,
        )

    assert change(1700, 3520, 0.0).exceeds(0.15)
    assert not change(1700, 3520, 0.084).exceeds(0.15)
    assert change(1200, 3520, 0.084).exceeds(0.15)

    line = [spell(rng, round(2000 * 1.4 ** (place / 3))) for place in range(4)]
    steady = [[spell(rng, 3000) for _ in line]]
    assert trend_of_rates(line, steady).exceeds(0.15)
    assert not trend_of_rates(line, steady, 0.084).exceeds(0.15)
    many = [spell(rng, round(2000 * 1.4 ** (place / 19))) for place in range(20)]
    assert trend_of_rates(many, [[spell(rng, 3000) for _ in many]], 0.084).exceeds(0.15)


def test_a_change_of_means_allows_for_neighbours_that_are_alike() -> None:
    rng = np.random.default_rng(3)

    def times_of(count: int, mean_ms: float = 10.0) -> Floats:
        return spell(rng, count, mean_ms).response_ms

    assert change_of_mean(times_of(2000), times_of(2000, 13)).exceeds(0.15)
    assert not change_of_mean(times_of(2000), times_of(2000, 11)).exceeds(0.15)
    assert not change_of_mean(times_of(5), times_of(2000, 30)).exceeds(0.15)
    # The independent times of a fifth each, five times over: the error is that of a fifth.
    times = np.repeat(rng.exponential(10, 400), 5)
    alone = times[::5].std() / np.sqrt(400) / times.mean()
    error = change_of_mean(times, times).error
    assert error == pytest.approx(np.sqrt(2) * alone, rel=0.5)
    assert error > 1.5 * np.sqrt(2) * times.std() / np.sqrt(2000) / times.mean()

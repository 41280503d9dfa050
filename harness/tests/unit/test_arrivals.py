from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from testbed.experiment.loads import EXPERIMENT
from testbed.experiment.open_loop import OpenLoop, seed_of
from testbed.experiment.runs import Planned, Run
from testbed.measure.samplefile import read_arrivals

STEPS = {"kind": "phases", "phases": [{"rate": rate, "for": 20} for rate in (10, 20, 30, 40)]}


def opened(keys: dict[str, Any]) -> OpenLoop:
    plan = EXPERIMENT.validate_python(keys)
    assert isinstance(plan, OpenLoop)
    return plan


def phased(process: str, *phases: dict[str, float]) -> OpenLoop:
    schedule = {"kind": "phases", "phases": phases}
    return opened({"name": "x", "schedule": schedule, "arrivals": process})


def plan(process: str = "poisson", seed: int = 1, duration: int | None = 100) -> OpenLoop:
    return opened(
        {"name": "x", "rates": [50], "duration": duration, "arrivals": process, "seed": seed}
    )


def stepped() -> OpenLoop:
    return opened({"name": "x", "schedule": STEPS, "arrivals": "constant"})


def test_constant_arrivals_are_evenly_apart() -> None:
    offsets = plan("constant").offsets(50, seed=1)

    assert len(offsets) == 100 * 50
    assert set(np.diff(offsets)) == {20}
    assert offsets[0] == 0


def test_poisson_arrivals_have_the_rate_and_exponential_gaps() -> None:
    offsets = plan(duration=1000).offsets(50, seed=7)

    # Within 4 standard deviations of a Poisson count.
    assert abs(len(offsets) - 50_000) < 4 * 50_000**0.5
    assert list(offsets) == sorted(offsets)
    assert offsets[-1] < 1_000_000
    gaps = np.diff(offsets) + np.random.default_rng(0).uniform(-0.5, 0.5, len(offsets) - 1)
    assert stats.kstest(gaps, "expon", args=(0, 20)).statistic < 0.03


def test_the_seed_alone_decides_the_arrivals() -> None:
    offsets = plan().offsets(50, seed=1)

    assert np.array_equal(offsets, plan().offsets(50, seed=1))
    assert not np.array_equal(offsets[:100], plan().offsets(50, seed=2)[:100])
    # Known values: another machine, or a later library, must draw the same.
    assert offsets[:5].tolist() == KNOWN


KNOWN = [14, 74, 77, 136, 144]


KNOWN_SESSIONS = ["1087713686", "1748898619", "1466162600"]

KNOWN_IN_PHASES = [653, 2660, 2746, 4200, 4363]


def test_steps_have_their_own_rates() -> None:
    offsets = stepped().offsets(0, seed=1)

    counts = np.histogram(offsets, bins=[0, 20_000, 40_000, 60_000, 80_000])[0]
    assert counts.tolist() == [200, 400, 600, 800]
    assert stepped().arrivals_s == 80
    assert stepped().levels[0].value == 25


RISE_AND_FALL = (
    {"from": 1, "to": 10, "for": 30},
    {"rate": 10, "for": 40},
    {"rate": 0, "for": 20},
    {"from": 8, "to": 0, "for": 60},
    {"from": 0, "to": 4, "for": 10},
)


def integral(seconds: float) -> float:
    """Return the expected number of arrivals of `RISE_AND_FALL` up to a moment, numerically."""
    ends = [0, 30, 30, 70, 70, 90, 90, 150, 150, 160]
    rates = [1, 10, 10, 10, 0, 0, 8, 0, 0, 4]
    moments = np.union1d(np.linspace(0, seconds, 20_001), [end for end in ends if end <= seconds])
    middle = (moments[1:] + moments[:-1]) / 2
    # The rate is linear between the ends of phases, so the middle rule is exact.
    return float(np.sum(np.interp(middle, ends, rates) * np.diff(moments)))


def test_arrivals_of_phases_are_where_the_integral_of_the_rate_reaches_each_number() -> None:
    offsets = phased("constant", *RISE_AND_FALL).offsets(0, seed=1)

    assert len(offsets) == 165 + 400 + 240 + 20
    for number in (0, 1, 2, 50, 164, 165, 166, 564, 565, 566, 700, 803, 804, 805, 806, 824):
        # An offset is rounded down to a millisecond, in which up to 0.01 arrivals come.
        assert integral(offsets[number] / 1000) <= number + 1e-6
        assert integral((offsets[number] + 1) / 1000) >= number - 1e-6
    assert not ((offsets >= 70_000) & (offsets < 90_000)).any()
    assert (np.diff(offsets) >= 0).all()


def test_poisson_arrivals_of_phases_have_the_expected_number_in_each() -> None:
    ends = np.array([0, 30, 70, 90, 150, 160])
    counts = np.array(
        [
            np.histogram(phased("poisson", *RISE_AND_FALL).offsets(0, seed), bins=ends * 1000)[0]
            for seed in range(200)
        ]
    )

    expected = np.array([165, 400, 0, 240, 20])
    # Within 4 standard errors of the mean of 200 Poisson counts.
    assert (abs(counts.mean(axis=0) - expected) <= 4 * np.sqrt(expected / 200)).all()
    # A Poisson count varies as much as it is large.
    busy = expected > 0
    assert counts.var(axis=0)[busy] / expected[busy] == pytest.approx(1, abs=0.4)


def test_poisson_arrivals_of_a_ramp_follow_its_rate() -> None:
    offsets = phased("poisson", {"from": 0, "to": 200, "for": 100}).offsets(0, seed=3)

    # Given their number, arrivals are independent with a density in proportion to the rate.
    assert stats.kstest(offsets / 100_000, lambda share: share**2).pvalue > 0.01


def test_the_seed_alone_decides_the_arrivals_of_phases() -> None:
    offsets = phased("poisson", *RISE_AND_FALL).offsets(0, seed=1)

    assert np.array_equal(offsets, phased("poisson", *RISE_AND_FALL).offsets(0, seed=1))
    others = phased("poisson", *RISE_AND_FALL).offsets(0, seed=2)
    assert not np.array_equal(offsets[:50], others[:50])
    assert offsets[:5].tolist() == KNOWN_IN_PHASES


def test_a_schedule_of_equal_phases_is_a_constant_rate() -> None:
    halves = phased("poisson", {"rate": 50, "for": 60}, {"from": 50, "to": 50, "for": 40})

    assert np.array_equal(halves.offsets(0, seed=1), plan().offsets(50, seed=1))


def test_phases_say_how_long_a_run_is_and_what_its_mean_rate_is() -> None:
    plan = phased("poisson", {"from": 1, "to": 10, "for": 30}, {"rate": 10, "for": 120})

    assert plan.arrivals_s == 150
    assert plan.levels[0].value == pytest.approx(1365 / 150)
    planned = plan.arrivals_of(Run("sync", "sync", "tuned", "list", plan.levels[0], 1))
    assert planned is not None
    assert planned.describe()["kind"] == "phases"


def test_runs_of_a_round_are_paired_and_others_are_not() -> None:
    seed = seed_of(plan().seed, "list", 50, 1)

    assert seed == seed_of(plan().seed, "list", 50.0, 1)
    others = {
        seed_of(plan().seed, "reserve", 50, 1),
        seed_of(plan().seed, "list", 60, 1),
        seed_of(plan().seed, "list", 50, 2),
        seed_of(plan(seed=2).seed, "list", 50, 1),
    }
    assert len(others) == 4
    assert seed not in others


@pytest.mark.parametrize("process", ["poisson", "constant"])
def test_what_is_written_reads_back(tmp_path: Path, process: str) -> None:
    offsets = plan(process).offsets(50, seed=3)
    Planned(offsets, 10.0, process, process, 3, 0).write(tmp_path / "arrivals.csv")

    assert read_arrivals(tmp_path / "arrivals.csv") == offsets.tolist()
    first, *rest = (tmp_path / "arrivals.csv").read_text().splitlines()
    assert re.fullmatch(r"\d+,\d+", first)
    assert len(rest) + 1 == len(offsets)
    # Another machine, or a later library, must draw the same sessions.
    sessions = [line.partition(",")[2] for line in (first, *rest)]
    assert sessions[:3] == KNOWN_SESSIONS
    assert len(set(sessions)) > 0.99 * len(sessions)


@pytest.mark.parametrize("process", ["constant", "poisson"])
def test_a_burst_has_its_number_of_arrivals_within_its_time(process: str) -> None:
    plan = opened(
        {"name": "x", "burst": {"arrivals": 1000, "over": 2}, "arrivals": process, "seed": 1}
    )
    offsets = plan.offsets(500, 7)

    assert len(offsets) == 1000
    assert (np.diff(offsets) >= 0).all()
    assert offsets[0] >= 0
    assert offsets[-1] < 2000
    gaps = set(np.diff(offsets).tolist())
    assert gaps == {2} if process == "constant" else len(gaps) > 4
    planned = plan.arrivals_of(Run("sync", "sync", "tuned", "list", plan.levels[0], 1))
    assert planned is not None
    assert planned.describe() == {
        "kind": "burst",
        "process": process,
        "seed": seed_of(1, "list", 500, 1),
        "planned": 1000,
        "length_s": 2.0,
    }

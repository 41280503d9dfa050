"""Evidence that grows pair by pair: against integrals, simulated truths and published pairs."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

from testbed.analysis.arrays import Floats
from testbed.analysis.statistics.ratios import ALIKE, ALPHA
from testbed.analysis.statistics.sequential import EFFECTS, e_value, sequential_ratios

from ..conftest import PROJECT

PUBLISHED = PROJECT / "analysis" / "published"
LOOKS = range(2, 13)


@pytest.mark.parametrize("values", [[0.1, 0.3], [-0.5, -0.4, -0.45], [0.02, -0.03, 0.01, 0.05]])
def test_evidence_is_the_likelihood_ratio_of_students_t(values: list[float]) -> None:
    count = len(values)
    t = stats.ttest_1samp(values, 0.0).statistic

    def likelihood(variance: float) -> float:
        def weighted(effect: float) -> float:
            of_effect = stats.norm.pdf(effect, 0, math.sqrt(variance))
            return float(stats.nct.pdf(t, count - 1, effect * math.sqrt(count)) * of_effect)

        wide = 8 * math.sqrt(variance)
        whole, _ = integrate.quad(weighted, -wide, wide, limit=400, points=[0.0])
        return whole / float(stats.t.pdf(t, count - 1))

    expected = np.mean([likelihood(variance) for variance in EFFECTS])
    assert e_value(values) == pytest.approx(expected, rel=1e-3)


def test_one_pair_is_no_evidence_and_equal_pairs_have_no_width() -> None:
    assert e_value([0.7]) == pytest.approx(1.0)
    assert sequential_ratios([[0.7], [0.7, 0.8]]) == [None, None]
    equal = sequential_ratios([[0.2] * 4])[0]
    assert equal is not None
    assert (equal.verdict, equal.interval.low) == ("higher", equal.interval.estimate)
    assert sequential_ratios([]) == []


@pytest.mark.parametrize("seed", range(10))
def test_a_cell_is_decided_exactly_if_its_interval_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        truths = rng.normal(0, rng.choice([0.01, 0.1, 0.4]), rng.integers(1, 7))
        cells = [rng.normal(truth, 0.03, rng.integers(2, 12)) for truth in truths]
        for ratio in filter(None, sequential_ratios(cells)):
            excludes_1 = ratio.interval.low > 1 or ratio.interval.high < 1
            within = ratio.interval.low > 1 / ALIKE and ratio.interval.high < ALIKE
            assert (ratio.verdict == "not known") == (not excludes_1 and not within)
            assert ratio.verdict != "alike" or within
            assert ratio.verdict not in ("higher", "lower") or excludes_1


@pytest.mark.parametrize("start_share", [0.0, 0.8])
@pytest.mark.parametrize("heavy", [False, True])
def test_looking_after_each_pair_decides_falsely_in_at_most_one_of_twenty(
    start_share: float, *, heavy: bool
) -> None:
    rng = np.random.default_rng(5)

    def drawn(*shape: int) -> Floats:
        values: Floats = rng.standard_t(4, shape) if heavy else rng.normal(0, 1, shape)
        return values

    false = 0
    experiments = 300
    for _ in range(experiments):
        common = math.sqrt(start_share) * drawn(1, LOOKS[-1])
        pairs = 0.15 * (common + math.sqrt(1 - start_share) * drawn(4, LOOKS[-1]))
        evidence = [[e_value(cell[:count]) for cell in pairs] for count in LOOKS]
        false += max(map(max, evidence)) >= 4 / ALPHA
    assert false / experiments <= ALPHA


def test_looking_after_each_pair_finds_a_quarter_more_with_few_pairs() -> None:
    rng = np.random.default_rng(6)
    needed = []
    for _ in range(60):
        cells = rng.normal(math.log(1.25), 0.06, (4, LOOKS[-1]))
        needed.append(
            next(count for count in LOOKS if all(map(apart, sequential_ratios(cells[:, :count]))))
        )
    assert np.median(needed) <= 7


def apart(ratio: object) -> bool:
    return getattr(ratio, "verdict", None) in ("higher", "lower")


def published_pairs(folders: list[Path], reference: str, system: str, figure: str) -> list[Floats]:
    """Return for each cell the differences of the pairs that decide, in order."""
    cells: dict[tuple[str, str], list[float]] = {}
    for folder in folders:
        values: dict[tuple[str, str, int], dict[str, float]] = {}
        with (folder / "runs.csv").open() as file:
            for row in csv.DictReader(file):
                if row["verdict"] in ("valid", "stalled", "overloaded"):
                    place = row["workload"], row["level"], int(row["pair"])
                    values.setdefault(place, {})[row["system"]] = float(row[figure])
        for (workload, level, _), pair in sorted(values.items()):
            if {reference, system} <= pair.keys():
                difference = math.log(pair[system] / pair[reference])
                cells.setdefault((workload, level), []).append(difference)
    return [np.array(cell) for cell in cells.values()]


@pytest.mark.parametrize(
    ("figure", "pairs"),
    [
        ("ok_per_s", [4, 4, 4, 4]),
        ("p95_ms", [6, None, 4, 4]),
        ("cpu_ms_per_ok", [6, None, 4, 4]),
    ],
)
def test_the_published_pairs_of_compare_are_decided_after_four_to_six(
    figure: str, pairs: list[int | None]
) -> None:
    folders = [PUBLISHED / "compare-946eb68" / number for number in "123"]
    cells = published_pairs(folders, "sync", "async", figure)
    decided = [
        next(
            (
                count
                for count in range(2, 7)
                if apart(sequential_ratios([cell[:count] for cell in cells])[place])
            ),
            None,
        )
        for place in range(len(cells))
    ]
    assert decided == pairs


@pytest.mark.parametrize("figure", ["ok_per_s", "p95_ms", "cpu_ms_per_ok"])
@pytest.mark.parametrize("variant", ["sync", "async"])
def test_the_published_pairs_of_identical_systems_never_come_near_a_decision(
    variant: str, figure: str
) -> None:
    cells = published_pairs([PUBLISHED / "aa"], f"{variant}-left", f"{variant}-right", figure)
    evidence = [e_value(cell[:count]) for cell in cells for count in range(1, cell.size + 1)]
    assert max(evidence) < 7
    assert not any(map(apart, sequential_ratios(cells)))

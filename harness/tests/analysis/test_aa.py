"""Controls tell what chance decides, and whether a known difference is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis.aa import (
    Handicapped,
    handicapped,
    identical,
    known_differences,
    null_families,
)
from testbed.analysis.decisions import Decision, decide
from testbed.analysis.samples import load
from testbed.analysis.sections import aa as section
from testbed.analysis.sections.causal_profile import causal_profile, worth
from testbed.analysis.verdicts import Judged, judge_all

from .synthetic import write_run


def write_systems(
    path: Path,
    pairs: int,
    second: float = 1.0,
    cpu_s: float = 2.0,
    settings: dict[str, str] | None = None,
) -> Judged:
    """Write ``one`` and ``other``; other is so many times slower, and uses so much CPU."""
    for place, (name, factor) in enumerate((("one", 1.0), ("other", second))):
        for pair in range(1, pairs + 1):
            # CPU differs by 1 % from pair to pair, in turn for both.
            used = (cpu_s if place else 2.0) * (1 + 0.01 * ((1 + place) * pair % 3))
            record: dict[str, object] = {"system": name, "wall_s": 100.0}
            record |= {"server_cpu_s": {"gateway": used}}
            record |= {"settings": settings or {}} if place else {}
            folder = write_run(
                path / name, repetition=pair, median_ms=30 * factor, record=record, seed=2 + place
            )
            (path / "runs").mkdir(exist_ok=True)
            folder.rename(path / "runs" / f"{name}-{pair}")
    return judge_all(load(path))


def test_identical_systems_are_decided_in_groups_of_as_many_pairs_as_compare_has(
    tmp_path: Path,
) -> None:
    judged = write_systems(tmp_path, pairs=5)
    assert identical(judged.results) == {("one", "other")}
    families = null_families(judged)
    assert len(families) == 2 * 3  # Three figures, pairs 1 to 2 and 3 to 4.
    decisions = [decision for family in families for decision in family]
    assert len(decisions) == 2 * 3  # One cell.
    assert {decision.pairs for decision in decisions} == {2}
    text = section.aa(judged)
    assert "one and other. 6 families of 6 comparisons" in text
    high = 100 * (1 - 0.025 ** (1 / 6))
    assert f"**0 with a false decision**, 0 % [0, {high:.3g}]" in text
    assert "| goodput |" in text


def test_each_couple_has_pairs_of_its_own_whatever_their_numbers(tmp_path: Path) -> None:
    for variant, numbers in (("sync", (1, 3, 5, 7)), ("async", (2, 4, 6, 8))):
        for side in ("left", "right"):
            for number in numbers:
                name = f"{variant}-{side}"
                record = {"system": name, "variant": variant, "wall_s": 100.0}
                write_run(tmp_path, variant=name, repetition=number, record=record, seed=number)
    couples = [["sync-left", "sync-right"], ["async-left", "async-right"]]
    (tmp_path / "experiment.yaml").write_text(f"name: aa\ngroups: {couples}\n")
    families = null_families(judge_all(load(tmp_path)))
    decisions = [decision for family in families for decision in family]
    assert {(decision.system, decision.pairs) for decision in decisions} == {
        ("sync-right", 2),
        ("async-right", 2),
    }
    assert len([decision for decision in decisions if decision.figure == "ok_per_s"]) == 4


def test_a_difference_between_identical_systems_is_counted_as_false(tmp_path: Path) -> None:
    text = section.aa(write_systems(tmp_path, pairs=2, second=1.5))
    assert "3 families of 3 comparisons" in text
    assert "**2 with a false decision**, 66.7 %" in text


def test_systems_that_differ_are_no_control(tmp_path: Path) -> None:
    for variant in ("sync", "async"):
        write_run(tmp_path, variant=variant)
    judged = judge_all(load(tmp_path))
    assert section.aa(judged) == ""
    assert section.known_difference(judged, decide(judged)) == ""


@pytest.mark.parametrize(
    ("handicap", "cpu_s", "expected", "covers", "detected"),
    [
        # Of 1000 operations, 2 ms each; a list asks three cinemas.
        ("180us", 2.54, 1.27, True, True),
        ("360us", 2.54, 1.54, False, True),
        ("0.18ms", 2.0, 1.27, False, False),
    ],
)
def test_a_known_difference_is_decided_and_its_interval_covers_it(
    tmp_path: Path, handicap: str, cpu_s: float, expected: float, *, covers: bool, detected: bool
) -> None:
    settings = {"CINEMA_HANDICAP": handicap}
    judged = write_systems(tmp_path, pairs=3, cpu_s=cpu_s, settings=settings)
    assert identical(judged.results) == set()
    decisions = decide(judged)
    ((truth, decision),) = known_differences(judged.results, decisions)
    assert truth == pytest.approx(expected, rel=0.01)
    assert (decision.decision == "worse") is detected
    text = section.known_difference(judged, decisions)
    assert f"other: detected in {int(detected)} of 1 cells" in text
    assert f"covers the truth in {int(covers)}" in text


def test_a_part_is_worth_what_its_handicap_costs(tmp_path: Path) -> None:
    judged = write_systems(tmp_path, pairs=3, second=1.21, settings={"GATEWAY_HANDICAP": "200us"})
    decisions = decide(judged)
    cases = handicapped(judged.results, decisions)
    assert {(case.part, case.added_ms) for case in cases} == {("gateway", 0.2)}
    assert len(cases) == len(decisions)
    # 0.2 ms more make the p95 about 1.21 times as long, 0.1 ms less divide it by 1.1.
    (of_p95,) = (worth(case) for case in cases if case.decision.figure == "p95_ms")
    assert of_p95 is not None
    assert of_p95[0] == pytest.approx(1 / 1.1, rel=0.02)
    row = next(line for line in causal_profile(judged, decisions).splitlines() if "gateway" in line)
    assert "| gateway | 0.20 |" in row
    assert f"| \N{MINUS SIGN}{100 * (1 - of_p95[0]):.0f} % [" in row


def test_nothing_is_known_of_the_worth_of_a_part_whose_calls_are_not(tmp_path: Path) -> None:
    # Each list then passes the gateway four times, not once.
    judged = write_systems(tmp_path, pairs=3, second=1.21, settings={"GATEWAY_HANDICAP": "200us"})
    for run in judged.results.runs:
        object.__setattr__(run, "settings", {**run.settings, "AGGREGATOR_ROUTE": "gateway"})
    assert handicapped(judged.results, decide(judged)) == []


@pytest.mark.parametrize(
    ("added_ms", "ratio", "expected"),
    [
        (0.1, (0.8, 0.75, 0.85), (1.25, 1 / 0.85, 1 / 0.75)),
        (0.3, (1.331, 1.0, 1.5), (1 / 1.1, 1.5 ** (-1 / 3), 1.0)),
        # The reference has the handicap.
        (-0.1, (1.25, 1.2, 1.3), (1.25, 1.2, 1.3)),
        (0.1, (0.8, None, None), (1.25, None, None)),
    ],
)
def test_the_worth_of_a_part_has_the_interval_of_its_decision(
    added_ms: float,
    ratio: tuple[float, float | None, float | None],
    expected: tuple[float, float | None, float | None],
) -> None:
    value, low, high = ratio
    decision = Decision(
        *("slow", "plain", "list", "closed", 100, "ok_per_s"), ratio=value, low=low, high=high
    )
    assert worth(Handicapped("cinema", added_ms, decision)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "settings",
    [
        # Two parts at once, or another setting as well: it is not known what made the difference.
        {"GATEWAY_HANDICAP": "60us", "CINEMA_HANDICAP": "60us"},
        {"GATEWAY_HANDICAP": "60us", "AGGREGATOR_CLIENT": "declared"},
        # No operation of this system meets it.
        {"BROKER_HANDICAP": "60us"},
    ],
)
def test_nothing_is_known_of_the_worth_of_a_part_that_was_not_slowed_alone(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    judged = write_systems(tmp_path, pairs=2, settings=settings)
    assert causal_profile(judged, decide(judged)) == ""

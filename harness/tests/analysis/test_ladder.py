"""A ladder's steps, growth and limits, and what the report says of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from testbed.analysis.claims.claim import Claim
from testbed.analysis.decisions import decide
from testbed.analysis.figures import climb, growth
from testbed.analysis.ladders import Climb, climbed, turned
from testbed.analysis.samples import load
from testbed.analysis.sections import answer, cases, ladder, limit
from testbed.analysis.summary import tabulate
from testbed.analysis.verdicts import Judged, judge_all

from .synthetic import examine, write_blocks, write_pair, write_run

DECLARED = """
name: climbing
ladder:
  top: {variant: sync, preset: tuned}
  factors: {log: {}, pool: {}}
  beyond: {snapshot: {}}
systems: {plain: {}, log: {}, tuned: {}, without-log: {}, plus-snapshot: {}}
groups: [[log, plain, tuned], [tuned, without-log, plus-snapshot]]
"""
STARTS = (
    {"plain": 60.0, "log": 40.0, "tuned": 20.0},
    {"tuned": 20.0, "without-log": 60.0, "plus-snapshot": 20.0},
)
"""The median response time of each system, in ms, by start."""


@pytest.fixture
def judged(tmp_path: Path) -> Judged:
    (tmp_path / "runs").mkdir()
    (tmp_path / "experiment.yaml").write_text(DECLARED)
    for repetition, systems in enumerate(STARTS, 1):
        for name, median in systems.items():
            write_blocks(
                tmp_path / f"{name}-{repetition}",
                medians_ms=(median, 1.02 * median, median),
                repetition=repetition,
                loops=300,
                record={"system": name},
            ).rename(tmp_path / "runs" / f"{name}-{repetition}")
    return judge_all(load(tmp_path))


@pytest.fixture
def measured(judged: Judged) -> Climb:
    climb = climbed(judged.results, decide(judged))
    assert climb is not None
    return climb


def test_a_step_is_worth_its_rung_divided_by_the_one_below(measured: Climb) -> None:
    assert measured.first == "plain"
    assert [(rung.factor, rung.rung) for rung in measured.steps] == [
        ("log", "log"),
        ("pool", "tuned"),
        ("snapshot", "plus-snapshot"),
    ]
    log, pool, snapshot = (
        next(decision for decision in step.added if decision.figure == "ok_per_s")
        for step in measured.steps
    )
    assert (log.system, log.reference) == ("log", "plain")
    assert log.ratio == pytest.approx(1.5, rel=0.03)
    assert (log.low or 9) < (log.ratio or 0) < (log.high or 0)
    assert pool.ratio == pytest.approx(2, rel=0.03)
    assert [decision.decision for decision in (log, pool, snapshot)] == [
        "better",
        "better",
        "alike",
    ]


def test_what_is_taken_out_of_the_top_is_compared_with_it(measured: Climb) -> None:
    log, pool, snapshot = measured.steps
    (removed,) = [decision for decision in log.removed if decision.figure == "ok_per_s"]

    assert (removed.system, removed.reference) == ("tuned", "without-log")
    assert removed.ratio == pytest.approx(3, rel=0.03)
    assert pool.removed == pool.added
    assert snapshot.removed == ()


def test_a_system_that_was_also_up_with_others_has_no_pair_left_out(judged: Judged) -> None:
    assert {decision.left_out for decision in decide(judged)} == {0}


def test_a_turned_decision_turned_again_is_the_first(judged: Judged) -> None:
    for decision in decide(judged):
        again = turned(turned(decision))
        assert (again.system, again.decision) == (decision.system, decision.decision)
        assert again.ratio == pytest.approx(decision.ratio)
        assert again.reference_value == pytest.approx(decision.reference_value)


def test_the_report_of_a_ladder_has_its_steps_and_the_published_one(judged: Judged) -> None:
    text = cases.studies(judged)

    assert text.startswith("## A ladder of optimisations")
    assert "| 5 | distributed cache | server |" in text
    assert "**list, 10 threads.**" in text
    assert "better by 5" in text
    assert "Worth a different amount at the top than on the way up" in text
    assert "log (list, 10 threads: 1.5" in text
    assert "5 of 5 statements disagree" in text
    line = answer.first(judged, decide(judged)).line
    assert line.startswith("Of 3 steps, pool raises goodput most: ")
    assert answer.decided(judged, decide(judged)) == ""


def test_the_terminal_says_what_each_factor_of_a_ladder_is_worth(judged: Judged) -> None:
    decisions = decide(judged)
    printed = answer.printed(judged, decisions, answer.first(judged, decisions))
    _, log, pool, snapshot = printed["own"]

    assert printed["decisions"] == []
    assert log.startswith("list, 10 threads: goodput with log: 1.5")
    assert re.search(r"better by \d\d %; at the top: (2\.9|3\.0)\d .*, better: × ", log)
    # The last factor has the top for its rung; what is beyond is taken out of nothing.
    assert "with pool" in pool
    assert "with snapshot" in snapshot
    assert "at the top" not in pool + snapshot


def test_a_comparison_is_no_ladder(tmp_path: Path) -> None:
    pair = write_pair(tmp_path)

    assert ladder.ladder(pair) == ""
    assert climb.ladders(pair, tabulate(pair.used), decide(pair)) == []
    assert "ladder" not in cases.studies(pair)


def test_steps_together_are_held_against_a_claim(judged: Judged) -> None:
    given = {"id": "x", "source": "ours", "says": "so", "kind": "steps", "accept": (2.0, 4.0)}
    claim = Claim.model_validate({**given, "steps": ["log", "pool"]})

    both = examine(claim, judged)

    assert both.estimate == pytest.approx(3, rel=0.03)
    assert (both.runs, both.unit) == (1, "×")
    missing = claim.model_copy(update={"steps": ["log", "other"]})
    assert examine(missing, judged).note == "nothing usable"


def test_a_ladder_is_drawn_for_each_cell(judged: Judged) -> None:
    (figure,) = climb.ladders(judged, tabulate(judged.used), decide(judged))

    assert figure.name == "ladder-list-10"
    assert figure.image.startswith(b"\x89PNG")
    assert "Each rung has one more factor at its best" in figure.caption


def test_arrivals_and_threads_of_one_number_are_two_cells_of_a_ladder(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "experiment.yaml").write_text(DECLARED)
    medians = {"plain": (60.0, 20.0), "log": (40.0, 10.0), "tuned": (20.0, 10.0)}
    for name, of_mode in medians.items():
        for mode, median in zip(("closed", "open"), of_mode, strict=True):
            write_blocks(
                tmp_path / f"{name}-{mode}",
                medians_ms=(median,) * 3,
                loops=300,
                record={"system": name, "mode": mode, "level": 10},
            ).rename(tmp_path / "runs" / f"{name}-{mode}")
    judged = judge_all(load(tmp_path))
    figures = climb.ladders(judged, tabulate(judged.used), decide(judged))
    assert [figure.name for figure in figures] == ["ladder-list-10", "ladder-list-10-open"]
    closed, opened = ladder.ladder(judged).split("**list, ")[1:]
    assert [part.count("×1.5") + part.count("1.50") for part in (closed, opened)] == [1, 0]


@pytest.mark.parametrize("many", [True, False])
def test_growth_is_drawn_over_a_factor_of_numbers(tmp_path: Path, many: bool) -> None:
    values = (0, 100, 200) if many else (0, 100)
    (tmp_path / "experiment.yaml").write_text(f"factors: {{stored: {list(map(str, values))}}}")
    (tmp_path / "runs").mkdir()
    for value in values:
        settings = {"stored": str(value)} if value else {}
        write_run(
            tmp_path / f"{value}",
            median_ms=10 + value / 10,
            record={"system": f"sync-{value}", "settings": settings},
        ).rename(tmp_path / "runs" / f"sync-{value}")
    judged = judge_all(load(tmp_path))

    summary = tabulate(judged.used)
    drawn = growth.growth(judged, summary)

    assert [figure.name for figure in drawn] == (["growth-list-10"] if many else [])
    if many:
        first, last = (summary.filter(system=f"sync-{size}")["p95_ms"].item() for size in (0, 200))
        assert f"sync, p95, ms × {last / first:.2f} from 0 to 200" in drawn[0].caption


def test_a_wide_axis_of_growth_names_what_was_measured() -> None:
    values = (0.0, 1e5, 1e6)
    rows = [(at, {"ok_per_s": 1.0}) for at in values]

    figure, _ = growth.draw("stored", {"sync": rows}, {"ok_per_s": "goodput, 1/s"})

    for axes in figure.axes:
        assert tuple(axes.get_xticks()) == values
        assert [axes.xaxis.get_major_formatter()(at) for at in values] == ["0", "100k", "1M"]
        assert len(axes.get_xticks(minor=True)) == 0


def test_growth_is_drawn_over_many_levels(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, runs=1, levels=(1, 2, 4, 8, 16, 32, 64))

    assert [figure.name for figure in growth.growth(judged, tabulate(judged.used))] == [
        "growth-list"
    ]


def test_results_are_set_against_servers_without_work(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, runs=1)
    assert limit.limit(judged, tabulate(judged.used)) == ""

    bare = {name: {"operations_per_s": 4000.0, "cpu_ms": 0.2} for name in limit.SERVERS}
    environment = {"bare_servers": {"sync-list.jmx": bare}}
    (tmp_path / "environment.json").write_text(json.dumps(environment))
    judged = judge_all(load(tmp_path))
    text = limit.limit(judged, tabulate(judged.used))

    # 2 s of CPU for 1000 operations.
    assert "| sync | list | " in text
    assert "| 2.000 | 10.0 % | 10.0 % | 10.0 % | 5 | 10 | 3 | 0 |" in text
    assert "| async |" not in text

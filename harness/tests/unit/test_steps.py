from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from rich.console import Console

from testbed.cli import console, steps
from testbed.cli.steps import (
    MEASURE,
    PREPARE,
    PROBE_S,
    PROCESSOR,
    REPORT,
    START,
    WARM_UP,
    Pace,
    Step,
    Steps,
)
from testbed.deploy import machine

PLANNED = (
    Step(PREPARE, "building", 100),
    Step(START, "starting sync", 20),
    Step(MEASURE, "measuring sync", 60),
    Step(REPORT, "writing the report", 10),
)


class Clock:
    """A clock that a test advances."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock.monotonic)
    return clock


def made(planned: tuple[Step, ...] = PLANNED, bound: str = "") -> tuple[Steps, io.StringIO]:
    text = io.StringIO()
    return Steps(Console(file=text, width=80), planned, Pace(), bound), text


def test_the_rest_is_corrected_by_what_steps_have_taken(clock: Clock) -> None:
    shown, _ = made((PLANNED[1], PLANNED[2], PLANNED[1], PLANNED[2]))
    with shown:
        assert shown.remaining_s() == 160
        shown.begin(START)
        clock.now += 60
        # It has taken longer than expected: nothing is left of it.
        assert shown.remaining_s() == 140
        shown.begin(MEASURE)
        assert shown.remaining_s() == 60 + 3 * 20 + 60
        clock.now += 30
        assert shown.remaining_s() == 30 + 3 * 20 + 60


def test_steps_that_are_not_needed_are_skipped(clock: Clock) -> None:
    shown, text = made()
    with shown:
        shown.begin(START)
        shown.begin(REPORT)

    lines = text.getvalue().splitlines()
    assert lines[0] == "4 steps, about 3 minutes in all"
    assert lines[1] == "step 1 of 3: starting sync, about 2 minutes left"
    assert lines[2] == "step 2 of 2: writing the report, less than a minute left"


def test_steps_beyond_the_planned_ones_are_added(clock: Clock) -> None:
    shown, text = made(PLANNED, "at least ")
    with shown:
        for kind in (PREPARE, START, MEASURE, START, MEASURE, REPORT):
            shown.begin(kind)

    lines = [line.partition(":")[0] for line in text.getvalue().splitlines()[1:-1]]
    assert lines == [
        *(f"step {number} of at least 4" for number in (1, 2, 3)),
        "step 4 of at least 5",
        "step 5 of at least 6",
        "step 6 of at least 6",
    ]


def test_a_log_has_a_line_now_and_then_while_a_step_lasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(console, "HEARTBEAT_S", 0.01)
    shown, text = made()
    with shown:
        shown.begin(PREPARE)
        shown.detail("waiting for [bold]Maven[/bold]")
        while text.getvalue().count("so far") < 2:
            pass

    line = next(line for line in text.getvalue().splitlines() if "Maven" in line)
    assert line.startswith("step 1 of 4, about 3 minutes left, 0.")
    assert line.endswith(" so far · waiting for Maven")


def test_the_pace_of_a_machine_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "state" / "pace.json"
    pace = Pace.read(file)
    pace.learn(Step(START, "starting sync", 20), 40)
    pace.learn(Step(PREPARE, "nothing to do", 0), 3)

    kept = Pace.read(file)
    assert kept.ratios == {START: {"starting sync": 2.0}}
    assert kept.seconds(PLANNED[1]) == 40
    # Of the same kind, and of the same processor.
    assert kept.seconds(Step(START, "starting async", 30)) == 60
    assert kept.seconds(Step(WARM_UP, "warming up sync", 110)) == pytest.approx(110 * 2**0.4)
    # By the clock, and by the network.
    assert kept.seconds(PLANNED[2]) == 60
    assert kept.seconds(PLANNED[0]) == 100


WARM = Step(WARM_UP, "warming up sync", 100)


def test_a_processor_that_became_slower_is_slower_for_every_step() -> None:
    slow = {"starting async": 2.0, "starting sync": 1.0}
    pace = Pace(ratios={PREPARE: {"a": 1.0}, START: slow, WARM_UP: {WARM.title: 1.5}})
    pace.learn(PLANNED[1], 60)
    slower = {
        PREPARE: {"a": 1.0},
        START: {"starting async": 6.0, "starting sync": 3.0},
        # Most of it are windows of a fixed length.
        WARM_UP: {WARM.title: pytest.approx(1.5 * 3**0.4)},
    }
    assert pace.ratios == slower
    # So it tells nothing of other steps.
    pace.learn(WARM, 450)
    assert pace.ratios == {**slower, WARM_UP: {WARM.title: 4.5}}


def test_the_speed_of_the_processor_is_told_before_the_first_step() -> None:
    probing = Step(PROCESSOR, "probing", PROBE_S)
    new, kept = Pace(), Pace(ratios={PROCESSOR: {"probing": 0.5}, START: {PLANNED[1].title: 0.6}})
    for pace in (new, kept):
        pace.learn(probing, 1.5 * PROBE_S)
    assert new.seconds(PLANNED[1]) == pytest.approx(1.5 * 20)
    assert kept.seconds(PLANNED[1]) == pytest.approx(3 * 0.6 * 20)
    # By the clock.
    assert (new.seconds(PLANNED[2]), kept.seconds(PLANNED[2])) == (60, 60)
    assert machine.probe_s() > 0


def test_a_start_or_a_warm_up_of_another_length_changes_no_other_step() -> None:
    monolith = Step(START, "starting monolith", 20)
    pace = Pace(ratios={START: {PLANNED[1].title: 1.0}, WARM_UP: {WARM.title: 1.0}})
    pace.learn(monolith, 4)
    assert (pace.seconds(monolith), pace.seconds(WARM), pace.seconds(PLANNED[1])) == (4, 100, 20)
    pace.learn(PLANNED[1], 20)
    # In the same command a machine is as it is.
    pace.learn(PLANNED[1], 30)
    assert (pace.seconds(monolith), pace.seconds(WARM), pace.seconds(PLANNED[1])) == (4, 100, 30)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"start": {"a": "fast"}}', '{"start": null}', '{"start": 1.5}']
)
def test_a_damaged_pace_counts_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pace.json").write_text(text)

    assert Pace.read(tmp_path / "pace.json").ratios == {}


def test_a_step_that_failed_teaches_nothing(clock: Clock) -> None:
    pace = Pace()
    with (
        pytest.raises(ValueError, match="wrong"),
        Steps(Console(file=io.StringIO()), PLANNED, pace) as shown,
    ):
        shown.begin(PREPARE)
        clock.now += 5
        raise ValueError("wrong")

    assert pace.ratios == {}


@pytest.mark.parametrize(
    ("modules", "jmeter", "title"),
    [
        (0, False, "checking what is needed"),
        (1, False, "building 1 module"),
        (11, True, "building 11 modules and laying out JMeter"),
    ],
)
def test_the_preparation_says_what_it_does(modules: int, jmeter: bool, title: str) -> None:
    assert steps.preparation(modules, jmeter=jmeter).title == title

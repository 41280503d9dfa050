from __future__ import annotations

import io

import pytest
from rich.console import Console

from testbed.cli.progress import Estimate, Progress
from testbed.experiment.declaration import ClosedLoop
from testbed.experiment.parts import Warmup
from testbed.experiment.planning import expect
from testbed.experiment.schedule import Run, schedule
from testbed.measure.load import Seen
from testbed.model.words import duration

PLAN = ClosedLoop(name="x", threads=(1, 2), duration=10, repetitions=2, warmup=Warmup(at_most=5))
START = schedule(PLAN)[0]


def run() -> Run:
    (found,) = START.runs(START.cells[0])
    return found


def test_the_estimate_follows_what_runs_and_starts_really_take() -> None:
    estimate = Estimate(expect(PLAN, {}))
    guess = estimate.remaining_s()
    estimate.starts_s += 2 * [50.0]
    estimate.runs_s += 8 * [20.0]

    assert guess > 16 * 10
    assert estimate.remaining_s() == pytest.approx(8 * 20 + 2 * 50)


def test_every_ended_run_is_a_line_with_rate_and_failures() -> None:
    text = io.StringIO()
    with Progress(Console(file=text, width=80), expect(PLAN, {})) as show:
        show.starting(START)
        show.started(START)
        show.loading("warm-up", Seen(5, 0, 5.0, 1.0, 1.0))
        show.warmed(START, "sync warm at an age of 70 s")
        show.measured(run(), [Seen(617, 0, 0, 5.0, 6.0)] * 2, 11.0)
        show.measured(run(), [Seen(1000, 3, 0, 10.0, 11.0)], 11.0)
        show.known(["list, 1 thread: 0.84 [0.80, 0.88]"])

    lines = text.getvalue().splitlines()
    assert lines[0].startswith(f"✓ start 1: {START.name} up ")
    assert lines[1] == "  warm-up: sync warm at an age of 70 s"
    assert lines[2].startswith("✓ [ 1/16]")
    assert "1,234 operations, 123/s, 0 failed" in lines[2]
    assert lines[3].startswith("! [ 2/16]")
    assert "1,000 operations, 100/s, 3 failed" in lines[3]
    assert lines[4] == "  list, 1 thread: 0.84 [0.80, 0.88]"


def test_an_open_loop_says_how_it_keeps_up() -> None:
    text = io.StringIO()
    with Progress(Console(file=text, width=120), expect(PLAN, {})) as show:
        seen = Seen(900, 0, 0, 10.0, 11.0, first_ms=1, offered=1000, late=40)
        show.measured(run(), [seen], 11.0)

    assert "900 operations, 90/s, 0 failed (1,000 offered, 100 not ended, 40 late)" in (
        text.getvalue()
    )


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (60, "1 min 00 s"), (605, "10 min 05 s")],
)
def test_shows_durations_for_people(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown

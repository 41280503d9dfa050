from __future__ import annotations

import io

import pytest
from rich.console import Console

from testbed.cli.progress import Progress
from testbed.cli.steps import Pace, Steps, of_experiment
from testbed.experiment.loads.closed import ClosedLoop
from testbed.experiment.parts import Warmup
from testbed.experiment.planning import expect
from testbed.experiment.runs import Run
from testbed.experiment.schedule import schedule
from testbed.measure.samplefile import Seen
from testbed.model.words import about, duration

PLAN = ClosedLoop(name="x", threads=(1, 2), duration=10, repetitions=2, warmup=Warmup(at_most=5))
START = schedule(PLAN)[0]


def run() -> Run:
    (planned,) = START.runs(START.cells[0])
    return planned


def shown_by(text: io.StringIO, width: int = 80) -> tuple[Steps, Progress]:
    console, expected = Console(file=text, width=width), expect(PLAN, {})
    steps = Steps(console, of_experiment(expected), Pace())
    return steps, Progress(console, steps, expected)


def test_every_step_and_every_ended_run_is_a_line() -> None:
    text = io.StringIO()
    steps, show = shown_by(text)
    with steps:
        show.starting(START)
        show.started(START)
        show.loading("warm-up", Seen(5, 0, 5.0, 1.0, 1.0))
        show.warmed(START, "sync warm at an age of 70 s")
        show.measured(run(), [Seen(617, 0, 0, 5.0, 6.0)] * 2, 11.0)
        show.measured(run(), [Seen(1000, 3, 0, 10.0, 11.0)], 11.0)
        show.narrowed(["list, 1 thread: 0.84 [0.80, 0.88]"])

    lines = text.getvalue().splitlines()
    # Four starts, each with a warm-up and its runs.
    assert lines[0].startswith("12 steps, about ")
    assert lines[1].startswith(f"step 1 of 12: starting {START.name}, about ")
    assert lines[2].startswith(f"step 2 of 12: warming up {START.name}, about ")
    assert lines[3] == "  warm-up: sync warm at an age of 70 s"
    assert lines[4].startswith(f"step 3 of 12: measuring {START.name}, about ")
    assert lines[5].startswith("✓ [ 1/16]")
    assert "1,234 operations, 123/s, 0 failed" in lines[5]
    assert lines[6].startswith("! [ 2/16]")
    assert "1,000 operations, 100/s, 3 failed" in lines[6]
    assert lines[7] == "  list, 1 thread: 0.84 [0.80, 0.88]"


def test_an_open_loop_says_how_it_keeps_up() -> None:
    text = io.StringIO()
    _, show = shown_by(text, width=120)
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


@pytest.mark.parametrize(
    ("seconds", "bound", "shown"),
    [
        (20, "", "less than a minute"),
        (20, "at least ", "at least a minute"),
        (60, "", "about 1 minute"),
        (250, "", "about 4 minutes"),
        (250, "at most ", "at most 4 minutes"),
        (9000, "at least ", "at least 2.5 hours"),
    ],
)
def test_shows_estimates_as_such(seconds: float, bound: str, shown: str) -> None:
    assert about(seconds, bound) == shown

"""What the schedule stops by."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis.decisions import comparisons
from testbed.analysis.precision import widths
from testbed.errors import UserError

from .synthetic import write_pair, write_run


def test_widths_are_what_the_schedule_stops_by(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20))
    found = widths(tmp_path, "p95_ms")
    assert list(found) == [("list", "closed", 10.0), ("list", "closed", 20.0)]
    interval = comparisons(judged)[0].ratios["p95_ms"].interval
    assert interval is not None
    expected = (interval.high - interval.low) / 2 / interval.estimate
    assert found["list", "closed", 10.0] == pytest.approx(expected)


def test_widths_are_not_known_before_both_sides_have_two_runs(tmp_path: Path) -> None:
    write_pair(tmp_path)
    write_run(tmp_path, variant="sync", threads=40)
    write_run(tmp_path, variant="sync", threads=40, repetition=2)
    write_run(tmp_path, variant="async", threads=40)
    found = widths(tmp_path, "mean_ms")
    assert found["list", "closed", 40.0] is None
    assert found["list", "closed", 10.0] is not None
    assert widths(tmp_path / "nothing-yet", "mean_ms") == {}
    with pytest.raises(UserError, match="unknown figure 'p97_ms'"):
        widths(tmp_path, "p97_ms")


def test_widths_are_not_known_while_a_preset_has_no_usable_pair(tmp_path: Path) -> None:
    for preset in ("thesis", "tuned"):
        for variant in ("sync", "async"):
            for repetition in (1, 2, 3):
                write_run(
                    tmp_path,
                    variant=variant,
                    preset=preset,
                    repetition=repetition,
                    record={
                        "system": f"{variant}-{preset}",
                        "wall_s": 100.0,
                        "complete_before": True if preset == "tuned" else "cinema ucd was missing",
                    },
                )
    assert widths(tmp_path, "mean_ms") == {("list", "closed", 10.0): None}


def test_threads_and_arrivals_of_one_number_are_two_cells(tmp_path: Path) -> None:
    for variant in ("sync", "async"):
        for repetition in (1, 2):
            write_run(tmp_path, variant=variant, threads=20, repetition=repetition)
            # No plan is recorded, so that the rate is not checked.
            write_run(
                tmp_path,
                variant=variant,
                workload="reserve",
                threads=20,
                repetition=repetition,
                record={"workload": "list", "mode": "open", "level": 20},
            )
    found = widths(tmp_path, "mean_ms")
    assert list(found) == [("list", "closed", 20.0), ("list", "open", 20.0)]

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
    assert list(found) == [("list", 10.0), ("list", 20.0)]
    interval = comparisons(judged)[0].ratios["p95_ms"].interval
    assert interval is not None
    expected = (interval.high - interval.low) / 2 / interval.estimate
    assert found["list", 10.0] == pytest.approx(expected)


def test_widths_are_not_known_before_both_sides_have_two_runs(tmp_path: Path) -> None:
    write_pair(tmp_path)
    write_run(tmp_path, variant="sync", threads=40)
    write_run(tmp_path, variant="sync", threads=40, repetition=2)
    write_run(tmp_path, variant="async", threads=40)
    found = widths(tmp_path, "mean_ms")
    assert found["list", 40.0] is None
    assert found["list", 10.0] is not None
    assert widths(tmp_path / "nothing-yet", "mean_ms") == {}
    with pytest.raises(UserError, match="unknown figure 'p97_ms'"):
        widths(tmp_path, "p97_ms")

"""Efficiency and scalability of measured systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis.scaling import efficiencies, scalability
from testbed.analysis.studies import by_system

from .synthetic import write_pair


def test_efficiency_is_relative_to_the_lowest_level(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40), second=1.5)
    systems = by_system(judged.used.measurements)
    found = efficiencies(systems["sync"], "mean_ms")
    # Response times are as 1.5 : 2 : 3.
    expected = [100, 100 * 2 * 1.5 / 2, 100 * 4 * 1.5 / 3]
    assert [one.estimate for one in found.values()] == pytest.approx(expected, rel=0.03)
    assert list(found) == [10, 20, 40]
    # Whole milliseconds, cut off, take half of one from each mean.
    assert found[40].low < 198.4 < found[40].high


def test_scalability_needs_four_levels(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40, 80))
    systems = by_system(judged.used.measurements)
    assert scalability(systems["sync"]) is not None
    del systems["sync"][40.0]
    assert scalability(systems["sync"]) is None

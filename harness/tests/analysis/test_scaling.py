"""Efficiency and scalability of measured systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from testbed.analysis.decisions import questions
from testbed.analysis.scaling import efficiencies, scalability

from .synthetic import write_pair


def test_efficiency_is_relative_to_the_lowest_level(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40), second=1.5)
    ((_, systems),) = questions(judged)
    found = efficiencies(systems["sync"], "mean_ms")
    assert found is not None
    # Response times are as 1.5 : 2 : 3.
    expected = [100, 100 * 2 * 1.5 / 2, 100 * 4 * 1.5 / 3]
    assert [one.estimate for one in found.percents] == pytest.approx(expected, rel=0.03)
    assert found.bands == ("high", "high", "high")
    assert found.until(100) == 40
    assert found.percents[2].low < 200 < found.percents[2].high


def test_scalability_needs_four_levels(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20, 40, 80))
    ((_, systems),) = questions(judged)
    assert scalability(systems["sync"]) is not None
    del systems["sync"][40.0]
    assert scalability(systems["sync"]) is None

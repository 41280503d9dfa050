from __future__ import annotations

from pathlib import Path

import numpy as np

from testbed import objective
from testbed.experiment import Slo

from .fake_generator import HEADER

SLO = Slo(p95_ms=100, failed_share=0.01)


def times(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, dtype=float)


def test_slow_answers_miss_the_objective() -> None:
    fast, slow = times(*[50] * 100), times(*[50] * 90, *[500] * 10)
    ok = np.ones(100, dtype=bool)

    assert objective.reached(SLO, fast, ok, 100) == objective.Reached(50.0, 0.0, True)
    assert not objective.reached(SLO, slow, ok, 100).met


def test_failures_miss_it_however_fast_they_are() -> None:
    ok = np.array([True] * 98 + [False] * 2)
    found = objective.reached(SLO, times(*[1] * 100), ok, 100)

    assert (found.failed_share, found.met) == (0.02, False)


def test_arrivals_that_never_began_are_failures() -> None:
    found = objective.reached(SLO, times(*[1] * 90), np.ones(90, dtype=bool), 100)

    assert (found.failed_share, found.met) == (0.1, False)


def test_nothing_at_all_meets_nothing() -> None:
    found = objective.reached(SLO, times(), np.array([], dtype=bool), 10)

    assert found == objective.Reached(None, 1.0, False)


def test_time_counts_from_the_intended_start(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    rows = [
        "2000,10,list request,202,OK,u,text,true,,1,1,1,1,,1,0,1,1000",
        "2000,10,list,200,OK,u,text,true,,1,1,1,1,,1,0,1,1000",
    ]
    samples.write_text("\n".join([f"{HEADER},intended", *rows]) + "\n")

    assert objective.of_run(SLO, samples, "list", 1).p95_ms == 1010

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from testbed.analysis import objective
from testbed.analysis.results import Arrivals, Block, Cell, Results, Run, run_of
from testbed.analysis.samples import measure
from testbed.experiment.parts import Slo
from testbed.model.errors import UserError

from .synthetic import HEADER, write_run

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
    reached = objective.reached(SLO, times(*[1] * 100), ok, 100)

    assert (reached.failed_share, reached.met) == (0.02, False)


def test_arrivals_that_never_began_are_failures() -> None:
    reached = objective.reached(SLO, times(*[1] * 90), np.ones(90, dtype=bool), 100)

    assert (reached.failed_share, reached.met) == (0.1, False)


def test_nothing_at_all_meets_nothing() -> None:
    reached = objective.reached(SLO, times(), np.array([], dtype=bool), 10)

    assert reached == objective.Reached(None, 1.0, False)


def test_time_counts_from_the_intended_start_and_dropped_arrivals_count(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    rows = [
        "2000,10,list request,202,OK,users 1-1,text,true,,1,1,1,1,,1,0,1,1000",
        "2000,10,list,200,OK,users 1-1,text,true,,1,1,1,1,,1,0,1,1000",
    ]
    samples.write_text("\n".join([f"{HEADER},intended", *rows]) + "\n")
    cell = Cell("async", "list", "tuned", "embedded", threads=1, mode="open", level=1)
    run = Run("run", cell, (Block(samples),), arrivals=Arrivals("constant", planned=4))

    reached = objective.reached_by(SLO, measure(run))

    assert reached == objective.Reached(1010.0, 0.75, False)


def test_a_load_that_was_not_carried_misses_it_however_fast_the_answers_are(tmp_path: Path) -> None:
    folder = write_run(tmp_path, median_ms=10)
    good = measure(run_of(folder, json.loads((folder / "run.json").read_text())))
    stuck = replace(good, run=replace(good.run, complete_after="504"))

    assert objective.reached_by(SLO, good).met
    assert not objective.reached_by(SLO, stuck).met


def results(declaration: str) -> Results:
    return Results(Path("mine"), (), declaration=declaration)


def test_the_declared_objective_is_read() -> None:
    assert objective.declared(results("slo: {p95_ms: 100, failed_share: 0.01}")) == SLO
    assert objective.declared(results("name: without")) is None


def test_what_is_no_objective_is_told() -> None:
    with pytest.raises(UserError, match=r"mine/experiment\.yaml: slo\.p95_ms: .* greater than 0"):
        objective.declared(results("slo: {p95_ms: 0}"))

"""Predictions follow from costs, and agree with what was measured where both are there."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from testbed.analysis.prediction import Deployment, predict
from testbed.cli.predicting import parse_mix, words
from testbed.model.errors import UserError

from .conftest import PROJECT

PUBLISHED = PROJECT / "analysis" / "published"
RUNS = "run,system,workload,mode,level,pair,verdict,ok_per_s,p95_ms,cpu_ms_per_ok\n"
COMPARED = [PUBLISHED / "compare", *(PUBLISHED / "compare-946eb68" / number for number in "123")]


def write_tables(folder: Path) -> Path:
    """Write two systems of which one costs twice as much, and whose generator costs 0.5 ms."""
    folder.mkdir(exist_ok=True)
    runs = [
        f"{system}-{workload}-{pair},{system},{workload},closed,10.0,{pair},valid,100,9,"
        f"{cost * shift}\n"
        for system, costs in (
            ("a", {"list": 1.0, "reserve": 2.0}),
            ("b", {"list": 2.0, "reserve": 1.0}),
        )
        for workload, cost in costs.items()
        for pair, shift in ((1, 1.0), (2, 1.02 if system == "b" else 1.0))
    ]
    (folder / "runs.csv").write_text(RUNS + "".join(runs))
    (folder / "summary.csv").write_text(
        "system,workload,mode,level,ok_per_s,generator_cpu_ms_per_operation\n"
        "a,list,closed,10.0,1000,0.5\nb,list,closed,10.0,700,0.5\n"
        "a,reserve,closed,10.0,800,0.5\nb,reserve,closed,10.0,1200,0.5\n"
    )
    (folder / "decisions.csv").write_text("reference,system\na,b\na,b\n")
    (folder / "cpu.csv").write_text(
        "system,workload,mode,level,service,cpu_ms_per_ok\n"
        "a,list,closed,10.0,embedded-backends,0.1\nb,list,closed,10.0,embedded-backends,0.3\n"
    )
    (folder / "environment.json").write_text('{"usable_cpus": 2}')
    return folder


def test_the_ratio_is_that_of_the_costs_and_the_generator_counts_here_alone(tmp_path: Path) -> None:
    tables = write_tables(tmp_path)
    here, _ = predict(tables, Deployment())
    apart, _ = predict(tables, Deployment("elsewhere", cores=8))
    assert here.ratio.estimate == pytest.approx(math.sqrt(1.5 / 2.5 * 1.5 / 2.54))
    assert apart.ratio.estimate == pytest.approx(1 / (2 * math.sqrt(1.02)))
    assert (here.mix, here.level, here.measured) == ("list", 10, 0.7)
    # 1000/s at 1.5 ms each keep 1.5 of 2 cores busy.
    assert here.rates[0] == pytest.approx(1000)
    assert apart.rates[0] == pytest.approx(8000 * 0.75 / 1.0)
    assert "list, 10 threads: goodput of b ÷ a 0.60 [" in words(here)
    # Student's interval: both predictions have one variance, and Holm's level for two.
    logs = [np.log([1.5 / 2.5, 1.5 / 2.54]), np.log([2.5 / 1.5, 2.5 / 1.52])]
    spread = math.sqrt(np.mean([np.var(pair, ddof=1) for pair in logs]))
    assert here.ratio.low < here.ratio.estimate * math.exp(-stats.t.isf(0.025, 2) * spread / 2**0.5)


def test_a_mix_weighs_the_workloads_and_a_broker_replaces_its_part_of_the_stand_in(
    tmp_path: Path,
) -> None:
    tables = write_tables(tmp_path / "own")
    (mixed,) = predict(tables, Deployment("elsewhere", mix=parse_mix("list=3,reserve=1")))
    assert mixed.costs_ms[0] == pytest.approx((3 * 1 + 2) / 4)
    assert (mixed.mix, mixed.measured) == ("3 list + reserve", None)
    other = write_tables(tmp_path / "other")
    (other / "cpu.csv").write_text(
        "system,workload,mode,level,service,cpu_ms_per_ok\nb,list,closed,10.0,rabbitmq,0.9\n"
    )
    plain, _ = predict(tables, Deployment("elsewhere"))
    broker, _ = predict(tables, Deployment("elsewhere", broker=other))
    # 0.9 in place of 0.2, which is what the stand-in costs more than its store.
    assert broker.costs_ms[1] - plain.costs_ms[1] == pytest.approx(0.7)
    assert broker.costs_ms[0] == plain.costs_ms[0]


@pytest.mark.parametrize("folder", COMPARED, ids=lambda folder: str(folder.relative_to(PUBLISHED)))
def test_predictions_for_here_are_within_a_tenth_of_what_was_measured(folder: Path) -> None:
    for row in predict(folder, Deployment()):
        assert row.measured is not None
        assert abs(math.log(row.ratio.estimate / row.measured)) < math.log(1.1)


def test_what_cannot_be_predicted_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"runs\.csv is missing"):
        predict(tmp_path, Deployment())
    with pytest.raises(UserError, match="unknown workload 'movies'"):
        predict(write_tables(tmp_path), Deployment(mix={"movies": 1.0}))
    with pytest.raises(UserError, match="is not of the form"):
        parse_mix("list")
    with pytest.raises(UserError, match="is not of the form"):
        parse_mix("list=-1")
    with pytest.raises(UserError, match="one pair of starts"):
        runs = (tmp_path / "runs.csv").read_text().splitlines(keepends=True)
        (tmp_path / "runs.csv").write_text("".join(row for row in runs if "-2," not in row))
        predict(tmp_path, Deployment())

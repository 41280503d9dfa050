"""Two results are set side by side only if they may be, and a regression is found."""

from __future__ import annotations

import json
import math
import re
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from testbed.analysis.comparison import SideBySide, regressions, side_by_side
from testbed.cli.commands import application
from testbed.model.errors import UserError

from .synthetic import write_run

MACHINE = {"machine": {"cores": 2}}


def write_results(path: Path, median_ms: float, runs: int = 3, cores: int = 2) -> Path:
    for repetition in range(1, runs + 1):
        write_run(
            path,
            repetition=repetition,
            median_ms=median_ms,
            record={"wall_s": 100.0},
            seed=int(median_ms),
        )
    (path / "environment.json").write_text(json.dumps({"machine": {"cores": cores}}))
    return path


def test_a_decided_regression_beyond_the_factor_is_found(tmp_path: Path) -> None:
    base, slower = (write_results(tmp_path / str(ms), ms) for ms in (40.0, 60.0))
    compared = side_by_side(slower, base)
    ratios = {decision.figure: decision.ratio for decision in compared.decisions}
    assert ratios["p95_ms"] == pytest.approx(1.5, rel=0.1)
    assert ratios["ok_per_s"] == pytest.approx(1 / 1.5, rel=0.1)
    worse = regressions(compared, 1.10)
    for figure, named in (("p95", True), ("goodput", True), ("CPU", False)):
        assert any(f": {figure}" in words for words in worse) is named
    assert regressions(compared, 2.0) == []
    assert regressions(side_by_side(base, slower), 1.0) == []


def test_what_is_not_decided_is_no_regression(tmp_path: Path) -> None:
    base, slower = (write_results(tmp_path / str(ms), ms, runs=2) for ms in (40.0, 60.0))
    assert regressions(side_by_side(slower, base), 1.10) == []


def test_refuses_different_environments_unless_told(tmp_path: Path) -> None:
    base = write_results(tmp_path / "base", 40.0)
    other = write_results(tmp_path / "other", 60.0, cores=8)
    with pytest.raises(UserError, match=r"machine\.cores: 2 and 8"):
        side_by_side(other, base)
    assert len(side_by_side(other, base, anyway=True).runs) == 1


def test_refuses_results_without_a_common_cell(tmp_path: Path) -> None:
    base = write_results(tmp_path / "base", 40.0)
    write_run(tmp_path / "other", workload="reserve")
    (tmp_path / "other" / "environment.json").write_text(json.dumps(MACHINE))
    with pytest.raises(UserError, match="no cell in common"):
        side_by_side(tmp_path / "other", base)


@pytest.mark.parametrize("factor", [0.9, math.nan, math.inf])
def test_refuses_a_factor_below_one_or_none(factor: float) -> None:
    with pytest.raises(UserError, match="at least 1"):
        regressions(SideBySide((), {}, {}, ()), factor)


def test_refuses_what_was_measured_in_another_way_unless_told(tmp_path: Path) -> None:
    base, other = (write_results(tmp_path / name, 40.0) for name in ("base", "other"))
    for path, seconds in ((base, 60), (other, 8)):
        (path / "experiment.yaml").write_text(f"name: mine\nwarmup: {{duration: {seconds}}}\n")
    with pytest.raises(UserError, match=r"warmup\.duration: 60 and 8"):
        side_by_side(other, base)
    assert len(side_by_side(other, base, anyway=True).runs) == 1


def test_more_failures_are_a_regression_however_quick(tmp_path: Path) -> None:
    base = write_results(tmp_path / "base", 40.0)
    other = tmp_path / "other"
    for repetition in range(1, 4):
        write_run(
            other,
            repetition=repetition,
            failures={"rejected": 0.05 + 0.002 * repetition},
            record={"wall_s": 100.0},
        )
    (other / "environment.json").write_text(json.dumps(MACHINE))

    (words,) = regressions(side_by_side(other, base), 3.0)

    assert re.search(r"failed 0 % → \d", words)


def test_a_cell_that_is_gone_fails_a_pipeline(tmp_path: Path) -> None:
    base, other = (write_results(tmp_path / name, 40.0) for name in ("base", "other"))
    write_run(base, workload="reserve")
    result = CliRunner().invoke(
        application("report"), [str(other), "--compare", str(base), "--fail-above", "2"]
    )

    assert "missing" in result.output
    assert "reserve" in result.output
    assert result.exit_code == 1


def test_rates_that_are_shares_of_what_is_served_are_not_compared(tmp_path: Path) -> None:
    base, other = (write_results(tmp_path / name, 40.0) for name in ("base", "other"))
    for path, rate in ((base, 90), (other, 95)):
        write_run(path, workload="reserve", record={"mode": "open", "level": rate})
        (path / "experiment.yaml").write_text("rates: [50%, 200]\n")
    write_run(base, threads=20, record={"mode": "open", "level": 200})
    compared = side_by_side(other, base)
    assert [cell.level for cell in compared.apart] == [90]
    assert [cell.level for cell in compared.missing] == [200]
    result = CliRunner().invoke(
        application("report"), [str(other), "--compare", str(base), "--fail-above", "2"]
    )
    assert "not compared" in result.output


def test_a_cell_that_served_nothing_in_a_run_is_missing(tmp_path: Path) -> None:
    base, other = (write_results(tmp_path / name, 40.0) for name in ("base", "other"))
    assert side_by_side(other, base).missing == ()
    write_run(other, repetition=4, failures={"rejected": 1.0}, record={"wall_s": 100.0})

    (missing,) = side_by_side(other, base).missing

    assert missing.workload == "list"


def test_too_few_runs_decide_nothing_and_say_so(tmp_path: Path) -> None:
    base, slower = (write_results(tmp_path / str(ms), ms, runs=2) for ms in (40.0, 400.0))
    result = CliRunner().invoke(
        application("report"), [str(slower), "--compare", str(base), "--fail-above", "2"]
    )

    assert "not decidable" in result.output
    assert isinstance(result.exception, UserError)
    assert "decides nothing" in str(result.exception)


def test_the_command_fails_a_pipeline_on_a_regression(tmp_path: Path) -> None:
    base, slower = (write_results(tmp_path / str(ms), ms) for ms in (40.0, 60.0))
    run = partial(CliRunner().invoke, application("report"))
    command = [str(slower), "--compare", str(base)]
    shown = run(command)
    assert shown.exit_code == 0
    assert "1.5" in shown.output
    assert "These runs are no pairs" in shown.output
    failed = run([*command, "--fail-above", "1.10"])
    assert failed.exit_code == 1
    assert "worse" in failed.output
    assert run([*command, "--fail-above", "3"]).exit_code == 0
    improved = run([str(base), "--compare", str(slower), "--fail-above", "1"])
    assert improved.exit_code == 0


def test_options_of_a_comparison_need_one(tmp_path: Path) -> None:
    result = CliRunner().invoke(application("report"), [str(tmp_path), "--fail-above", "1.1"])
    assert isinstance(result.exception, UserError)

"""How the figures of runs are computed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from scipy import stats

from testbed.analysis.quantities import QUANTITIES, block_figures, run_figure, share_over_runs
from testbed.analysis.samples import load
from testbed.analysis.statistics.intervals import wilson

from .synthetic import write_blocks, write_run


@pytest.mark.parametrize("figure", QUANTITIES)
def test_a_runs_figure_is_the_geometric_mean_over_its_blocks(tmp_path: Path, figure: str) -> None:
    write_blocks(tmp_path, medians_ms=(10, 20))
    (run,) = load(tmp_path).measurements
    figures = block_figures(run, figure)
    assert figures == [run_figure(block, figure) for block in run.blocks]
    assert run_figure(run, figure) == pytest.approx(stats.gmean(figures))  # type: ignore[arg-type]
    assert len(set(figures)) == (1 if figure == "cpu_ms_per_ok" else 2)


def test_cpu_is_charged_to_all_successes_of_a_block(tmp_path: Path) -> None:
    write_blocks(tmp_path, failures={"rejected": 0.3})
    (run,) = load(tmp_path).measurements
    assert run.whole is not None
    counts = [int(block.operations["ok"].sum()) for block in run.whole.blocks]
    assert block_figures(run, "cpu_ms_per_ok") == [2000 / count for count in counts]
    assert sum(counts) > run.operations["ok"].sum()


def test_a_run_of_which_a_block_has_no_success_has_no_response_time(tmp_path: Path) -> None:
    folder = write_blocks(tmp_path)
    file = folder / "block-2.csv"
    file.write_text(file.read_text().replace(",true,", ",false,").replace(",200,", ",500,"))
    (run,) = load(tmp_path).measurements
    assert block_figures(run, "p95_ms")[1] is run_figure(run, "p95_ms") is None
    assert run_figure(run, "ok_per_s") == 0


def test_a_classic_run_is_one_block(tmp_path: Path) -> None:
    write_run(tmp_path)
    (run,) = load(tmp_path).measurements
    assert run.blocks == (run,)
    assert block_figures(run, "mean_ms") == [run.operations["elapsed_ms"].mean()]


def test_failures_in_bursts_are_as_uncertain_as_their_runs() -> None:
    share = share_over_runs([(0, 2000), (0, 2000), (120, 2000)])
    reach = stats.t.ppf(0.975, 2) * 0.06 / math.sqrt(3) / math.sqrt(3)
    assert share.estimate == pytest.approx(0.02)
    # Wilson's interval over the 6000 operations would be 1.7 to 2.4 %.
    assert (share.low, share.high) == pytest.approx((0, 0.02 + reach))
    assert share_over_runs([(0, 2000), (60, 2000)]).high > 0.2


def test_failures_that_runs_agree_on_keep_wilsons_interval() -> None:
    assert share_over_runs([(40, 2000)] * 3) == wilson(120, 6000)
    assert share_over_runs([(0, 2000)] * 3) == wilson(0, 6000)
    assert share_over_runs([(40, 2000)]) == wilson(40, 2000)

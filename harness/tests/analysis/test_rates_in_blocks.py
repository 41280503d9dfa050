from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from testbed.analysis import answer
from testbed.analysis.answer import Measured
from testbed.analysis.decisions import decide
from testbed.analysis.precision import reach, spreads
from testbed.analysis.samples import load
from testbed.analysis.sections import answer as answer_section
from testbed.analysis.verdicts import RATE, TREND, judge_all

from .synthetic import write_blocks

BLOCKS, LENGTH_S, SETTLE_S = 4, 2.0, 0.5
"""A block of 5 users who each take about 20 ms is about this long."""


def write_open_blocks(
    results: Path, variant: str, median_ms: float, dropped: int = 0, second: float = 1.0
) -> None:
    """Write two pairs of runs of an open loop; each arrival is served 3 ms after its time.

    In the second pair, answers take ``second`` times as long.
    """
    for repetition in (1, 2):
        folder = write_blocks(
            results,
            variant=variant,
            medians_ms=(median_ms * (second if repetition == 2 else 1.0),) * BLOCKS,
            settle_s=SETTLE_S,
            threads=5,
            repetition=repetition,
        )
        record = json.loads((folder / "run.json").read_text())
        for block in record["blocks"]:
            rows = pl.read_csv(folder / block["file"])
            rows = rows.with_columns((pl.col("timeStamp") - 3).alias("intended"))
            rows.write_csv(folder / block["file"])
            planned = rows.filter(pl.col("label") == "list").height + dropped
            block |= {
                "planned_s": None,
                "arrivals": {"kind": "poisson", "planned": planned, "length_s": LENGTH_S},
            }
        record |= {"mode": "open", "level": 250, "arrivals": None, "wall_s": 100.0}
        (folder / "run.json").write_text(json.dumps(record))
    (results / "experiment.yaml").write_text("variants: [sync, async]\nblocks: {seconds: 2}\n")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rates")
    write_open_blocks(path, "sync", 20.0)
    write_open_blocks(path, "async", 40.0, dropped=100)
    return path


def test_each_block_has_its_own_arrivals(results: Path) -> None:
    measured = load(results)
    measurement = next(run for run in measured.measurements if run.run.cell.variant == "sync")
    assert measurement.run.arrivals is not None
    assert measurement.run.arrivals.planned == 500 * BLOCKS
    assert measurement.run.arrivals.length_s == LENGTH_S * BLOCKS
    for block in measurement.blocks:
        assert block.run.arrivals is not None
        assert block.run.arrivals.planned == 500
        assert block.pace.seconds == LENGTH_S - SETTLE_S
        assert block.pace.operations == block.operations.height < 500
    # From the intended start.
    operations = measurement.operations
    assert (operations["elapsed_ms"] - operations["service_ms"]).unique().to_list() == [3]


def test_arrivals_that_never_began_are_counted_once(results: Path) -> None:
    judged = judge_all(load(results))
    dropped = {run.run.cell.variant: run.dropped for run in judged.recorded.measurements}
    assert dropped == {"sync": 0, "async": 100 * BLOCKS}
    figures = {
        run.run.cell.variant: check.figure
        for run in judged.recorded.measurements
        for check in judged.verdicts[run.run.id].checks
        if check.name == RATE
    }
    assert figures["sync"].endswith("arrivals/s, 0 of 2,000 dropped")
    assert figures["async"].endswith("arrivals/s, 400 of 2,400 dropped")


def test_given_rates_decide_times_and_cpu_and_never_goodput(tmp_path: Path) -> None:
    write_open_blocks(tmp_path, "sync", 20.0)
    write_open_blocks(tmp_path, "async", 40.0)
    decisions = decide(judge_all(load(tmp_path)))
    assert [decision.figure for decision in decisions] == ["p95_ms", "p99_ms", "cpu_ms_per_ok"]
    p95, p99, _ = decisions
    assert p95.ratio == pytest.approx(1.9, rel=0.1)
    assert (p95.decision, p99.decision) == ("worse", "worse")
    line = answer.answer(decisions, Measured(name="compare-rate")).line
    assert line.startswith("Lists of async take ")
    assert "than those of sync at 250 arrivals/s, by the 95th percentile" in line or "twice" in line


def test_a_block_without_a_success_says_so_and_nothing_of_threads(tmp_path: Path) -> None:
    write_open_blocks(tmp_path, "sync", 20.0)
    file = next(tmp_path.glob("runs/*-1/block-2.csv"))
    failed = pl.read_csv(file).with_columns(
        pl.lit("500").alias("responseCode"), pl.lit(False).alias("success")
    )
    failed.write_csv(file)
    judged = judge_all(load(tmp_path))
    figures = [
        check.figure for check in judged.verdicts[file.parent.name].checks if check.name == TREND
    ]
    assert figures == ["a block without a success"]


def test_a_cell_at_a_given_rate_is_not_known_by_the_goodput_of_its_arrivals(tmp_path: Path) -> None:
    write_open_blocks(tmp_path, "sync", 20.0)
    write_open_blocks(tmp_path, "async", 20.0, second=1.5)
    reached = reach(tmp_path, "p95_ms")
    assert list(reached) == [("list", "open", 250.0)]
    assert reached["list", "open", 250.0]
    assert reach(tmp_path, "ok_per_s") == reached
    by_figure = {spread.figure: spread for spread in spreads([judge_all(load(tmp_path))])}
    assert by_figure["ok_per_s"].pair is None
    assert by_figure["p95_ms"].pair is not None


def test_a_share_that_was_not_measured_is_told(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "runs", tmp_path / "runs")
    (tmp_path / "ending.json").write_text('{"rule": "repetitions", "rounds": 2}')
    for rates, is_said in (("[250]", False), ("[50%]", False), ("[1%, 50%]", True)):
        (tmp_path / "experiment.yaml").write_text(f"blocks: {{seconds: 2}}\nrates: {rates}\n")
        judged = judge_all(load(tmp_path))
        words = answer_section.how_sure(judged, decide(judged))
        assert ("**Not measured at each share**: list, as" in words) is is_said

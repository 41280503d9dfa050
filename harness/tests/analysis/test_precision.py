"""What the schedule stops by."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from testbed.analysis.decisions import decide
from testbed.analysis.precision import reach, spreads
from testbed.analysis.quantities import block_figures
from testbed.analysis.samples import load
from testbed.analysis.sections import spread as spread_section
from testbed.analysis.statistics.ratios import Design
from testbed.analysis.verdicts import judge_all
from testbed.model.errors import UserError

from .synthetic import write_blocks, write_pair, write_run


def test_an_interval_reaches_as_far_as_its_end_and_nowhere_once_it_decides(tmp_path: Path) -> None:
    judged = write_pair(tmp_path, levels=(10, 20), second=1.0)
    reached = reach(tmp_path, "p95_ms")
    assert list(reached) == [("list", "closed", 10.0), ("list", "closed", 20.0)]
    for decision in decide(judged, ["p95_ms"]):
        assert decision.high is not None
        assert decision.ratio is not None
        expected = 0 if decision.decision == "alike" else decision.high / decision.ratio - 1
        assert reached["list", "closed", decision.level] == pytest.approx(expected)
    write_pair(tmp_path / "apart", second=2.0)
    assert reach(tmp_path / "apart", "p95_ms") == {("list", "closed", 10.0): 0.0}


def test_a_reach_is_not_known_before_two_pairs_or_where_a_system_is_missing(tmp_path: Path) -> None:
    write_pair(tmp_path / "one", runs=1)
    assert reach(tmp_path / "one", "mean_ms") == {("list", "closed", 10.0): None}
    for name, medians in (("sync", (40.0, 44.0)), ("async", (60.0, 66.0))):
        write_blocks(tmp_path / "blocks", variant=name, medians_ms=medians)
    # Blocks of one pair say nothing of other starts.
    assert list(reach(tmp_path / "blocks", "mean_ms").values()) == [None]
    write_pair(tmp_path)
    write_run(tmp_path, variant="sync", threads=40)
    reached = reach(tmp_path, "mean_ms")
    assert reached["list", "closed", 40.0] is None
    assert reached["list", "closed", 10.0] is not None
    assert reach(tmp_path / "nothing-yet", "mean_ms") == {}
    with pytest.raises(UserError, match="unknown figure 'p97_ms'"):
        reach(tmp_path, "p97_ms")


def test_a_reach_is_not_known_while_a_system_has_no_usable_pair(tmp_path: Path) -> None:
    write_pair(tmp_path)
    for file in tmp_path.glob("runs/async*/run.json"):
        record = json.loads(file.read_text())
        file.write_text(json.dumps({**record, "complete_before": "cinema ucd was missing"}))
    assert reach(tmp_path, "mean_ms") == {("list", "closed", 10.0): None}


def test_spread_by_level_is_that_of_blocks_pairs_and_invocations(tmp_path: Path) -> None:
    medians = {1: (400.0, 440.0), 2: (420.0, 400.0)}
    invocations = []
    for shift in (1.0, 1.1):
        path = tmp_path / f"{shift}"
        for pair, sides in medians.items():
            for variant, factor in (("sync", 1.0), ("async", shift * (1 + 0.05 * pair))):
                write_blocks(
                    path,
                    variant=variant,
                    repetition=pair,
                    medians_ms=tuple(factor * side for side in sides),
                    loops=300,
                    seed=1,
                )
        invocations.append(judge_all(load(path)))
    goodput = {of_figure.figure: of_figure for of_figure in spreads(invocations)}["ok_per_s"]
    logs = [
        [math.log(value) for value in block_figures(measurement, "ok_per_s") if value]
        for judged in invocations
        for measurement in judged.deciding
    ]
    assert goodput.block == pytest.approx(
        math.sqrt(np.mean([np.var(of_run, ddof=1) for of_run in logs]))
    )
    ratios = [decision for judged in invocations for decision in decide(judged, ["ok_per_s"])]
    spread = [decision.pair_spread or 0 for decision in ratios]
    assert goodput.pair == pytest.approx(math.sqrt(np.mean(np.square(spread))))
    means = [math.log(decision.ratio or 1) for decision in ratios]
    assert goodput.invocation == pytest.approx(np.std(means, ddof=1))
    assert goodput.could_tell[3] == Design(goodput.pair or 0, 3, 2).could_tell
    assert (goodput.could_tell[6] or 9) < (goodput.could_tell[3] or 0)
    table = spread_section.spread(invocations)
    assert f"| goodput | {100 * (goodput.block or 0):.1f} % |" in table
    assert spread_section.spread([judge_all(load(write_single(tmp_path / "single")))]) == ""


def write_single(path: Path) -> Path:
    write_run(path)
    return path


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
    reached = reach(tmp_path, "mean_ms")
    assert list(reached) == [("list", "closed", 20.0), ("list", "open", 20.0)]


def test_groups_with_rates_of_their_own_are_known_by_their_own_systems(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text("groups: [[a, b], [c, d]]\nblocks: {seconds: 2}\n")
    (tmp_path / "runs").mkdir()
    for place, (name, rate) in enumerate((("a", 20), ("b", 20), ("c", 30), ("d", 30))):
        for repetition in (1, 2):
            folder = write_run(
                tmp_path / name,
                threads=rate,
                repetition=repetition,
                seed=place,
                record={"system": name, "mode": "open", "level": rate},
            )
            folder.rename(tmp_path / "runs" / f"{name}-{repetition}")
    reached = reach(tmp_path, "mean_ms")
    assert {level for _, _, level in reached} == {20.0, 30.0}
    assert None not in reached.values()

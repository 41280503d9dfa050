"""What is published lets a stranger compute every interval again."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from testbed.analysis.published import published_folders
from testbed.analysis.publishing import publish, require_publishable
from testbed.analysis.report import write_report
from testbed.model.errors import UserError

from .synthetic import write_blocks
from .test_recomputation import recomputed


def write_results(path: Path, *, dirty: bool = False, pairs: int = 3) -> Path:
    medians = {1: (40.0, 44.0), 2: (42.0, 40.0), 3: (39.0, 41.0)}
    for pair in range(1, pairs + 1):
        for variant, factor in (("sync", 1.0), ("async", 1.1 + 0.05 * pair)):
            for threads in (10, 20):
                write_blocks(
                    path,
                    variant=variant,
                    threads=threads,
                    repetition=pair,
                    medians_ms=tuple(factor * median for median in medians[pair]),
                    seed=pair + threads,
                )
    (path / "experiment.yaml").write_text("name: mine\nblocks: {each: 2}\n")
    git = {"commit": "0123456", "dirty": dirty}
    (path / "environment.json").write_text(json.dumps({"git": git}))
    (path / "ending.json").write_text(json.dumps({"rule": "repetitions", "rounds": pairs}))
    return path


def test_published_tables_have_every_block_and_check_and_give_the_same_decisions(
    tmp_path: Path,
) -> None:
    results = write_results(tmp_path / "results")
    judged = require_publishable(results)
    write_report(results)
    folder = tmp_path / "published"
    publish(results, judged, folder)
    assert published_folders(folder) == [folder]
    blocks, checks = (pl.read_csv(folder / f"{name}.csv") for name in ("blocks", "checks"))
    assert blocks.height == 2 * 2 * 3 * 2
    assert set(checks["run"]) == {run.id for run in judged.results.runs}
    assert {"passed", "not checked"} <= set(checks["outcome"])
    # By a program that shares no code with ours, from the blocks.
    assert recomputed(folder) == (3 * 2, 3 * 2)


def test_results_of_a_changed_work_tree_are_not_published(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the work tree had changes"):
        require_publishable(write_results(tmp_path, dirty=True, pairs=1))


def test_unfinished_results_are_not_published(tmp_path: Path) -> None:
    results = write_results(tmp_path, pairs=1)
    (results / "ending.json").unlink()
    with pytest.raises(UserError, match=r"lacks ending\.json"):
        require_publishable(results)

"""A published experiment can be looked at without its samples."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from testbed.analysis.published import published_folders, published_tables
from testbed.analysis.report import write_published, write_report
from testbed.model.errors import UserError

from .conftest import PROJECT
from .synthetic import write_pair
from .test_report import Page

SHIPPED = PROJECT / "analysis" / "published"


def test_the_report_of_published_tables_has_the_answer_of_the_samples(tmp_path: Path) -> None:
    write_pair(tmp_path / "results", levels=(10, 20))
    whole = write_report(tmp_path / "results")
    published = tmp_path / "published"
    published.mkdir()
    for name in ("runs.csv", "summary.csv", "decisions.csv"):
        shutil.copy(tmp_path / "results" / name, published)
    (published / "experiment.yaml").write_text("name: mine\n")
    assert published_folders(published) == [published]
    assert published_folders(tmp_path / "results") == []

    written = write_published(published, tmp_path / "out")

    assert written.answer.line == whole.answer.line
    assert written.page == tmp_path / "out" / "report.html"
    page = Page(written.page.read_text(encoding="utf-8"))
    assert page.text.index(written.answer.line) < page.text.index("What was decided")
    assert [attrs["class"] for tag, attrs in page.tags if tag == "figure"] == ["svg"] * 3
    assert "0.67 [" in page.text
    assert not {file.name for file in published.iterdir()} - {
        *("runs.csv", "summary.csv", "decisions.csv", "experiment.yaml")
    }


def test_invocations_in_one_folder_have_a_report_each() -> None:
    folders = published_folders(SHIPPED / "compare-946eb68")
    assert [folder.name for folder in folders] == ["1", "2", "3"]
    assert [published_tables(folder).name for folder in folders] == [
        "compare-946eb68-1",
        "compare-946eb68-2",
        "compare-946eb68-3",
    ]


@pytest.mark.parametrize("folder", sorted(SHIPPED.glob("**/runs.csv")), ids=str)
def test_every_published_experiment_can_be_read(folder: Path) -> None:
    published = published_tables(folder.parent)
    assert published.answer.line
    for decision in published.decisions:
        if decision.low is None or decision.high is None or decision.reason:
            continue
        excludes_1 = decision.low > 1 or decision.high < 1
        assert excludes_1 or decision.decision not in ("better", "worse")
        assert not excludes_1 or decision.decision != "not known"


def test_a_design_that_memory_lowered_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(SHIPPED / "compare", folder)
    assert "in another design" not in write_published(folder, tmp_path / "out").page.read_text()
    environment = json.loads((folder / "environment.json").read_text())
    environment["lowered"] = {"together": {"declared": "all", "measured": "pairs"}}
    (folder / "environment.json").write_text(json.dumps(environment))
    page = Page(write_published(folder, tmp_path / "out").page.read_text(encoding="utf-8"))
    assert (
        "Measured in another design than declared, for lack of memory: together pairs" in page.text
    )


def test_decisions_of_an_open_loop_say_so_though_their_table_does_not() -> None:
    decisions = published_tables(SHIPPED / "ticket-overload").decisions
    assert {decision.load for decision in decisions} == {
        "55 arrivals/s",
        "90 arrivals/s",
        "220 arrivals/s",
    }
    assert all(decision.reference_value for decision in decisions)


def test_what_was_full_is_told_beside_the_decisions(tmp_path: Path) -> None:
    page = Page(write_published(SHIPPED / "market", tmp_path / "out").page.read_text("utf-8"))
    full = page.text.index("What was full")
    assert page.text.index("What was decided") < full < page.text.index("How sure is that?")
    assert "CPU of market-service, pool of market-service" in page.text
    without = write_published(SHIPPED / "compare", tmp_path / "other").page.read_text("utf-8")
    assert "What was full" not in without


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    for name in ("runs.csv", "summary.csv", "experiment.yaml"):
        (tmp_path / name).write_text("")
    with pytest.raises(UserError, match=r"runs\.csv cannot be read"):
        published_tables(tmp_path)

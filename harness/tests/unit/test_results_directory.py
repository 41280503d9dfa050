from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from testbed.measure import results_directory
from testbed.model.errors import UserError
from testbed.model.project import Project


def test_results_get_a_folder_of_their_own(project: Project) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    first = results_directory.new_results(project, "mine", moment)
    first.mkdir(parents=True)

    assert first == project.results / "mine-20260102-030405"
    assert results_directory.new_results(project, "mine", moment).name == "mine-20260102-030405-2"


def test_a_folder_without_results_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"experiment\.yaml is missing"):
        results_directory.declared(tmp_path)


def test_a_run_has_its_name_when_it_is_complete(tmp_path: Path) -> None:
    final = tmp_path / "runs" / "sync-list-0012.5-per-s-1"
    folder = results_directory.fresh_folder(final)
    (folder / "samples.csv").write_text("half a file")
    assert results_directory.finished(tmp_path) == {}

    again = results_directory.fresh_folder(final)
    assert list(again.iterdir()) == []
    results_directory.complete(again, {"system": "sync"})

    assert [path.name for path in (tmp_path / "runs").iterdir()] == [final.name]
    assert results_directory.finished(tmp_path) == {final.name: {"system": "sync"}}


def test_ceilings_are_those_of_the_record(tmp_path: Path) -> None:
    environment = tmp_path / "environment.json"
    environment.write_text(json.dumps({"generator_ceiling": {"sync-list.jmx": 1000}}))
    assert results_directory.ceilings(tmp_path) == {"sync-list.jmx": 1000.0}

    # Written before ceilings were measured.
    environment.write_text("{}")
    assert results_directory.ceilings(tmp_path) == {}


def test_results_with_a_link_to_elsewhere_are_not_gone_on_with(tmp_path: Path) -> None:
    results, outside = tmp_path / "results", tmp_path / "outside"
    results.mkdir()
    outside.mkdir()
    (results / "experiment.yaml").write_text("name: mine\nthreads: [1]\nloops: 1\n")
    assert results_directory.declared(results).name == "mine"
    (results / "runs").symlink_to(outside)

    with pytest.raises(UserError, match="leads out of the results"):
        results_directory.declared(results)

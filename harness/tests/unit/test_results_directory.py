from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from testbed.measure import results_directory
from testbed.model.errors import UserError
from testbed.model.project import Project


def test_results_get_a_folder_of_their_own(project: Project) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    with ThreadPoolExecutor(4) as threads:
        folders = list(
            threads.map(
                lambda _: results_directory.new_results(project, "mine", moment), range(100)
            )
        )

    assert project.results / "mine-20260102-030405" in folders
    assert project.results / "mine-20260102-030405-2" in folders
    assert len(set(folders)) == len(folders)
    assert all(folder.is_dir() for folder in folders)


def test_a_folder_without_results_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"experiment\.yaml is missing"):
        results_directory.declared(tmp_path)


def test_results_are_looked_for_before_links_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    with pytest.raises(UserError, match="no results in"):
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


def dependencies(ceilings: Any, goodput: float = 0.0) -> Any:
    return SimpleNamespace(ceilings=ceilings, goodput=lambda *_: goodput)


def write_record(results: Path, name: str, plan: str, cpu_s: float) -> None:
    folder = results_directory.fresh_folder(results / "runs" / name)
    record = {"plan": plan, "generator_cpu_s": cpu_s, "wall_s": 10.0, "generator_cpus": 2.0}
    results_directory.complete(folder, record)


def test_the_ceiling_is_measured_of_plans_that_kept_a_core_busy(tmp_path: Path) -> None:
    write_record(tmp_path, "1", "sync-list.jmx", 6.5)
    write_record(tmp_path, "2", "sync-list.jmx", 6.8)
    write_record(tmp_path, "3", "async-list.jmx", 6.5)
    environment = tmp_path / "environment.json"
    environment.write_text('{"seed": 3}')
    measured: list[str] = []
    running: Any = object()

    def ceilings(plans: Sequence[str], generator: object, anew: bool) -> dict[str, float]:
        assert generator is running
        assert not anew
        measured.extend(plans)
        return dict.fromkeys(plans, 1000.0)

    results_directory.add_ceilings(dependencies(ceilings), tmp_path, running)

    assert measured == ["sync-list.jmx"]
    recorded = json.loads(environment.read_text())
    assert recorded == {"seed": 3, "generator_ceiling": {"sync-list.jmx": 1000.0}}


@pytest.mark.parametrize(("again", "expected"), [(2000.0, 2000.0), (900.0, 1000.0)])
def test_a_ceiling_that_a_run_comes_near_is_measured_again(
    again: float, expected: float, tmp_path: Path
) -> None:
    write_record(tmp_path, "1", "sync-list.jmx", 8.0)
    (tmp_path / "environment.json").write_text("{}")

    def ceilings(plans: Sequence[str], _: object, anew: bool) -> dict[str, float]:
        return dict.fromkeys(plans, again if anew else 1000.0)

    running: Any = None
    results_directory.add_ceilings(dependencies(ceilings, 750.0), tmp_path, running)

    recorded = json.loads((tmp_path / "environment.json").read_text())
    assert recorded == {"generator_ceiling": {"sync-list.jmx": expected}}


def test_no_ceiling_is_measured_where_the_generator_used_little(tmp_path: Path) -> None:
    (tmp_path / "environment.json").write_text("{}")

    results_directory.add_ceilings(dependencies(pytest.fail), tmp_path, generator=None)  # type: ignore[arg-type]

    recorded = json.loads((tmp_path / "environment.json").read_text())
    assert recorded == {"generator_ceiling": {}}


def test_results_with_a_link_to_elsewhere_are_not_gone_on_with(tmp_path: Path) -> None:
    results, outside = tmp_path / "results", tmp_path / "outside"
    results.mkdir()
    outside.mkdir()
    (results / "experiment.yaml").write_text("name: mine\nthreads: [1]\nloops: 1\n")
    assert results_directory.declared(results).name == "mine"
    (results / "runs").symlink_to(outside)

    with pytest.raises(UserError, match="leads out of the results"):
        results_directory.declared(results)


def test_the_environment_is_amended_by_what_other_programs_used(tmp_path: Path) -> None:
    file = tmp_path / "environment.json"
    file.write_text('{"seed": 5}')
    results_directory.describe_others(tmp_path, {"at_start": {"share": 0.2}})
    results_directory.describe_others(tmp_path, {"blocks": 8})
    results_directory.describe_others(tmp_path, {})

    assert json.loads(file.read_text()) == {
        "seed": 5,
        "other_programs": {"at_start": {"share": 0.2}, "blocks": 8},
    }

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testbed.analysis.autoscaling import Instances, decisions, instances
from testbed.analysis.figures.instances import autoscaled as drawn
from testbed.analysis.results import find_results
from testbed.analysis.samples import load
from testbed.analysis.sections.autoscaling import autoscaled
from testbed.analysis.verdicts import judge_all
from testbed.experiment.autoscaling import COLUMNS, FILE
from testbed.model.errors import UserError

from .synthetic import write_run

SERVICE = "cinema-ucd-service"

OTHER = "cinema-dundrum-service"

ROWS = (
    f"{SERVICE},15.0,1,0,0.190,0.95,2,2",
    f"{OTHER},15.1,1,0,0.050,0.25,1,1",
    f"{SERVICE},30.0,1,1,0.200,1.0,2,2",
    f"{OTHER},30.1,1,0,0.190,0.95,2,2",
    f"{SERVICE},45.0,2,0,0.150 0.160,0.77,2,2",
)

EARLIER_COLUMNS = ",".join(COLUMNS[1:])


def write(
    results: Path, rows: tuple[str, ...] = ROWS, columns: str = ",".join(COLUMNS), **scaling: Any
) -> None:
    """Write a run with an autoscaler of two services, and one with two instances of one."""
    keys = {"least": 1, "most": 3, "rule": "hpa"}
    every = [
        {"service": SERVICE, **keys, "instance_s": 95.0},
        {"service": OTHER, **keys, "instance_s": 90.0},
    ]
    scaled = write_run(
        results,
        record={"system": "scaled", "wall_s": 60.0, "scaling": every, **scaling},
        loops=300,
    )
    (scaled / FILE).write_text("\n".join((columns, *rows)) + "\n")
    write_run(
        results,
        record={"system": "two", "wall_s": 60.0, "settings": {f"replicas.{SERVICE}": "2"}},
        preset="thesis",
        loops=300,
    )


def test_a_run_has_the_instances_that_its_autoscaler_wanted(tmp_path: Path) -> None:
    write(tmp_path)
    runs = {run.cell.system: run for run in find_results(tmp_path).runs}

    assert instances(runs["scaled"], SERVICE) == Instances(
        mean=95 / 60, most=2, instance_s=95.0, asked_s=15.0, ready_s=45.0
    )
    assert instances(runs["scaled"], OTHER) == Instances(
        mean=1.5, most=2, instance_s=90.0, asked_s=30.1, ready_s=None
    )
    assert instances(runs["two"], SERVICE) == Instances(2, 2, 120.0)
    # Of a service with one instance nothing is in the settings.
    assert instances(runs["two"], "aggregator-service") == Instances(1, 1, 60.0)


def test_a_run_that_never_needed_another_instance(tmp_path: Path) -> None:
    write(tmp_path, rows=(), scaling=[{"service": SERVICE, "least": 1, "instance_s": 60.0}])
    run = next(candidate for candidate in find_results(tmp_path).runs if candidate.scaling)
    assert instances(run, SERVICE) == Instances(1.0, 1, 60.0)


def test_a_run_from_before_there_could_be_several_is_read(tmp_path: Path) -> None:
    rows = [row.removeprefix(f"{SERVICE},") for row in ROWS if row.startswith(SERVICE)]
    record = {"service": SERVICE, "least": 1, "most": 3, "rule": "hpa", "instance_s": 95.0}
    write(tmp_path, tuple(rows), EARLIER_COLUMNS, scaling=record)
    runs = {run.cell.system: run for run in find_results(tmp_path).runs}

    assert instances(runs["scaled"], SERVICE) == Instances(95 / 60, 2, 95.0, 15.0, 45.0)
    assert runs["two"].scaling == ()


def test_decisions_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    write(tmp_path, rows=(f"{SERVICE},soon,1,1,,,,",))
    run = next(candidate for candidate in find_results(tmp_path).runs if candidate.scaling)
    with pytest.raises(UserError, match=f"{FILE} holds no decisions"):
        decisions(run, SERVICE)
    (run.folder / FILE).unlink()
    with pytest.raises(UserError, match=f"{FILE} holds no decisions"):
        decisions(run, SERVICE)


def test_the_report_shows_what_instances_cost_beside_what_they_gave(tmp_path: Path) -> None:
    write(tmp_path)
    judged = judge_all(load(tmp_path))
    table = autoscaled(judged)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("| cinema")
    ]
    # By the names of services and systems.
    other, fixed, scaled, two = sorted(rows, key=lambda row: row[:2])
    assert [row[0] for row in (other, fixed)] == [OTHER, OTHER]
    assert other[5:9] == ["1.50", "2", "30", "–"]
    assert fixed[5:7] == ["1.00", "1"]

    assert scaled[5:9] == ["1.58", "2", "15", "45"]
    assert two[5:7] == ["2.00", "2"]
    assert (scaled[-2], two[-2]) == ("95", "120")
    # 10 threads with 300 operations each.
    assert (scaled[-1], two[-1]) == ("31.6", "25.0")

    (figure,) = drawn(judged)
    assert figure.name == "instances-list-tuned-embedded"
    assert len(figure.image) > 10_000


def test_an_experiment_without_an_autoscaler_has_no_such_part(comparison: Path) -> None:
    judged = judge_all(load(comparison))
    assert autoscaled(judged) == ""
    assert list(drawn(judged)) == []


def test_instances_may_come_and_go_without_the_run_being_marked(tmp_path: Path) -> None:
    write(tmp_path)
    judged = judge_all(load(tmp_path))
    verdict = next(of_run for run, of_run in judged.verdicts.items() if "tuned" in run)
    assert verdict.status != "invalid"
    assert "instances come and go by plan" in str(verdict.checks)

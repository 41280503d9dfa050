from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from testbed import ports, record, runner
from testbed.errors import UserError
from testbed.experiment import Experiment, Warmup
from testbed.load import Seen
from testbed.processes import Interrupted
from testbed.project import Project
from testbed.runner import Bench
from testbed.schedule import Run, Start, schedule
from testbed.services import Service
from testbed.stack import Stack

from .conftest import HERE, deployed, fake_service

PLAN = Experiment(
    name="mine",
    threads=(1, 2),
    loops=3,
    repetitions=2,
    seed=5,
    warmup=Warmup(threads=4, duration=1),
)


@dataclass
class Noted:
    """Keeps what it is told; may interrupt after some runs."""

    interrupt_after: int | None = None
    starts: list[str] = field(default_factory=list)
    warmups: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)

    def starting(self, start: Start) -> None: ...

    def waiting(self, what: str) -> None: ...

    def started(self, start: Start, seconds: float) -> None:
        self.starts.append(f"{start.variant}-{start.repetition}")

    def loading(self, name: str, seen: Seen) -> None:
        if self.interrupt_after is not None and len(self.runs) >= self.interrupt_after:
            raise Interrupted

    def warmed(self, name: str, seen: Seen) -> None:
        self.warmups.append(name)

    def measured(self, run: Run, seen: Seen) -> None:
        self.runs.append(run.id)


@dataclass
class System:
    """A bench with a fake front door and a fake generator."""

    bench: Bench
    front: Service
    resets: list[str]


def make_system(project: Project) -> System:
    project.plans.mkdir()
    for variant in ("sync", "async"):
        for workload in ("list", "reserve"):
            (project.plans / f"{variant}-{workload}.jmx").write_text("<jmeterTestPlan/>")
    front = fake_service("gateway")
    resets: list[str] = []

    def stack(variant: str, preset: str) -> Stack:
        deployment = replace(deployed((front,)), variant=variant, preset=preset)
        return Stack(project, deployment, os.environ)

    bench = Bench(
        project=project,
        generator=[sys.executable, str(HERE / "fake_generator.py")],
        system=stack,
        describe=lambda: {"machine": {"cores": 2}, "git": {"commit": "abc"}},
        reset=resets.append,
    )
    return System(bench, front, resets)


def make_results(system: System) -> Path:
    folder = system.bench.project.results / "mine"
    runner.begin(system.bench, PLAN, folder)
    return folder


@pytest.fixture
def system(project: Project) -> System:
    return make_system(project)


@pytest.fixture
def results(system: System) -> Path:
    return make_results(system)


@dataclass(frozen=True)
class Measured:
    """A whole experiment that was carried out without interruption."""

    system: System
    results: Path
    show: Noted

    def run_json(self, run: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((self.results / "runs" / run / "run.json").read_text())
        return data


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    root = tmp_path_factory.mktemp("measured")
    system = make_system(Project(root, root / ".testbed"))
    results, show = make_results(system), Noted()
    measure(system, results, show)
    return Measured(system, results, show)


def measure(system: System, results: Path, show: Noted) -> None:
    runner.carry_out(system.bench, PLAN, runner.pending(PLAN, results), results, show)


def every_run() -> list[str]:
    return [run.id for start in schedule(PLAN) for run in start.runs]


def test_writes_down_what_is_measured_and_with_what(results: Path) -> None:
    described = json.loads((results / "environment.json").read_text())

    assert runner.declared(results) == PLAN
    assert described["seed"] == 5
    assert described["machine"] == {"cores": 2}


def test_measures_every_run_in_order_after_warm_ups(measured: Measured) -> None:
    show, folder = measured.show, measured.results

    assert show.runs == every_run()
    assert sorted(show.starts) == ["async-1", "async-2", "sync-1", "sync-2"]
    assert len(show.warmups) == 4 * 2
    assert sorted(path.name for path in (folder / "runs").iterdir()) == sorted(every_run())
    assert sorted(path.name for path in (folder / "warmup").iterdir()) == sorted(show.warmups)
    assert not ports.accepts(measured.system.front.ports[0])


def test_every_load_begins_from_emptied_collections(measured: Measured) -> None:
    loads = len(measured.show.runs) + len(measured.show.warmups)

    assert measured.system.resets == ["mongodb://127.0.0.1:1"] * loads


def test_a_run_record_holds_what_was_done_and_used(measured: Measured) -> None:
    data = measured.run_json("async-reserve-tuned-002-1")

    assert {
        key: data[key]
        for key in (
            "variant",
            "preset",
            "workload",
            "threads",
            "repetition",
            "backends",
            "loops",
            "duration_s",
            "fetch",
            "plan",
            "jmeter_exit",
            "warmup",
        )
    } == {
        "variant": "async",
        "preset": "tuned",
        "workload": "reserve",
        "threads": 2,
        "repetition": 1,
        "backends": "embedded",
        "loops": 3,
        "duration_s": None,
        "fetch": "wait",
        "plan": "async-reserve.jmx",
        "jmeter_exit": 0,
        "warmup": False,
    }
    started, finished = (datetime.fromisoformat(data[key]) for key in ("started", "finished"))
    assert started.tzinfo is not None
    assert started.astimezone(UTC) < finished.astimezone(UTC)
    assert set(data["server_cpu_s"]) == {"gateway"}
    assert data["server_cpu_s"]["gateway"] >= 0
    assert data["server_rss_mb"]["gateway"] > 1
    assert data["generator_cpu_s"] > 0
    samples = measured.results / "runs" / "async-reserve-tuned-002-1" / "samples.csv"
    assert len(samples.read_text().splitlines()) == 1 + 2 * 3


def test_warm_ups_are_kept_apart_and_marked(measured: Measured) -> None:
    file = measured.results / "warmup" / "sync-list-tuned-1" / "run.json"
    data = json.loads(file.read_text())

    assert data["warmup"] is True
    assert (data["threads"], data["duration_s"], data["loops"]) == (4, 1, None)
    assert not any(measured.run_json(run)["warmup"] for run in every_run())


def test_synchronous_runs_fetch_nothing(measured: Measured) -> None:
    assert measured.run_json("sync-list-tuned-001-1")["fetch"] is None


def test_nothing_is_left_to_do_when_all_is_there(measured: Measured) -> None:
    assert runner.pending(PLAN, measured.results) == ()


def test_an_interrupt_ends_everything_and_resuming_finishes_the_same_schedule(
    system: System, results: Path, project: Project
) -> None:
    first = Noted(interrupt_after=3)
    with pytest.raises(Interrupted):
        measure(system, results, first)
    assert first.runs == every_run()[:3]
    assert record.load(project) is None
    assert not ports.accepts(system.front.ports[0])
    kept = {run: (results / "runs" / run / "samples.csv").read_bytes() for run in first.runs}

    second = Noted()
    measure(system, results, second)

    assert first.runs + second.runs == every_run()
    assert sorted(path.name for path in (results / "runs").iterdir()) == sorted(every_run())
    for run, content in kept.items():
        assert (results / "runs" / run / "samples.csv").read_bytes() == content


def test_an_unfinished_run_is_not_taken_for_a_run(system: System, results: Path) -> None:
    run = every_run()[0]
    unfinished = results / "runs" / f"{run}.partial"
    unfinished.mkdir()
    (unfinished / "samples.csv").write_text("half a file")

    with pytest.raises(Interrupted):
        measure(system, results, Noted(interrupt_after=1))

    assert not unfinished.exists()
    assert "half a file" not in (results / "runs" / run / "samples.csv").read_text()


def test_resuming_with_something_else_is_refused(
    system: System, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner.require_same(system.bench, results)
    other = Bench(
        system.bench.project,
        system.bench.generator,
        system.bench.system,
        lambda: {"machine": {"cores": 8}, "git": {"commit": "def"}},
    )

    with pytest.raises(UserError) as told:
        runner.require_same(other, results)

    assert "machine.cores: 2 and 8" in told.value.message
    assert "git" not in told.value.message


def test_a_failing_generator_stops_the_experiment_and_is_shown(
    system: System, results: Path
) -> None:
    failing = Bench(
        system.bench.project,
        [*system.bench.generator, "--exit", "1"],
        system.bench.system,
        system.bench.describe,
        system.bench.reset,
    )

    with pytest.raises(UserError, match=r"JMeter failed on .* \(exit code 1\)") as told:
        runner.carry_out(failing, PLAN, runner.pending(PLAN, results), results, Noted())

    assert "started " in told.value.message
    assert list((results / "runs").iterdir()) == []
    assert not ports.accepts(system.front.ports[0])


def test_results_get_a_folder_of_their_own(project: Project) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    first = runner.new_results(project, "mine", moment)
    first.mkdir(parents=True)

    assert first == project.results / "mine-20260102-030405"
    assert runner.new_results(project, "mine", moment).name == "mine-20260102-030405-2"


def test_a_folder_without_results_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"experiment\.yaml is missing"):
        runner.declared(tmp_path)

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

from testbed.analysis.results import run_of
from testbed.deploy import ports, record
from testbed.deploy.meter import Usage
from testbed.deploy.programs import Interrupted
from testbed.deploy.services import Service
from testbed.deploy.stack import Stack
from testbed.experiment import open_loop
from testbed.experiment.declaration import Experiment
from testbed.experiment.loads import EXPERIMENT
from testbed.experiment.loads.closed import ClosedLoop
from testbed.experiment.loads.rates import AtRates
from testbed.experiment.parts import STRETCHES, Disturb, ServiceLimits, SystemSpec, Warmup
from testbed.experiment.runs import Run, Start, System
from testbed.experiment.schedule import schedule, unfinished
from testbed.measure import load, machine_watch, results_directory, runner, session, warming
from testbed.measure.dependencies import Dependencies
from testbed.measure.machine_watch import Reading
from testbed.measure.samplefile import OperationCounter, Seen
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.loads import Mode
from testbed.model.project import Project

from .conftest import HERE, deployed, fake_service

PLAN = ClosedLoop(
    name="mine",
    threads=(1, 2),
    loops=3,
    repetitions=2,
    seed=5,
    # Of four operations each, so that three windows are enough.
    warmup=Warmup(threads=4, window=1, operations=12, at_most=600),
)


def short(**changes: Any) -> ClosedLoop:
    """Return one run of a list by one user, without a warm-up; some keys changed."""
    once = {"threads": (1,), "repetitions": 1, "workloads": ("list",), "warmup": Warmup(at_most=0)}
    return PLAN.model_copy(update=once | changes)


@dataclass
class Noted:
    """Keeps what it is told; may interrupt after some runs."""

    interrupt_after: int | None = None
    starts: list[str] = field(default_factory=list)
    warmups: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    known_so_far: list[Sequence[str]] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def starting(self, start: Start) -> None: ...

    def waiting(self, what: str) -> None: ...

    def started(self, start: Start) -> None:
        self.starts.append(f"{start.name}-{start.repetition}")

    def loading(self, name: str, seen: Seen) -> None:
        if self.interrupt_after is not None and len(self.runs) >= self.interrupt_after:
            raise Interrupted

    def warmed(self, start: Start, words: str) -> None:
        self.warmups.append(words)

    def measured(self, run: Run, seen: Sequence[Seen], seconds: float) -> None:
        self.runs.append(run.id)

    def judged(self, run: Run, verdict: str) -> None:
        self.verdicts[run.id] = verdict

    def narrowed(self, lines: Sequence[str]) -> None:
        self.known_so_far.append(lines)

    def noticed(self, text: str) -> None:
        self.notices.append(text)

    def decided(self, text: str) -> None:
        self.decisions.append(text)


@dataclass
class Setup:
    """A dependencies with a fake front door for each of two systems, and a fake generator."""

    dependencies: Dependencies
    front: Service
    beside: Service
    resets: list[str]
    marks: list[tuple[str, dict[str, Any]]]


def generators(*options: str) -> Callable[[Path, int], Any]:
    command = [sys.executable, str(HERE / "fake_generator.py"), *options]
    return partial(load.several, command)


def make_system(project: Project) -> Setup:
    project.plans.mkdir()
    (project.plans / "workloads").symlink_to(Project.find().plans / "workloads")
    for variant in ("sync", "async"):
        for workload in ("list", "reserve"):
            (project.plans / f"{variant}-{workload}.jmx").write_text("<jmeterTestPlan/>")
    front, beside = fake_service("gateway"), fake_service("broker")
    resets: list[str] = []
    marks: list[tuple[str, dict[str, Any]]] = []

    def stack(compared: System) -> Stack:
        place = int(compared.variant == "async")
        deployment = replace(
            deployed(((front, beside)[place],)), variant=compared.variant, preset=compared.preset
        )
        return Stack(project.beside(place), deployment, os.environ)

    dependencies = Dependencies(
        project=project,
        generators=generators(),
        system=stack,
        describe=lambda: {"machine": {"cores": 2}, "git": {"commit": "abc"}},
        reset=lambda deployment: resets.append(deployment.mongodb_uri),
        annotate=lambda name, record: marks.append((name, dict(record))),
        narrowing=lambda results: [f"{len(list(results.glob('runs/*/run.json')))} runs"],
    )
    return Setup(dependencies, front, beside, resets, marks)


def make_results(system: Setup, plan: Experiment = PLAN) -> Path:
    folder = system.dependencies.project.results / "mine"
    results_directory.begin(system.dependencies, plan, folder)
    return folder


@pytest.fixture
def system(project: Project) -> Setup:
    return make_system(project)


@pytest.fixture
def results(system: Setup) -> Path:
    return make_results(system)


@dataclass(frozen=True)
class Measured:
    """A whole experiment that was carried out without interruption."""

    system: Setup
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


def measure(system: Setup, results: Path, show: Noted, plan: Experiment = PLAN) -> None:
    runner.carry_out(system.dependencies, plan, results, show)


def every_run() -> list[str]:
    return planned_runs(PLAN)


def planned_runs(plan: Experiment) -> list[str]:
    return [run.id for start in schedule(plan) for cell in start.cells for run in start.runs(cell)]


def test_writes_down_what_is_measured_and_with_what(results: Path) -> None:
    described = json.loads((results / "environment.json").read_text())

    assert results_directory.declared(results) == PLAN
    assert described["seed"] == 5
    assert described["machine"] == {"cores": 2}


def test_measures_every_run_in_order_after_warm_ups(measured: Measured) -> None:
    show, folder = measured.show, measured.results

    assert show.runs == every_run()
    assert sorted(show.starts) == ["async-1", "async-2", "sync-1", "sync-2"]
    assert len(show.warmups) == 4
    assert sorted(path.name for path in (folder / "runs").iterdir()) == sorted(every_run())
    assert not ports.accepts(measured.system.front.ports[0])
    assert not ports.accepts(measured.system.beside.ports[0])


def test_every_run_is_marked_when_it_has_ended(measured: Measured) -> None:
    marks = measured.system.marks

    assert [name for name, _ in marks] == measured.show.runs
    assert dict(marks)[measured.show.runs[0]] == measured.run_json(measured.show.runs[0])


def test_every_run_and_warm_up_begins_from_emptied_collections(measured: Measured) -> None:
    rounds = len(measured.show.warmups) * STRETCHES

    assert measured.system.resets == ["mongodb://127.0.0.1:1"] * (len(measured.show.runs) + rounds)


def test_a_run_record_holds_what_was_done_and_used(measured: Measured) -> None:
    data = measured.run_json("async-reserve-002-threads-1")

    expected = {
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
        "system": "async",
        "settings": {"ACCESS_CONTROL": "off"},
        "mode": "closed",
        "level": 2,
        "rate": None,
        "arrivals": None,
        "expected_operations": 6,
        "complete_before": True,
        "complete_after": True,
        "disturbance": None,
        "scraped": None,
    }
    assert {key: data[key] for key in expected} == expected
    assert data["generator_cpus"] > 0
    assert data["spent_s"] >= data["wall_s"]
    started, finished = (datetime.fromisoformat(data[key]) for key in ("started", "finished"))
    assert started.tzinfo is not None
    assert started.astimezone(UTC) < finished.astimezone(UTC)
    assert set(data["server_cpu_s"]) == {"broker"}
    assert data["server_rss_mb"]["broker"] > 1
    assert 1 < data["server_pss_mb"]["broker"] <= data["server_rss_mb"]["broker"] + 1
    assert data["generator_cpu_s"] > 0
    samples = measured.results / "runs" / "async-reserve-002-threads-1" / "samples.csv"
    assert len(samples.read_text().splitlines()) == 1 + 2 * 3


def test_sessions_choose_alike_under_every_system_and_otherwise_in_other_runs(
    measured: Measured,
) -> None:
    runs = (
        *("sync-list-002-threads-1", "async-list-002-threads-1"),
        *("sync-list-002-threads-2", "sync-list-001-threads-1", "sync-reserve-002-threads-1"),
    )
    choices = [measured.run_json(run)["properties"]["choices"] for run in runs]

    assert choices[0] == choices[1]
    assert len(set(choices)) == 4


def test_a_run_has_its_blocks_with_age_place_and_count(measured: Measured) -> None:
    data = measured.run_json("async-reserve-002-threads-1")
    (block,) = data["blocks"]

    assert (block["file"], block["settle_s"], block["planned_s"]) == ("samples.csv", 0, None)
    assert block["samples"] == 6
    assert block["idle_cpu_s"] == {}
    assert data["age_s"] == block["age_s"] > 0
    # After a window of each workload.
    assert data["place"] == block["place"] >= 2
    assert data["server_cpu_s"] == block["server_cpu_s"]


def test_the_windows_of_warm_ups_are_kept(measured: Measured) -> None:
    folder = measured.results / "warmup"
    with (folder / "sync-1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert len(list(folder.iterdir())) == 4
    workloads = sorted(row["workload"] for row in rows)
    assert workloads == ["list"] * STRETCHES + ["reserve"] * STRETCHES
    assert {row["ok_per_s"] for row in rows} == {"4.0"}
    assert all(measured.run_json(run)["warm"] for run in every_run())


def test_a_warm_up_waits_for_answers_where_a_run_does_not(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {"variants": ("async",), "fetch": "immediate", "threads": (1,), "repetitions": 1}
    plan = PLAN.model_copy(update={**keys, "workloads": ("list",)})
    fetches: dict[bool, set[str]] = {True: set(), False: set()}
    put = session.Session._put

    def noted(*given: Any, **options: Any) -> Any:
        fetches[given[2].startswith("warm-up")].add(given[3].properties["fetch"])
        return put(*given, **options)

    monkeypatch.setattr(session.Session, "_put", noted)
    measure(system, make_results(system, plan), Noted(), plan)
    assert fetches == {True: {"wait"}, False: {"immediate"}}


def test_each_run_has_a_token_of_its_own_that_no_record_keeps(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = itertools.count(1)

    def stack(compared: System) -> Stack:
        up = system.dependencies.system(compared)
        up.deployment = replace(up.deployment, ask_token=lambda _: f"token-{next(numbers)}")
        return up

    sent: list[str] = []
    put = session.Session._put

    def noted(*given: Any, **options: Any) -> Any:
        if not given[2].startswith("warm-up"):
            sent.append(given[3].properties["token"])
        return put(*given, **options)

    monkeypatch.setattr(session.Session, "_put", noted)
    with_tokens = replace(system, dependencies=replace(system.dependencies, system=stack))
    plan = short(variants=("sync",), repetitions=2)
    results = make_results(with_tokens, plan)
    measure(with_tokens, results, Noted(), plan)

    assert len(set(sent)) == len(sent) == 2
    records = [file.read_text() for file in results.rglob("*") if file.is_file()]
    assert not any("token-" in text for text in records)


def test_synchronous_runs_fetch_nothing(measured: Measured) -> None:
    assert measured.run_json("sync-list-001-threads-1")["fetch"] is None


def test_nothing_is_left_to_do_when_all_is_there(measured: Measured) -> None:
    assert unfinished(PLAN, results_directory.finished(measured.results)) == ()


def test_an_interrupt_ends_everything_and_resuming_finishes_the_same_schedule(
    system: Setup, results: Path, project: Project
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


def test_an_unfinished_run_is_not_taken_for_a_run(system: Setup, results: Path) -> None:
    run = every_run()[0]
    unfinished = results / "runs" / f"{run}.partial"
    unfinished.mkdir()
    (unfinished / "samples.csv").write_text("half a file")

    with pytest.raises(Interrupted):
        measure(system, results, Noted(interrupt_after=1))

    assert not unfinished.exists()
    assert "half a file" not in (results / "runs" / run / "samples.csv").read_text()


def test_resuming_with_something_else_is_refused(system: Setup, results: Path) -> None:
    results_directory.require_same(system.dependencies, results)
    other = Dependencies(
        system.dependencies.project,
        system.dependencies.generators,
        system.dependencies.system,
        lambda: {"machine": {"cores": 8}, "git": {"commit": "def"}},
    )

    with pytest.raises(UserError) as refused:
        results_directory.require_same(other, results)

    assert "machine.cores: 2 and 8" in refused.value.message
    assert "git" not in refused.value.message


def test_a_failing_generator_stops_the_experiment_and_is_shown(
    system: Setup, results: Path
) -> None:
    failing = with_generator(system, "--exit", "1").dependencies

    with pytest.raises(UserError):
        runner.carry_out(failing, PLAN, results, Noted())

    assert list((results / "runs").iterdir()) == []
    assert not ports.accepts(system.front.ports[0])


def with_generator(system: Setup, *options: str) -> Setup:
    """Return the same, but for what the generator does."""
    dependencies = replace(system.dependencies, generators=generators(*options))
    return replace(system, dependencies=dependencies)


def test_a_load_without_an_operation_is_an_error_that_says_why(
    system: Setup, results: Path
) -> None:
    with pytest.raises(UserError, match=r"no operation was recorded on .*: no sample"):
        measure(with_generator(system, "--nothing"), results, Noted())

    assert list((results / "runs").glob("*/run.json")) == []


def test_what_services_say_of_themselves_is_kept(measured: Measured) -> None:
    folder = measured.results / "runs" / "sync-list-001-threads-1"

    # The fake answers every path.
    assert "UP" in (folder / "metrics-before" / "gateway.prom").read_text()
    assert "UP" in (folder / "metrics-after" / "gateway.prom").read_text()


BLOCKS = EXPERIMENT.validate_python(
    {
        "name": "blocks",
        "workloads": ["list"],
        "threads": [1, 2],
        "blocks": {"seconds": 2, "settle": 1, "each": 4},
        "repetitions": 2,
        "seed": 3,
        "warmup": {"threads": 1, "window": 1, "at_most": 1},
    }
)


def test_an_error_says_of_which_of_two_systems_it_is(
    system: Setup, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise UserError("service ended by itself")

    calls = itertools.count()
    steps = {
        "start": fail,
        # Both have started.
        "await_converged": lambda *_: None if next(calls) < 2 else fail(),
    }
    for step, failing in steps.items():
        with monkeypatch.context() as patched, pytest.raises(UserError) as refused:
            patched.setattr(Stack, step, failing)
            runner.carry_out(system.dependencies, BLOCKS, results, Noted())
        assert re.match("(sync|async): service ended by itself", refused.value.message)


def test_a_users_system_without_a_right_answer_is_not_loaded_any_longer(
    system: Setup, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = systems.declaration("sync").model_copy(update={"own": True})
    monkeypatch.setattr("testbed.measure.session.systems.declaration", lambda _: whole)

    with pytest.raises(
        UserError, match=r"^sync: .* 4 answers in 1 s, and no right one: .* first: wrong status"
    ):
        measure(with_generator(system, "--failing"), results, Noted())


def test_systems_that_are_compared_are_up_together_and_take_turns(system: Setup) -> None:
    results = make_results(system, BLOCKS)
    both_up = []

    @dataclass
    class Looking(Noted):
        def loading(self, name: str, seen: Seen) -> None:
            doors = (system.front, system.beside)
            both_up.append(all(ports.accepts(door.ports[0]) for door in doors))

    show = Looking()
    measure(system, results, show, BLOCKS)

    assert set(both_up) == {True}
    assert show.starts == ["sync and async-1", "sync and async-2"]
    assert sorted(show.runs) == sorted(planned_runs(BLOCKS))
    assert show.known_so_far == [["4 runs"], ["8 runs"]]
    for start in schedule(BLOCKS):
        for cell in start.cells:
            records = {
                run.system: json.loads((results / "runs" / run.id / "run.json").read_text())
                for run in start.runs(cell)
            }
            blocks = sorted(
                (block["started"], name) for name in records for block in records[name]["blocks"]
            )
            assert [name for _, name in blocks] == [
                member.name for turn in start.turns(cell, 4) for member in turn
            ]
            for name, run_record in records.items():
                files = [block["file"] for block in run_record["blocks"]]
                assert files == [f"block-{number}.csv" for number in range(1, 5)]
                assert run_record["round"] == run_record["repetition"] == start.repetition
                (other,) = set(records) - {name}
                assert set(run_record["blocks"][0]["idle_cpu_s"]) == {other}
                assert run_record["blocks"][0]["planned_s"] == 2
                assert run_record["properties"]["duration"] == "2"


class Restless:
    """A watch of a machine on which others use half of it during some blocks, by number from 1.

    The sample before a repeat finds it quiet.
    """

    def __init__(self, *disturbed: int) -> None:
        self.disturbed = disturbed
        self.number = 0
        self.busy_s = 0.0
        self.clock = itertools.count()
        self.pids: list[Sequence[int]] = []

    def read(self, pids: Sequence[int] = ()) -> Reading:
        self.pids.append(pids)
        return Reading(
            at_s=float(next(self.clock)),
            cores=2,
            usable=2.0,
            programs_s=self.busy_s,
            interrupts_s=0.0,
            steal_s=0.0,
            ours={},
            others={},
            throttled_s=None,
            mhz=2100.0,
        )

    def block(self) -> None:
        """Note that a load of a block is running."""
        self.number += 1
        if self.number in self.disturbed:
            self.busy_s += 1.0


def disturbed_run(
    system: Setup, monkeypatch: pytest.MonkeyPatch, plan: Experiment, *disturbed: int
) -> tuple[dict[str, dict[str, Any]], Noted, Path]:
    """Measure with others in some blocks; return the records by run, and the results."""
    watch = Restless(*disturbed)
    monkeypatch.setattr(machine_watch, "SAMPLE_S", 0.0)
    put = session.Session._put

    def watched(*given: Any, **options: Any) -> Any:
        if not given[2].startswith("warm-up"):
            watch.block()
        return put(*given, **options)

    monkeypatch.setattr(session.Session, "_put", watched)
    dependencies = replace(system.dependencies, watch=watch)
    system, show = replace(system, dependencies=dependencies), Noted()
    results = make_results(system, plan)
    measure(system, results, show, plan)
    files = sorted(results.glob("runs/*/run.json"))
    return {file.parent.name: json.loads(file.read_text()) for file in files}, show, results


def one_cell(**changes: Any) -> Experiment:
    """Return blocks of one cell, without a warm-up; some keys changed."""
    keys = {"repetitions": 1, "threads": (1,), "warmup": Warmup(at_most=0)}
    return BLOCKS.model_copy(update=keys | changes)


def test_a_disturbed_block_is_repeated_with_those_that_took_turns_with_it(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, show, results = disturbed_run(system, monkeypatch, one_cell(), 2)

    for run_record in records.values():
        assert [block["counts"] for block in run_record["blocks"]] == [False, False] + [True] * 4
        assert run_record["planned_blocks"] == 4
        assert len(run_record["blocks"]) == len({block["file"] for block in run_record["blocks"]})
        counted = sum(block["wall_s"] for block in run_record["blocks"] if block["counts"])
        assert run_record["wall_s"] == pytest.approx(counted)
    # The second block is of the system that did not begin.
    disturbed = {
        name: [block["disturbed"] for block in run_record["blocks"]]
        for name, run_record in records.items()
    }
    assert sorted(map(sum, disturbed.values())) == [0, 1]
    (others,) = [
        block["others"]
        for run_record in records.values()
        for block in run_record["blocks"]
        if block["disturbed"]
    ]
    assert others == {
        "share": 0.5,
        "cores": 1.0,
        "of": 2,
        "steal": 0.0,
        "interrupts": 0.0,
        "names": [],
        "throttled_s": None,
        "mhz": 2100.0,
    }
    assert show.notices == ["list, 1 thread: disturbed by other programs, measured again"]
    order = sorted(
        (block["started"], run_record["system"])
        for run_record in records.values()
        for block in run_record["blocks"]
    )
    names = [name for _, name in order]
    # A repeated turn has the order of the first try.
    assert names[:4] == names[4:8] == names[3::-1]
    described = json.loads((results / "environment.json").read_text())
    assert described["machine"] == {"cores": 2}
    assert described["other_programs"]["disturbed_blocks"] == 1
    assert described["other_programs"]["blocks"] == 12


def test_repeats_end_while_others_go_on(system: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = one_cell(threads=(1, 2))
    records, show, _ = disturbed_run(system, monkeypatch, plan, *range(1, 100))

    blocks = [len(record["blocks"]) for record in records.values()]
    # Two turns of the first cell were repeated in vain; nothing was after them.
    assert sorted(blocks) == [4, 4, 8, 8]
    assert not any(
        block["counts"] for run_record in records.values() for block in run_record["blocks"]
    )
    assert [notice.partition(": ")[2] for notice in show.notices] == [
        *["disturbed by other programs, measured again"] * 2,
        *["disturbed again, so not repeated"] * 2,
    ]
    assert len(show.verdicts) == 4
    for verdict in show.verdicts.values():
        assert "other programs: up to 50 %; 0 of 4 planned blocks count" in verdict


def test_repeats_go_on_when_others_have_ended(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both turns of a cell and their repeats, then one block of the next cell.
    plan = one_cell(threads=(1, 2))
    records, _, _ = disturbed_run(system, monkeypatch, plan, *range(1, 17), 22)

    counting = [
        sum(block["counts"] for block in run_record["blocks"]) for run_record in records.values()
    ]
    assert sorted(counting) == [0, 0, 4, 4]


def test_a_disturbed_run_of_one_load_is_repeated(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, show, results = disturbed_run(system, monkeypatch, short(variants=("sync",)), 1)

    ((name, run_record),) = records.items()
    (block,) = run_record["blocks"]
    assert (block["counts"], block["disturbed"], block["samples"]) == (True, False, 3)
    assert [others["share"] for others in run_record["discarded"]] == [0.5]
    assert len((results / "runs" / name / "samples.csv").read_text().splitlines()) == 1 + 3
    assert len(show.notices) == 1


def test_what_drains_is_not_measured_twice(system: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = short(systems={"one": SystemSpec(variant="sync", scrape=1)})
    records, show, _ = disturbed_run(system, monkeypatch, plan, 1)

    (run_record,) = records.values()
    assert [block["counts"] for block in run_record["blocks"]] == [False]
    assert show.notices == []


OPEN_LOOP = AtRates(
    name="opened",
    variants=("sync", "async"),
    workloads=("list",),
    rates=(20, 50),
    duration=2,
    repetitions=2,
    warmup=Warmup(at_most=0),
)


def test_an_open_loop_follows_the_same_arrivals_under_every_system(system: Setup) -> None:
    results = make_results(system, OPEN_LOOP)
    measure(system, results, Noted(), OPEN_LOOP)

    def arrivals_of(run: str) -> str:
        return (results / "runs" / run / "arrivals.csv").read_text()

    assert arrivals_of("sync-list-0050-per-s-1") == arrivals_of("async-list-0050-per-s-1")
    assert arrivals_of("sync-list-0050-per-s-1") != arrivals_of("sync-list-0050-per-s-2")
    data = json.loads((results / "runs" / "sync-list-0050-per-s-1" / "run.json").read_text())
    planned = len(arrivals_of("sync-list-0050-per-s-1").split())
    assert (data["mode"], data["level"], data["rate"], data["threads"]) == ("open", 50, 50, 200)
    assert data["expected_operations"] == planned
    assert data["arrivals"]["planned"] == planned
    assert data["arrivals"]["length_s"] == data["duration_s"]
    assert data["arrivals"]["kind"] == "poisson"
    assert data["properties"]["arrivals"] == "arrivals.csv"
    samples = (results / "runs" / "sync-list-0050-per-s-1" / "samples.csv").read_text()
    assert samples.splitlines()[0].endswith(",intended")


RATES_IN_BLOCKS = EXPERIMENT.validate_python(
    {
        "name": "rated",
        "workloads": ["list"],
        "threads": [2],
        "rates": ["50%", 20],
        "blocks": {"seconds": 2, "settle": 0, "each": 2},
        "repetitions": 2,
        "seed": 5,
        "warmup": {"at_most": 0},
    }
)


def test_rates_in_blocks_are_shares_of_what_the_slower_system_served_first(system: Setup) -> None:
    results = make_results(system, RATES_IN_BLOCKS)
    served = iter([300.0, 90.0, 800.0, 700.0])
    dependencies = replace(system.dependencies, goodput=lambda folder, record: next(served))
    measure(replace(system, dependencies=dependencies), results, Noted(), RATES_IN_BLOCKS)

    records = results_directory.finished(results)
    levels = {(run_record["mode"], run_record["level"]) for run_record in records.values()}
    # Half of 90, to two digits, in the second round too.
    assert levels == {("closed", 2), ("open", 20), ("open", 45)}
    assert len(records) == 12
    run_record = records["sync-list-0045-per-s-2"]
    assert run_record["rate"] == 45
    assert [block["planned_s"] for block in run_record["blocks"]] == [None, None]

    def arrivals_of(run: str) -> list[str]:
        folder = results / "runs" / run
        return [(folder / f"arrivals-{block}.csv").read_text() for block in (1, 2)]

    first, second = arrivals_of("sync-list-0045-per-s-2")
    assert arrivals_of("async-list-0045-per-s-2") == [first, second]
    assert first != second
    assert arrivals_of("sync-list-0045-per-s-1")[0] != first
    planned = [len(text.split()) for text in (first, second)]
    assert [block["arrivals"]["planned"] for block in run_record["blocks"]] == planned
    run = run_of(results / "runs" / "sync-list-0045-per-s-2", run_record)
    assert run.arrivals is not None
    assert (run.arrivals.planned, run.arrivals.length_s) == (sum(planned), 4)
    assert unfinished(RATES_IN_BLOCKS, records) == ()


@pytest.mark.parametrize("least", [0.0, 8.0])
def test_of_a_system_that_serves_next_to_nothing_no_share_is_measured(
    system: Setup, least: float
) -> None:
    results = make_results(system, RATES_IN_BLOCKS)
    served = {"sync": least, "async": 300.0}
    dependencies = replace(
        system.dependencies, goodput=lambda folder, record: served[record["system"]]
    )
    measure(replace(system, dependencies=dependencies), results, Noted(), RATES_IN_BLOCKS)

    records = results_directory.finished(results)
    assert {run_record["level"] for run_record in records.values()} == {2, 20}
    assert (results / results_directory.ENDING).is_file()
    assert unfinished(RATES_IN_BLOCKS, records) == ()


def test_a_share_needs_a_level_of_which_it_is_one() -> None:
    with pytest.raises(ValueError, match="a share is of what is served at threads"):
        EXPERIMENT.validate_python(
            {"name": "x", "rates": ["50%"], "blocks": {"seconds": 2, "settle": 0}}
        )


SEARCHED = EXPERIMENT.validate_python(
    {
        "name": "searched",
        "workloads": ["list"],
        "duration": 2,
        "arrivals": "constant",
        "slo": {"p95_ms": 100},
        "search": {"from": 10, "to": 100, "resolution": 10, "repetitions": 2},
        "warmup": {"threads": 1, "window": 1, "at_most": 0},
    }
)


def test_a_search_closes_in_on_what_a_system_can_bear(system: Setup) -> None:
    results, show = make_results(system, SEARCHED), Noted()
    # 2 s at 45/s.
    measure(with_generator(system, "--capacity", "90"), results, show, SEARCHED)

    rates = [run.split("-")[2] for run in show.runs if run.startswith("sync-list")]
    assert rates == ["0100", "0050", "0030", "0040"] * 2
    missed = json.loads((results / "runs" / "sync-list-0050-per-s-1" / "run.json").read_text())
    assert missed["slo"] == {"p95_ms": 5000.0, "failed_share": 0.0, "met": False}
    met = json.loads((results / "runs" / "sync-list-0040-per-s-1" / "run.json").read_text())
    assert met["slo"]["met"] is True


DEMANDED = EXPERIMENT.validate_python(
    {
        "name": "demanded",
        "systems": {"small": {"variant": "sync"}, "large": {"variant": "async"}},
        "workloads": ["list"],
        "threads": [2],
        "duration": 1,
        "seed": 4,
        "demand": {
            "cpus": {"from": 0.1, "to": 1.2, "resolution": 0.1},
            "target": {"goodput_of": "large", "cpus": 1},
            "repetitions": 2,
        },
        "warmup": {"threads": 1, "window": 1, "at_most": 0},
    }
)


def goodput(folder: Path, record: Mapping[str, Any]) -> float:
    """Return 10/s for each core up to 0.6 cores; the small system needs half as much."""
    name, _, cores = record["system"].partition(" at ")
    return min(6.0, 10 * float(cores.split()[0] if cores else 9) * (2 if name == "small" else 1))


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, float]]:
    """The CPU limits during each run, by service, in cores."""
    limits = []

    @contextlib.contextmanager
    def noted(_: Stack, cpus: Mapping[str, float]) -> Iterator[None]:
        limits.append(dict(cpus))
        yield

    monkeypatch.setattr(Stack, "limited", noted)
    return limits


def test_a_demand_search_finds_the_least_cpu_of_each_system(
    system: Setup, limited: list[dict[str, float]]
) -> None:
    results, show = make_results(system, DEMANDED), Noted()
    with_goodput = replace(system, dependencies=replace(system.dependencies, goodput=goodput))
    measure(with_goodput, results, show, DEMANDED)

    assert show.starts == ["large-1", "small-1", "large-2", "small-2"]
    runs = [run.removesuffix("-1") for run in show.runs if run.endswith("-1")]
    assert runs == [
        "large-list-001-threads",
        "large-list-002-threads-1-cores",
        "large-list-002-threads-0.5-cores",
        "large-list-002-threads-0.7-cores",
        "large-list-002-threads-0.6-cores",
        "small-list-001-threads",
        "small-list-002-threads-1.2-cores",
        "small-list-002-threads-0.6-cores",
        "small-list-002-threads-0.3-cores",
        "small-list-002-threads-0.1-cores",
        "small-list-002-threads-0.2-cores",
    ]
    first = json.loads((results / "runs/large-list-002-threads-1-cores-1/run.json").read_text())
    assert first["system"] == "large at 1 cores"
    assert (first["demand"]["wanted"], first["demand"]["ok_per_s"]) == (None, 6.0)
    assert first["demand"]["met"] is True
    assert sum(first["demand"]["shares"].values()) == pytest.approx(1)
    missed = json.loads((results / "runs/small-list-002-threads-0.2-cores-2/run.json").read_text())
    assert missed["demand"] | {"shares": {}} == {
        "system": "small",
        "cpus": 0.2,
        "shares": {},
        "wanted": pytest.approx(6 * 0.97),
        "ok_per_s": 4.0,
        "met": False,
    }
    alone, *rest = limited[:5]
    assert alone == {}
    assert [sum(cpus.values()) for cpus in rest] == pytest.approx([1, 0.5, 0.7, 0.6])


@pytest.mark.parametrize(
    "plan",
    [
        # One kind with warm-ups is enough: BLOCKS.
        PLAN.model_copy(update={"warmup": Warmup(at_most=0)}),
        *(SEARCHED, DEMANDED, OPEN_LOOP, BLOCKS),
    ],
    ids=lambda plan: plan.name,
)
def test_a_stopped_experiment_equals_one_that_was_not(
    tmp_path_factory: pytest.TempPathFactory, plan: Experiment
) -> None:
    def carried_out(stops: Sequence[int]) -> tuple[list[str], dict[str, str]]:
        root = tmp_path_factory.mktemp("project")
        (root / "pom.xml").write_text("<project/>")
        system = with_generator(make_system(Project(root, root / ".testbed")), "--capacity", "90")
        results, runs = make_results(system, plan), []
        for stop in (*stops, None):
            show = Noted(interrupt_after=stop)
            with contextlib.suppress(Interrupted):
                measure(system, results, show, plan)
            runs += show.runs
        arrivals = {
            file.parent.name: file.read_text() for file in results.glob("runs/*/arrivals.csv")
        }
        return runs, arrivals

    assert carried_out([1, 2]) == carried_out([])


PRECISE = EXPERIMENT.validate_python(
    {
        "name": "precise",
        "workloads": ["list"],
        "threads": [1],
        "loops": 1,
        "precision": {
            "figure": "p95_ms",
            "within": 0.1,
            "budget_min": 10,
            "min_repetitions": 2,
        },
        "warmup": {"threads": 1, "window": 1, "at_most": 0},
    }
)


def with_effects(system: Setup, *effects: float | None) -> tuple[Setup, list[int]]:
    """Return the same where results would tell these effects, and when that was asked."""
    left, asked = list(effects), []

    def reach(results: Path, figure: str) -> dict[tuple[str, Mode, float], float | None]:
        asked.append(len(list(results.glob("runs/*/run.json"))))
        assert figure == "p95_ms"
        return {("list", "closed", 1): left.pop(0)}

    return replace(system, dependencies=replace(system.dependencies, reach=reach)), asked


def test_goes_on_until_it_is_precise(system: Setup) -> None:
    results, show = make_results(system, PRECISE), Noted()
    measured, asked = with_effects(system, None, 0.3, 0.09)
    measure(measured, results, show, PRECISE)

    # Two systems: the first look after two rounds.
    assert asked == [4, 6, 8]
    assert len(show.runs) == 8
    ended = json.loads((results / "ending.json").read_text())
    assert (ended["rule"], ended["rounds"], ended["reach"]) == (
        "precise",
        4,
        {"list 1 thread": 0.09},
    )
    assert show.decisions[-1] == ("decided or precise enough after 4 rounds: list 1 thread ±9.0%")


def test_ends_when_the_budget_is_spent(system: Setup) -> None:
    plan = PRECISE.model_copy(
        update={"precision": PRECISE.precision.model_copy(update={"budget_min": 0.001})}  # type: ignore[union-attr]
    )
    results, show = make_results(system, plan), Noted()
    measured, _ = with_effects(system, 0.3)
    measure(measured, results, show, plan)

    assert len(show.runs) == 4
    assert "budget spent after 2 rounds: list 1 thread ±30.0%" in show.decisions[-1]


def test_resuming_does_not_take_back_a_decision_to_go_on(system: Setup) -> None:
    results = make_results(system, PRECISE)
    first, _ = with_effects(system, 0.3)
    with pytest.raises(Interrupted):
        measure(first, results, Noted(interrupt_after=5), PRECISE)

    # With the first run of round 3 there, round 2 would look precise; it was not when asked.
    second, asked = with_effects(system, 0.05)
    show = Noted()
    measure(second, results, show, PRECISE)

    assert asked == [6]
    assert len(show.runs) == 1


def test_an_extension_keeps_what_was_spent_before_it(system: Setup) -> None:
    results, show = make_results(system, PRECISE), Noted()
    measure(with_effects(system, 0.09)[0], results, show, PRECISE)
    narrower = PRECISE.model_copy(
        update={"precision": PRECISE.precision.model_copy(update={"within": 0.05})}  # type: ignore[union-attr]
    )
    with pytest.raises(Interrupted):
        measure(with_effects(system, 0.3)[0], results, Noted(interrupt_after=1), narrower)
    assert not (results / results_directory.ENDING).is_file()
    assert json.loads((results / results_directory.FORMER_ENDING).read_text())["rounds"] == 2


def test_services_of_a_system_are_scraped_while_there_is_a_load(system: Setup) -> None:
    plan = short(
        systems={
            "watched": SystemSpec(variant="sync", scrape=1),
            "unwatched": SystemSpec(variant="sync"),
        }
    )
    results = make_results(system, plan)
    measure(with_generator(system, "--linger", "6"), results, Noted(), plan)

    def record(load: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((results / load / "run.json").read_text())
        return data

    scraping = record("runs/watched-list-001-threads-1")["scraped"]
    assert scraping["every_s"] == 1
    assert scraping["services"] == ["gateway"]
    assert scraping["asked"] == scraping["answered"] >= 2
    watched = record("runs/watched-list-001-threads-1")["settings"]
    assert watched == {"ACCESS_CONTROL": "off", "scrape": "1"}
    assert record("runs/unwatched-list-001-threads-1")["scraped"] is None
    assert record("runs/unwatched-list-001-threads-1")["settings"] == {"ACCESS_CONTROL": "off"}


def test_a_limit_may_hold_during_runs_only(system: Setup, limited: list[dict[str, float]]) -> None:
    limits = {
        "aggregator-service": ServiceLimits(cpus=0.5),
        "cinema-ucd-service": ServiceLimits(cpus=0.2, memory_mb=300, since="measurement"),
    }
    # Its warm-up must not be limited.
    plan = short(systems={"one": SystemSpec(variant="sync", limits=limits)}, warmup=PLAN.warmup)
    results = make_results(system, plan)
    measure(system, results, Noted(), plan)

    assert limited == [{"cinema-ucd-service": 0.2}]
    data = json.loads((results / "runs/one-list-001-threads-1/run.json").read_text())
    assert data["settings"].items() >= {"limits.cinema-ucd-service.cpus": "0.2"}.items()
    started = limits["cinema-ucd-service"].at_start
    assert (started.cpus, started.memory_mb) == (None, 300)


def test_instances_and_what_their_limits_did_are_recorded(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SystemSpec(
        variant="sync",
        replicas={"cinema-ucd-service": 2},
        limits={"cinema-ucd-service": ServiceLimits(cpus=0.5)},
    )
    plan = short(systems={"limited": spec})
    readings = itertools.count(1)

    class Counting:
        def read(self, *, pss: bool = False) -> dict[str, Usage]:
            turn = next(readings)
            limited = Usage(turn, 50.0, throttled=10 * turn, throttled_s=turn / 2, peak_mb=60.04)
            return {"gateway": Usage(turn, 70.0), "cinema.2": limited}

    monkeypatch.setattr(Stack, "meter", lambda _: Counting())
    results = make_results(system, plan)
    measure(system, results, Noted(), plan)

    data = json.loads((results / "runs/limited-list-001-threads-1/run.json").read_text())
    assert data["settings"] == {
        "ACCESS_CONTROL": "off",
        "replicas.cinema-ucd-service": "2",
        "limits.cinema-ucd-service.cpus": "0.5",
    }
    limits = {
        "server_throttled": {"cinema.2": 10},
        "server_throttled_s": {"cinema.2": 0.5},
        "server_peak_mb": {"cinema.2": 60.0},
    }
    assert limits.items() <= data.items()
    assert limits.items() <= data["blocks"][0].items()
    assert data["server_cpu_s"] == {"gateway": 1, "cinema.2": 1}


def test_a_starved_generator_makes_the_run_invalid_and_is_named(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "BEGIN_S", 0)
    plan = short(
        threads=(3,),
        systems={
            "alone": SystemSpec(variant="sync"),
            "together": SystemSpec(variant="sync", generators=2),
        },
    )
    results, show = make_results(system, plan), Noted()
    starved = with_generator(system, "--starved", "generator-2", "--linger", "0.3")
    measure(starved, results, show, plan)

    folder = results / "runs" / "together-list-003-threads-1"
    (block,) = json.loads((folder / "run.json").read_text())["blocks"]
    generators = block["generators"]
    assert [
        (generator["file"], generator["threads"], generator["samples"]) for generator in generators
    ] == [
        ("samples-1.csv", 2, 6),
        ("samples-2.csv", 1, 3),
    ]
    assert block["samples"] == 9
    assert block["generator_cpu_s"] == pytest.approx(
        sum(generator["cpu_s"] for generator in generators)
    )
    # The second generator rests where it is not asked for.
    assert show.verdicts == {
        folder.name: "invalid: generators in step: generator 2 began 0.70 s after the first; the "
        "last samples are 0.70 s apart (limit: within 5 % of a block or 0.5 s)"
    }


def test_a_generator_that_records_nothing_is_an_error(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = OPEN_LOOP.model_copy(update={"generators": 2, "repetitions": 1})
    results = make_results(system, plan)
    # One arrival: none for the second generator.
    monkeypatch.setattr(open_loop, "along", lambda *_: np.array([7]))

    with pytest.raises(UserError, match=r"no operation was recorded on .*: no sample"):
        measure(system, results, Noted(), plan)


def test_a_service_that_is_held_still_goes_on_and_is_noted(system: Setup) -> None:
    disturb = Disturb.model_validate({"service": "gateway", "at": 0.1, "for": 0.5})
    plan = short(variants=("sync",), disturb=disturb)
    results = make_results(system, plan)
    measure(with_generator(system, "--linger", "3"), results, Noted(), plan)

    (file,) = results.glob("runs/*/run.json")
    data = json.loads(file.read_text())
    noted = data["disturbance"]
    stopped, started = (datetime.fromisoformat(noted[key]) for key in ("stopped", "started"))
    assert noted["service"] == "gateway"
    assert (started - stopped).total_seconds() >= 0.5
    assert data["complete_after"] is True


def test_a_service_that_is_stopped_for_good_makes_the_run_incomplete(
    system: Setup, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "AFTER_LIMIT_S", 0.5)
    disturb = Disturb.model_validate({"service": "gateway", "at": 0.1})
    plan = short(variants=("sync",), disturb=disturb)
    results = make_results(system, plan)

    def missing() -> str | None:
        try:
            httpx.get(f"http://127.0.0.1:{system.front.ports[0]}/", timeout=0.3, trust_env=False)
        except httpx.HTTPError:
            return "no answer"
        return None

    def stack(_: System) -> Stack:
        return Stack(project, deployed((system.front,), missing=missing), os.environ)

    dependencies = replace(with_generator(system, "--linger", "2").dependencies, system=stack)
    runner.carry_out(dependencies, plan, results, Noted())

    (file,) = results.glob("runs/*/run.json")
    data = json.loads(file.read_text())
    assert data["complete_after"] == "no answer"
    assert data["disturbance"]["started"] > data["finished"]


def test_an_incomplete_answer_after_a_run_is_noted(
    system: Setup, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "AFTER_LIMIT_S", 0.3)
    plan = short(variants=("sync",))
    results = make_results(system, plan)
    missing: list[str] = []

    def stack(_: System) -> Stack:
        deployment = deployed((system.front,), missing=lambda: missing[0] if missing else None)
        return Stack(project, deployment, os.environ)

    @dataclass
    class Breaking(Noted):
        def loading(self, name: str, seen: Seen) -> None:
            if name == "sync-list-001-threads-1":
                missing[:] = ["the list misses ucd"]

    dependencies = replace(system.dependencies, system=stack)
    show = Breaking()
    runner.carry_out(dependencies, plan, results, show)

    (file,) = results.glob("runs/*/run.json")
    assert json.loads(file.read_text())["complete_after"] == "the list misses ucd"
    assert show.verdicts["sync-list-001-threads-1"].startswith("overloaded: ")
    assert "the list misses ucd" in show.verdicts["sync-list-001-threads-1"]


@pytest.mark.parametrize(
    "used",
    [
        [{"gateway": Usage(1.0, 1)}, {"gateway": Usage(11.0, 1)}],
        # Unknown.
        [{}, {}],
    ],
)
@pytest.mark.parametrize(("workload", "requests"), [("page", None), ("read", 2_160)])
def test_a_window_has_successes_and_what_the_compilers_used(
    used: list[dict[str, Usage]],
    workload: str,
    requests: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, spent, readings = iter([12.0, 12.0, 17.0]), iter([1.0, 3.0]), iter(used)
    monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(session.machine, "usable_cpus", lambda: 4)
    monkeypatch.setattr(warming, "compilers_s", lambda _: next(spent))
    parts = [SimpleNamespace(samples=1_400)] * 2
    put = SimpleNamespace(seen=Seen(operations=100, failed=20), parts=parts)
    asked = SimpleNamespace(properties={})
    monkeypatch.setattr(session.Session, "_load", lambda *_, **__: asked)
    monkeypatch.setattr(session.Session, "_put", lambda *_, **__: put)
    others = machine_watch.Others(share=0.25, cores=0.5, of=2, steal=0, interrupts=0)
    monkeypatch.setattr(session.Session, "_read", lambda _: None)
    monkeypatch.setattr(session.Session, "_others", lambda *_: others)
    plan = PLAN.model_copy(update={"warmup": Warmup(threads=4, window=5, at_most=600)})
    dependencies = SimpleNamespace(project=Project.find())
    measuring = session.Session(dependencies, (), plan, None, {}, tmp_path, Noted())
    stack = SimpleNamespace(meter=lambda: SimpleNamespace(read=lambda: next(readings)))
    system = SimpleNamespace(name="sync", variant="market-monolith")
    member = session.Member(system, stack, began=2.0, pids=(1,))

    window = measuring._window(member, workload, tmp_path)

    # Without the compilers.
    cpu_s = 8.0 if used[0] else None
    figures = 10.0, 5, 16.0, 20, 0.1, cpu_s, 0.25, requests
    assert window == warming.Window("sync", workload, *figures)
    assert window.disturbed
    assert member.loads == 1


def test_a_system_that_has_not_done_enough_is_not_warm_and_says_so(system: Setup) -> None:
    # One window of four operations, then the time is up.
    plan = short(variants=("sync",), warmup=Warmup(threads=4, window=1, at_most=1))
    results, show = make_results(system, plan), Noted()
    measure(with_generator(system, "--linger", "0.6"), results, show, plan)

    (file,) = results.glob("runs/*/run.json")
    data = json.loads(file.read_text())
    assert (data["warm"], data["why_cold"]) == (False, "list: 4 of 20,000 operations")
    assert "sync not warm at an age of " in show.warmups[0]
    assert show.warmups[0].endswith("s (list: 4 of 20,000 operations)")
    (verdict,) = show.verdicts.values()
    assert verdict.startswith("still warming: warm before: no, ")


def test_a_cold_system_may_end_no_operation_in_its_first_window(
    system: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = itertools.count()
    look = OperationCounter.look

    def slow(counter: OperationCounter) -> Seen:
        seen = look(counter)
        return replace(seen, operations=0) if next(looks) == 0 else seen

    monkeypatch.setattr(OperationCounter, "look", slow)
    plan = short(variants=("sync",), warmup=PLAN.warmup)
    results, show = make_results(system, plan), Noted()
    measure(system, results, show, plan)

    with (results / "warmup" / "sync-1.csv").open(newline="") as file:
        rates = [row["ok_per_s"] for row in csv.DictReader(file)]
    assert rates == ["0.0", "4.0", "4.0", "4.0", "4.0"]
    assert len(show.runs) == 1


def test_a_workload_that_is_warm_gets_no_more_windows(system: Setup) -> None:
    results = make_results(system, BLOCKS)
    plan = one_cell(
        workloads=("list", "reserve"), warmup=Warmup(threads=4, window=1, operations=20)
    )
    put: list[str] = []

    @dataclass
    class Listening(Noted):
        def loading(self, name: str, seen: Seen) -> None:
            if name.startswith("warm-up") and (not put or put[-1] != name):
                put.append(name)

    measure(system, results, Listening(), plan)

    # Five windows of four operations each, in turns.
    assert Counter(put) == dict.fromkeys(
        [f"warm-up {name} {workload}" for name in ("sync", "async") for workload in plan.workloads],
        5,
    )

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from testbed import load
from testbed.errors import UserError
from testbed.load import Load, OperationCounter, Seen
from testbed.processes import Interrupted, ProcessId
from testbed.project import Project

from .conftest import HERE
from .fake_generator import HEADER


@contextlib.contextmanager
def alone(_: ProcessId) -> Iterator[None]:
    yield


def row(label: str, *, success: bool = True, message: str = "", at: int = 0, took: int = 5) -> str:
    return (
        f"{at},{took},{label},200,OK,users 1-1,text,{str(success).lower()},{message},1,1,1,1,,1,0,1"
    )


def test_counts_operations_not_samples(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    rows = [row("list request"), row("list fetch"), row("list"), row("list", success=False)]
    samples.write_text("\n".join([HEADER, *rows]) + "\n")

    seen = OperationCounter(samples, "list").look()

    assert (seen.operations, seen.failed) == (2, 1)


def test_counts_a_growing_file_once_and_only_complete_rows(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    counter = OperationCounter(samples, "list")
    assert counter.look().operations == 0
    line = row("list")

    with samples.open("w") as file:
        file.write(f"{HEADER}\n{line}\n{line[:20]}")
        file.flush()
        assert counter.look().operations == 1
        file.write(f"{line[20:]}\n")
        file.flush()
        assert counter.look().operations == 2
    assert counter.look().operations == 2


def test_commas_and_lines_in_a_message_are_not_columns_or_rows(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    message = '"expected 3, got 2\nlist,list,list"'
    rows = [row("list", success=False, message=message), row("list")]
    samples.write_text("\n".join([HEADER, *rows]) + "\n")

    seen = OperationCounter(samples, "list").look()

    assert (seen.operations, seen.failed) == (2, 1)


def test_the_span_is_from_first_start_to_last_end(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    rows = [row("list", at=2000, took=100), row("list", at=1000, took=3500), row("list", at=3000)]
    samples.write_text("\n".join([HEADER, *rows]) + "\n")

    assert OperationCounter(samples, "list").look().span_s == 3.5


@pytest.mark.parametrize(
    ("loops", "duration", "expected"),
    [
        (7, None, {"loops": "7"}),
        (None, 9, {"loops": "-1", "duration": "9"}),
        (7, 9, {"loops": "7", "duration": "9"}),
    ],
)
def test_a_load_ends_by_loops_by_time_or_by_what_comes_first(
    project: Project, loops: int | None, duration: int | None, expected: dict[str, str]
) -> None:
    made = load.load_for(
        project,
        "sync",
        "list",
        threads=3,
        loops=loops,
        duration=duration,
        ramp=0,
        port=1,
    )

    others = {"threads": "3", "ramp": "0", "host": "127.0.0.1", "port": "1"}
    assert made.properties == {**others, **expected}
    assert made.plan.name == "sync-list.jmx"


def test_further_properties_are_passed_on(project: Project) -> None:
    made = load.load_for(
        project,
        "async",
        "reserve",
        threads=1,
        loops=1,
        duration=None,
        ramp=0,
        port=1,
        properties={"fetch": "immediate"},
    )

    assert made.properties["fetch"] == "immediate"
    assert (made.plan.name, made.label) == ("async-reserve.jmx", "reserve")


def test_arrivals_make_it_an_open_loop(project: Project, tmp_path: Path) -> None:
    made = load.load_for(
        project,
        "sync",
        "list",
        threads=50,
        ramp=1,
        port=1,
        duration=11,
        arrivals=tmp_path / "arrivals.csv",
    )

    assert made.properties == {
        "threads": "50",
        "ramp": "1",
        "host": "127.0.0.1",
        "port": "1",
        "duration": "11",
        "arrivals": str(tmp_path / "arrivals.csv"),
        "sample_variables": "intended",
    }


def test_an_open_loop_is_counted_from_what_was_intended(tmp_path: Path) -> None:
    samples, arrivals = tmp_path / "samples.csv", tmp_path / "arrivals.csv"
    arrivals.write_text("70\n170\n270\n3070\n")
    rows = [
        row("list", at=1000, took=20) + ",1000",
        row("list", at=1111, took=20) + ",1100",
        row("list", at=1210, took=90) + ",1200",
    ]
    samples.write_text("\n".join([f'{HEADER},"intended"', *rows]) + "\n")

    seen = OperationCounter(samples, "list", arrivals).look()

    assert (seen.operations, seen.offered, seen.late) == (3, 3, 1)
    assert seen.first_ms == 1000
    assert seen.span_s == 0.3


def test_says_why_there_is_no_operation(tmp_path: Path) -> None:
    samples, log = tmp_path / "samples.csv", tmp_path / "jmeter.log"
    assert load.why_nothing(samples, log) == "no sample was recorded at all"

    log.write_text("1 INFO fine\n2 ERROR o.a.j.t.JMeterThread: File x must exist\n")
    assert "File x must exist" in load.why_nothing(samples, log)

    samples.write_text(f"{HEADER}\n{row('list request')}\n")
    assert load.why_nothing(samples, log).startswith("1 samples, but no operation ended")

    refused = row("unknown fetch", success=False, message="choose from: wait")
    samples.write_text(f"{HEADER}\n{refused}\n")
    assert (
        load.why_nothing(samples, log) == "sample 'unknown fetch' failed first: choose from: wait"
    )


def generator(*options: str) -> list[str]:
    return [sys.executable, str(HERE / "fake_generator.py"), *options]


@pytest.fixture
def small(tmp_path: Path) -> Load:
    plan = tmp_path / "sync-list.jmx"
    plan.write_text("<jmeterTestPlan/>")
    return Load(plan, {"threads": "2", "loops": "3"}, "list")


def test_runs_the_generator_and_accounts_for_it(tmp_path: Path, small: Load) -> None:
    seen: list[Seen] = []
    outcome = load.run(
        generator("--linger", "0.3"),
        small,
        tmp_path / "samples.csv",
        tmp_path / "jmeter.log",
        alone,
        seen.append,
    )

    assert outcome.exit_code == 0
    assert seen[-1].operations == 6
    assert outcome.duration_s >= 0.3
    assert outcome.duration_s == pytest.approx(
        (outcome.finished - outcome.started).total_seconds(), abs=0.2
    )
    assert 0 < outcome.cpu_s < outcome.duration_s + 1
    assert (tmp_path / "jmeter.out").read_text() == "started list\n"


def test_a_relative_folder_is_that_of_the_caller(
    tmp_path: Path, small: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    load.run(generator(), small, Path("run", "samples.csv"), Path("run", "jmeter.log"), alone)

    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == [
        "jmeter.out",
        "samples.csv",
    ]


def test_passes_on_the_exit_code(tmp_path: Path, small: Load) -> None:
    outcome = load.run(
        generator("--exit", "3"), small, tmp_path / "s.csv", tmp_path / "jmeter.log", alone
    )

    assert outcome.exit_code == 3


def test_an_interrupt_ends_the_generator(tmp_path: Path, small: Load) -> None:
    identities: list[ProcessId] = []

    @contextlib.contextmanager
    def noted(identity: ProcessId) -> Iterator[None]:
        identities.append(identity)
        yield

    def interrupt(_: Seen) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        load.run(
            generator("--linger", "60"),
            small,
            tmp_path / "samples.csv",
            tmp_path / "jmeter.log",
            noted,
            interrupt,
        )

    (one,) = identities
    assert one.find() is None


def test_a_missing_plan_is_told(tmp_path: Path) -> None:
    missing = Load(tmp_path / "sync-list.jmx", {}, "list")

    with pytest.raises(UserError, match=r"no plan .*sync-list\.jmx"):
        load.run(generator(), missing, tmp_path / "s.csv", tmp_path / "jmeter.log", alone)

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from testbed.deploy.building.jdk import Jdk
from testbed.deploy.programs import Interrupted
from testbed.measure import load
from testbed.measure.load import Generator, Load, share
from testbed.measure.samplefile import OperationCounter, Seen
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import HERE
from .fake_generator import HEADER


def row(label: str, *, success: bool = True, message: str = "", at: int = 0, took: int = 5) -> str:
    return (
        f"{at},{took},{label},200,OK,users 1-1,text,{str(success).lower()},{message},1,1,1,1,,1,0,1"
    )


def test_counts_operations_not_samples(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    rows = [row("warm-up list"), row("list request"), row("list fetch"), row("list")]
    rows.append(row("list", success=False))
    samples.write_text("\n".join([HEADER, *rows]) + "\n")

    seen = OperationCounter([samples], "list").look()

    assert (seen.operations, seen.failed) == (2, 1)


def test_counts_a_growing_file_once_and_only_complete_rows(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    counter = OperationCounter([samples], "list")
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

    seen = OperationCounter([samples], "list").look()

    assert (seen.operations, seen.failed) == (2, 1)


def test_the_span_is_from_first_start_to_last_end(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    rows = [row("list", at=2000, took=100), row("list", at=1000, took=3500), row("list", at=3000)]
    samples.write_text("\n".join([HEADER, *rows]) + "\n")

    assert OperationCounter([samples], "list").look().span_s == 3.5


def test_the_rate_is_not_that_of_a_burst_of_rows(tmp_path: Path) -> None:
    samples = tmp_path / "samples.csv"
    counter = OperationCounter([samples], "list")
    rows = [row("list", at=1000 * second) for second in range(10, 20)]
    samples.write_text("\n".join([HEADER, *rows]) + "\n")
    assert counter.look().rate == pytest.approx(10 / 9, rel=0.01)
    with samples.open("a") as file:
        file.write(row("list", at=21_000) + "\n")
    assert counter.look().rate == pytest.approx(0.5, rel=0.01)
    assert counter.look().rate == 0


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
        ports=(1,),
    )

    others = {"threads": "3", "ramp": "0", "host": "127.0.0.1", "port": "1"}
    assert made.properties == {**others, **expected}
    assert made.plan.name == "sync-list.jmx"


def test_instances_are_numbered_for_a_plan_that_asks_them_in_turn(project: Project) -> None:
    made = load.load_for(
        project, "cinema-direct", "reserve", threads=1, loops=1, ramp=0, ports=(8, 94, 95)
    )

    instances = {"instances": "3", "port.1": "8", "port.2": "94", "port.3": "95"}
    assert made.properties.items() > {"port": "8", **instances}.items()


def test_further_properties_are_passed_on(project: Project) -> None:
    made = load.load_for(
        project,
        "async",
        "reserve",
        threads=1,
        loops=1,
        duration=None,
        ramp=0,
        ports=(1,),
        host="192.0.2.7",
        properties={"fetch": "immediate"},
    )

    assert (made.properties["fetch"], made.properties["host"]) == ("immediate", "192.0.2.7")
    assert (made.plan.name, made.label) == ("async-reserve.jmx", "reserve")


def test_arrivals_make_it_an_open_loop(project: Project, tmp_path: Path) -> None:
    made = load.load_for(
        project,
        "sync",
        "list",
        threads=50,
        ramp=1,
        ports=(1,),
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


@pytest.mark.parametrize(("opened", "kept"), [(False, "asOf"), (True, "intended,asOf")])
def test_since_when_an_answer_is_so_is_kept_where_answers_say_it(
    project: Project, tmp_path: Path, opened: bool, kept: str
) -> None:
    arrivals = tmp_path / "arrivals.csv" if opened else None

    made = load.load_for(project, "feed", "rate", threads=1, ramp=0, ports=(1,), arrivals=arrivals)

    assert made.properties["sample_variables"] == kept


def test_an_open_loop_is_counted_from_what_was_intended(tmp_path: Path) -> None:
    samples, arrivals = tmp_path / "samples.csv", tmp_path / "arrivals.csv"
    arrivals.write_text("70\n170\n270\n3070\n")
    rows = [
        row("list", at=1000, took=20) + ",1000",
        row("list", at=1111, took=20) + ",1100",
        row("list", at=1210, took=90) + ",1200",
    ]
    samples.write_text("\n".join([f'{HEADER},"intended"', *rows]) + "\n")

    seen = OperationCounter([samples], "list", arrivals).look()

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

    refused = row("wrong property", success=False, message="choose from: wait")
    samples.write_text(f"{HEADER}\n{refused}\n")
    assert (
        load.why_nothing(samples, log)
        == "sample 'wrong property' failed first: choose from: wait (answer: 200 OK)"
    )

    # JMeter compares codes in five lines.
    refused = row("list", success=False, message='"code expected to equal /\n\n***\n/"')
    samples.write_text(f"{HEADER}\n{refused.replace('200,OK', '500,Error')}\n")
    assert (
        load.why_nothing(samples, log)
        == "sample 'list' failed first: code expected to equal / (answer: 500 Error)"
    )


def test_an_error_of_an_earlier_load_does_not_say_why(tmp_path: Path) -> None:
    samples, log = tmp_path / "samples.csv", tmp_path / "jmeter.log"
    begins = "3 INFO o.a.j.e.StandardJMeterEngine: Running the test!\n"
    earlier = f"{begins}4 ERROR o.a.j.t.JMeterThread: File x must exist\n"

    log.write_text(f"{earlier}{begins}")
    assert load.why_nothing(samples, log) == "no sample was recorded at all"

    log.write_text(f"{earlier}{begins}5 ERROR o.a.j.t.JMeterThread: File y must exist\n")
    assert "File y must exist" in load.why_nothing(samples, log)


def fake(*options: str) -> list[str]:
    return [sys.executable, str(HERE / "fake_generator.py"), *options]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.setattr(load, "WATCH_S", 0.1)
    plan = tmp_path / "sync-list.jmx"
    plan.write_text("<jmeterTestPlan/>")
    return Load(plan, {"threads": "2", "loops": "3"}, "list")


def test_one_generator_runs_load_after_load_and_accounts_for_each(
    tmp_path: Path, small: Load
) -> None:
    other = tmp_path / "sync-reserve.jmx"
    other.write_text("<jmeterTestPlan/>")
    more = Load(other, {"threads": "4", "loops": "5"}, "reserve")
    of_first, of_second = list[Seen](), list[Seen]()
    with Generator.started(fake("--linger", "0.3"), tmp_path / "jmeter.log") as generator:
        first = generator.run(small, tmp_path / "a.csv", of_first.append)
        before = generator._cpu_s(more)
        second = generator.run(more, tmp_path / "b.csv", of_second.append)
        used_s = generator._cpu_s(more) - before

    assert (first.samples, second.samples) == (6, 20)
    assert len(of_first) >= 2
    assert (of_first[-1].operations, of_second[-1].operations) == (6, 20)
    assert second.started >= first.finished
    for outcome in (first, second):
        assert outcome.duration_s >= 0.3
        assert outcome.duration_s == pytest.approx(
            (outcome.finished - outcome.started).total_seconds(), abs=0.2
        )
    # Of this load alone, whatever the start has cost.
    assert second.cpu_s == pytest.approx(used_s, abs=0.03)


def test_a_generator_ends_with_its_context(tmp_path: Path, small: Load) -> None:
    with Generator.started(fake(), tmp_path / "jmeter.log") as generator:
        assert generator.process.find() is not None
        generator.run(small, tmp_path / "samples.csv")

    assert generator.process.find() is None
    with pytest.raises(UserError, match=r"JMeter had ended before sync-list\.jmx"):
        generator.run(small, tmp_path / "more.csv")


def test_what_a_plan_is_told_arrives_as_it_is(tmp_path: Path, small: Load) -> None:
    arrivals = tmp_path / "a b=c:d#é\\n.csv"
    arrivals.write_text("0\n10\n20\n")
    opened = replace(small, properties={"arrivals": str(arrivals), "sample_variables": "intended"})
    with Generator.started(fake(), tmp_path / "jmeter.log") as generator:
        outcome = generator.run(opened, tmp_path / "samples.csv")

    assert outcome.samples == 3


def test_a_generator_works_in_a_folder_with_a_line_break(tmp_path: Path, small: Load) -> None:
    folder = tmp_path / "a\nb $(c)"
    folder.mkdir()
    with Generator.started(fake(), folder / "jmeter.log") as generator:
        assert generator.run(small, folder / "samples.csv").samples == 6


def test_a_relative_folder_is_that_of_the_caller(
    tmp_path: Path, small: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    with Generator.started(fake(), Path("jmeter.log")) as generator:
        generator.run(small, Path("run", "samples.csv"))

    assert [file.name for file in (tmp_path / "run").iterdir()] == ["samples.csv"]
    # Its own files are beside its log.
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "jmeter.log",
        "jmeter.out",
        "run",
        "sync-list.jmx",
    ]


def test_a_load_that_fails_is_told_and_the_next_one_runs(tmp_path: Path, small: Load) -> None:
    with Generator.started(fake("--fail", "no plan"), tmp_path / "jmeter.log") as generator:
        for _ in range(2):
            with pytest.raises(UserError) as error:
                generator.run(small, tmp_path / "samples.csv")

    assert "JMeter failed on sync-list.jmx: no plan; the end of" in str(error.value)
    assert f"Running {small.plan}" in str(error.value)


def test_a_generator_that_dies_in_the_middle_is_told(tmp_path: Path, small: Load) -> None:
    with (
        pytest.raises(UserError) as error,
        Generator.started(fake("--exit", "1"), tmp_path / "jmeter.log") as generator,
    ):
        generator.run(small, tmp_path / "samples.csv")

    assert "JMeter ended in the middle of sync-list.jmx" in str(error.value)
    assert f"Running {small.plan}" in str(error.value)


def test_a_generator_that_does_not_start_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match=r"(?s)JMeter did not start.*no such flag"),
        Generator.started(fake("--start", "no such flag"), tmp_path / "jmeter.log"),
    ):
        pass


def test_an_interrupt_ends_the_generator(tmp_path: Path, small: Load) -> None:
    def interrupt(_: Seen) -> None:
        raise Interrupted

    with (
        pytest.raises(Interrupted),
        Generator.started(fake("--linger", "60"), tmp_path / "jmeter.log") as generator,
    ):
        generator.run(small, tmp_path / "samples.csv", interrupt)

    assert generator.process.find() is None


def test_a_load_that_nobody_waits_for_any_more_does_not_go_on(tmp_path: Path, small: Load) -> None:
    def fail(_: Seen) -> None:
        raise UserError("seen enough")

    with Generator.started(fake("--linger", "60"), tmp_path / "jmeter.log") as generator:
        with pytest.raises(UserError, match="seen enough"):
            generator.run(small, tmp_path / "samples.csv", fail)
        assert generator.process.find() is None


def test_shares_of_generators_make_up_the_whole_load() -> None:
    whole = {"threads": "10", "host": "127.0.0.1", "loops": "7"}

    shares = [share(whole, index, 4, 1234) for index in range(4)]

    assert [part["threads"] for part in shares] == ["3", "3", "2", "2"]
    assert [part["generator"] for part in shares] == ["-1", "-2", "-3", "-4"]
    others = {"host": "127.0.0.1", "loops": "7", "begin": "1234"}
    assert all(others.items() <= part.items() for part in shares)
    assert "choices" not in shares[0]
    choosing = [share({**whole, "choices": "5"}, index, 4, 1234) for index in range(4)]
    assert [int(each["choices"]) for each in choosing] == [5 + index * 10**13 for index in range(4)]


def test_generators_put_one_load_on_together(
    tmp_path: Path, small: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "BEGIN_S", 0)
    three = replace(small, properties={"threads": "3", "loops": "2"})
    seen = list[Seen]()
    with load.several(fake("--linger", "0.3"), tmp_path / "generator.log", 2) as generators:
        outcome = load.together(generators, three, tmp_path / "samples.csv", seen.append)
        # A generator is at hand alone too.
        alone = load.together(generators[:1], three, tmp_path / "alone.csv")

    parts = [(part.file.name, part.threads, part.samples) for part in outcome.parts]
    assert parts == [("samples-1.csv", 2, 4), ("samples-2.csv", 1, 2)]
    assert (outcome.samples, outcome.seen.operations, seen[-1]) == (6, 6, outcome.seen)
    # From one moment on, not one after the other.
    assert outcome.seen.span_s < 0.1
    assert outcome.cpu_s == pytest.approx(sum(part.cpu_s for part in outcome.parts))
    assert [(part.file.name, part.threads, part.samples) for part in alone.parts] == [
        ("alone.csv", 3, 6)
    ]
    assert [generator.log.name for generator in generators] == ["generator.log", "generator-2.log"]
    assert [generator.process.find() for generator in generators] == [None, None]


def test_arrivals_of_generators_are_together_those_of_the_plan(tmp_path: Path, small: Load) -> None:
    arrivals = tmp_path / "arrivals.csv"
    arrivals.write_text("5\n10\n20\n20\n40\n")
    given = {"threads": "9", "arrivals": str(arrivals), "sample_variables": "intended"}
    opened = replace(small, properties=given, arrivals=arrivals)
    with load.several(fake(), tmp_path / "generator.log", 2) as generators:
        outcome = load.together(generators, opened, tmp_path / "samples.csv")

    assert (tmp_path / "arrivals-1.csv").read_text() == "5\n20\n40\n"
    assert (tmp_path / "arrivals-2.csv").read_text() == "10\n20\n"
    rows = [row for part in outcome.parts for row in part.file.read_text().splitlines()[1:]]
    intended = sorted(int(row.rpartition(",")[2]) for row in rows)
    # One moment is time 0 of both.
    assert [moment - intended[0] for moment in intended] == [0, 5, 15, 15, 35]
    assert (outcome.seen.operations, outcome.seen.offered) == (5, 5)


def test_an_interrupt_ends_all_generators(tmp_path: Path, small: Load) -> None:
    def interrupt(_: Seen) -> None:
        raise Interrupted

    with load.several(fake("--linger", "60"), tmp_path / "generator.log", 2) as generators:
        with pytest.raises(Interrupted):
            load.together(generators, small, tmp_path / "samples.csv", interrupt)
        assert [generator.process.find() for generator in generators] == [None, None]


def test_a_missing_plan_is_told(tmp_path: Path) -> None:
    missing = Load(tmp_path / "sync-list.jmx", {}, "list")

    with (
        pytest.raises(UserError, match=r"no plan .*sync-list\.jmx"),
        Generator.started(fake(), tmp_path / "jmeter.log") as generator,
    ):
        generator.run(missing, tmp_path / "s.csv")


def test_the_command_needs_the_module_to_be_built(project: Project) -> None:
    java = Jdk(Path("/jvm"), "17.0.15", compiler=False)
    with pytest.raises(UserError, match=r"not built: .*load-generator"):
        load.generator_command(project, java)

    project.jar(load.MODULE).parent.mkdir(parents=True)
    project.jar(load.MODULE).touch()
    command = load.generator_command(project, java)

    assert command[0] == "/jvm/bin/java"
    assert set(load.GENERATOR_FLAGS) < set(command)
    assert command[-1] == str(project.jmeter_home)

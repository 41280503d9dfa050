"""The generator runs plan after plan in one JMeter, each as if JMeter had been started for it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from testbed.analysis.results import run_of
from testbed.analysis.samples import measure
from testbed.analysis.verdicts import Verdict, judge
from testbed.measure.load import BEGIN_S, Generator, Load, together
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import RunPlan, rows_of
from .fake_product import FakeProduct
from .test_open_loop import arrivals_file, opened


def load(plan: str, product: FakeProduct, **properties: object) -> Load:
    variant, _, workload = plan.partition("-")
    given = {"port": product.port, "ramp": 0, **properties}
    texts = {name: str(value) for name, value in given.items()}
    return Load(Project.find().plan(variant, workload), texts, workload)


def test_a_load_is_as_if_it_were_the_first(
    generator: Generator, run_plan: RunPlan, tmp_path: Path
) -> None:
    file = arrivals_file(tmp_path, [20 * number for number in range(25)])
    properties = opened(file, threads=5, fetch="immediate", pause=20)
    with FakeProduct("async") as product:
        first = load("async-reserve", product, **properties)
        first_outcome = generator.run(first, tmp_path / "one.csv")
    with FakeProduct("async") as product:
        second = load("async-list", product, threads=3, loops=4)
        two = generator.run(second, tmp_path / "two.csv")
        asked = [request.headers.get("prefer") for request in product.requests]
    with FakeProduct("async") as product:
        three = generator.run(load("async-reserve", product, **properties), tmp_path / "three.csv")
    alone = run_plan("async-list", (), {"threads": 1, "ramp": 0, "loops": 1}, stock=True)

    rows = [rows_of(tmp_path / f"{name}.csv") for name in ("one", "two", "three")]
    assert [len(some) for some in rows] == [25 * 3, 3 * 4 * 3, 25 * 3]
    assert [first_outcome.samples, two.samples, three.samples] == [len(some) for some in rows]
    assert all(row["success"] == "true" for some in rows for row in some)
    # Neither the way to fetch nor the further column is left over.
    assert "wait=10" in asked
    assert list(rows[1][0]) == list(alone.rows[0])
    assert list(rows[0][0]) == list(rows[2][0]) == [*alone.rows[0], "intended"]
    # Numbered from one again.
    assert {row["threadName"] for row in rows[1]} == {f"users 1-{number}" for number in (1, 2, 3)}


def test_two_generators_put_one_load_on_together(
    generator: Generator, generator_command: list[str], tmp_path: Path
) -> None:
    planned = [10 * number for number in range(60)]
    file = arrivals_file(tmp_path, planned)
    with (
        Generator.started(generator_command, tmp_path / "second.log") as second,
        FakeProduct("sync") as product,
    ):
        both = [generator, second]
        closed_load = load("sync-reserve", product, threads=3, duration=2)
        closed = together(both, closed_load, tmp_path / "closed.csv")
        emails = [json.loads(request.body)["clientEmail"] for request in product.requests]
        open_load = load("sync-reserve", product, **opened(file, threads=6))
        open_ = together(both, replace(open_load, arrivals=file), tmp_path / "open.csv")

    of_closed, of_open = (
        [rows_of(part.file) for part in outcome.parts] for outcome in (closed, open_)
    )
    assert all(row["success"] == "true" for rows in (*of_closed, *of_open) for row in rows)
    assert [{row["threadName"] for row in rows} for rows in of_closed] == [
        {"users 1-1", "users 1-2"},
        {"users 1-1"},
    ]
    # No two reservations are alike.
    assert len(set(emails)) == len(emails) == closed.samples
    # JMeter's clock was seen to be adjusted by up to 100 ms.
    begun = closed.started.timestamp() * 1000 + 1000 * BEGIN_S - 100
    assert all(int(row["timeStamp"]) >= begun for rows in of_closed for row in rows)
    assert [len(rows) for rows in of_open] == [30, 30]
    intended = sorted(int(row["intended"]) for rows in of_open for row in rows)
    assert [moment - intended[0] for moment in intended] == planned


def test_a_generator_that_waits_for_a_processor_makes_a_run_invalid_and_is_named(
    generator: Generator, generator_command: list[str], tmp_path: Path
) -> None:
    with (
        Generator.started(generator_command, tmp_path / "second.log") as second,
        FakeProduct("sync") as product,
    ):
        load_ = load("sync-list", product, threads=4, duration=5)

        def measured(name: str) -> Verdict:
            outcome = together([generator, second], load_, tmp_path / f"{name}.csv")
            shares = [{**asdict(part), "file": part.file.name} for part in outcome.parts]
            cell = {"variant": "sync", "workload": "list", "preset": "tuned", "threads": 4}
            block = {"file": f"{name}.csv", "samples": outcome.samples, "generators": shares}
            return judge(measure(run_of(tmp_path, {**cell, "blocks": [block]})), {})

        # A generator that has just started is not like one that is warm; nor, for a moment, are two
        # on a busy machine, where other checks of so short a load may fail too.
        well = any(alike(measured(f"well-{attempt}")) for attempt in range(5))
        with starved(second):
            starved_ = measured("starved")

    assert well
    assert starved_.status == "invalid"
    assert "generators alike: operations of generator 2 take" in str(starved_)


def alike(verdict: Verdict) -> bool:
    (check,) = (check for check in verdict.checks if check.name == "generators alike")
    return check.outcome == "passed"


@contextlib.contextmanager
def starved(generator: Generator) -> Iterator[None]:
    """Let a generator run for a tenth of the time."""
    done = threading.Event()

    def hold() -> None:
        while not done.wait(0.01):
            os.kill(generator.process.pid, signal.SIGSTOP)
            done.wait(0.09)
            os.kill(generator.process.pid, signal.SIGCONT)

    holding = threading.Thread(target=hold)
    holding.start()
    try:
        yield
    finally:
        done.set()
        holding.join()


def test_what_a_load_has_used_is_its_own(generator: Generator, tmp_path: Path) -> None:
    with FakeProduct("sync") as product:
        long = generator.run(
            load("sync-list", product, threads=5, duration=3), tmp_path / "long.csv"
        )
        short = generator.run(
            load("sync-list", product, threads=1, loops=1), tmp_path / "short.csv"
        )

    assert short.samples == 1
    assert short.cpu_s < long.cpu_s


def test_a_plan_that_cannot_be_run_is_told_and_the_next_one_runs(
    generator: Generator, tmp_path: Path
) -> None:
    broken = tmp_path / "sync-list.jmx"
    broken.write_text("<jmeterTestPlan><hashTree>")
    with pytest.raises(UserError) as error:
        generator.run(Load(broken, {}, "list"), tmp_path / "samples.csv")
    # The error and what JMeter logged of it.
    assert "JMeter failed on sync-list.jmx" in str(error.value)
    assert "the end of" in str(error.value)
    assert "\tat " in str(error.value)

    with FakeProduct("sync") as product:
        outcome = generator.run(
            load("sync-list", product, threads=1, loops=2), tmp_path / "after.csv"
        )
    assert outcome.samples == 2


def test_a_plan_that_stops_itself_does_not_stop_the_generator(
    generator: Generator, tmp_path: Path
) -> None:
    with FakeProduct("async") as product:
        refused = generator.run(
            load("async-list", product, fetch="guess"), tmp_path / "refused.csv"
        )
        after = generator.run(
            load("async-list", product, threads=2, loops=2), tmp_path / "after.csv"
        )

    assert refused.samples == 1
    (row,) = rows_of(tmp_path / "refused.csv")
    assert row["label"] == "wrong property"
    assert after.samples == 2 * 2 * 3


def test_the_end_of_its_input_ends_it_in_the_middle_of_a_load(
    generator_command: list[str], tmp_path: Path
) -> None:
    samples, command = tmp_path / "samples.csv", tmp_path / "command.properties"
    plan = Project.find().plan("sync", "list")
    with (
        FakeProduct("sync") as product,
        subprocess.Popen(
            [*generator_command, str(tmp_path / "jmeter.log")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as jvm,
    ):
        try:
            assert jvm.stdin is not None
            assert jvm.stdout is not None
            assert jvm.stdout.readline() == "ready\n"
            command.write_text(
                f"plan={plan}\nsamples={samples}\nproperty.loops=-1\nproperty.port={product.port}\n"
            )
            jvm.stdin.write(f"{command}\n")
            jvm.stdin.flush()
            deadline = time.monotonic() + 60
            while len(product.requests) < 100 and time.monotonic() < deadline:
                time.sleep(0.05)
            jvm.stdin.close()
            assert jvm.wait(60) == 0
            assert jvm.stdout.read() == ""
        finally:
            jvm.kill()
        assert len(product.requests) >= 100
    # What had ended is in the file, and the last row is whole.
    rows = rows_of(samples)
    assert rows
    assert all(row["Connect"] for row in rows)
    assert samples.read_text().endswith("\n")

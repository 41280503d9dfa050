from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from testbed.experiment.runs import CLOSED, OPEN, Level, Run
from testbed.watch import live
from testbed.watch.live import Exporter

from .fake_generator import HEADER


def row(
    label: str,
    *,
    at: int = 1000,
    took: int = 5,
    success: bool = True,
    threads: int = 4,
    intended: int | None = None,
) -> str:
    cells = f"{at},{took},{label},200,OK,users 1-1,text,{str(success).lower()},,1,1,1,{threads}"
    return f"{cells},,1,0,1" + ("" if intended is None else f",{intended}")


def write(file: Path, *rows: str, header: str = HEADER) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in (header, *rows)))


def add(file: Path, text: str) -> None:
    with file.open("a") as opened:
        opened.write(text)


def values(text: str) -> dict[str, float]:
    """Return the value of each series of an exposition, but for the exporter's own."""
    lines = (line for line in text.splitlines() if not line.startswith(("#", "process_")))
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def shown(exporter: Exporter) -> str:
    """Return what is shown when Prometheus asks once more: the first time a counter is 0."""
    exporter.text()
    return exporter.text()


def ended(text: str, outcome: str = "success", labels: str = 'workload="list"') -> float:
    return values(text)[f'jmeter_operations_total{{{labels},outcome="{outcome}"}}']


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_counts_operations_not_their_parts_by_outcome(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    rows = [row("list request"), row("list fetch"), row("list"), row("list", success=False)]
    write(tmp_path / "results.csv", *rows)

    text = shown(exporter)

    assert (ended(text), ended(text, "failure")) == (1, 1)
    assert values(text)['jmeter_operations_offered_total{workload="list"}'] == 2
    assert "request" not in text


def test_response_times_of_successes_are_counted_in_buckets(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    took = (1, 2, 50, 51, 20_000)
    failed = row("list", took=9, success=False)
    write(tmp_path / "results.csv", *(row("list", took=took_ms) for took_ms in took), failed)

    metrics = values(shown(exporter))

    def bucket(bound: str) -> float:
        return metrics[f'jmeter_operation_duration_seconds_bucket{{workload="list",le="{bound}"}}']

    bounds = ("0.001", "0.002", "0.03", "0.05", "0.07", "15", "+Inf")
    assert [bucket(bound) for bound in bounds] == [1, 2, 2, 3, 4, 4, 5]
    assert metrics['jmeter_operation_duration_seconds_count{workload="list"}'] == 5
    assert metrics['jmeter_operation_duration_seconds_sum{workload="list"}'] == 20.104


def test_a_counter_begins_with_0_so_that_prometheus_sees_it_rise(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    write(tmp_path / "results.csv", row("list"), row("list", success=False))

    first, second = values(exporter.text()), values(exporter.text())

    active = 'jmeter_active_threads{workload="list"}'
    assert first.pop(active) == second[active] == 4
    assert set(first.values()) == {0}
    assert first.keys() <= second.keys()
    assert second['jmeter_operations_offered_total{workload="list"}'] == 2


def test_counts_go_on_while_files_grow_and_from_one_file_to_the_next(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    first = tmp_path / "first.csv"
    write(first, row("list"))
    assert ended(shown(exporter)) == 1

    line = row("list")
    add(first, line[:20])
    assert ended(shown(exporter)) == 1
    add(first, f"{line[20:]}\n")
    write(tmp_path / "second.csv", row("list"))
    assert ended(shown(exporter)) == 3
    assert ended(shown(exporter)) == 3


def test_counts_only_what_is_added_to_a_file_that_was_there(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    line = row("list")
    write(file, line, line)
    add(file, line[:20])
    exporter = Exporter(tmp_path)
    assert values(shown(exporter)) == {}

    # The end of a row that began before tells nothing.
    add(file, f"{line[20:]}\n{line}\n")

    assert ended(shown(exporter)) == 1


def test_a_file_that_is_written_anew_is_counted_anew(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    file = tmp_path / "results.csv"
    write(file, row("list"), row("list"))
    shown(exporter)

    write(file, row("list"))

    assert ended(shown(exporter)) == 3


def test_active_threads_are_those_of_the_latest_row_until_there_is_no_news(tmp_path: Path) -> None:
    clock = Clock()
    exporter = Exporter(tmp_path, clock)
    file = tmp_path / "results.csv"
    write(file, row("list", threads=3), row("list", threads=10))
    active = 'jmeter_active_threads{workload="list"}'

    assert values(shown(exporter))[active] == 10
    clock.now = live.QUIET_S - 1
    assert values(shown(exporter))[active] == 10
    clock.now = live.QUIET_S
    assert values(shown(exporter))[active] == 0
    add(file, row("list", threads=7) + "\n")
    assert values(shown(exporter))[active] == 7


RUN = Run("sync-left", "sync", "tuned", "list", Level(CLOSED, 100, 100), 2)


@pytest.mark.parametrize(
    ("level", "label"),
    [
        (Level(CLOSED, 100, 100), "100 threads"),
        (Level(CLOSED, 1, 1), "1 thread"),
        (Level(CLOSED, 10, 10, cpus=0.75), "10 threads"),
        (Level(OPEN, 50, 200), "50/s"),
        (Level(OPEN, 62.5, 200), "62.5/s"),
        (Level(OPEN, 112.5, 200, changing=True), "schedule"),
    ],
)
def test_runs_of_an_experiment_tell_their_level(tmp_path: Path, level: Level, label: str) -> None:
    exporter = Exporter(tmp_path)
    run = replace(RUN, level=level)
    write(tmp_path / "mine" / "runs" / f"{run.id}.partial" / "samples.csv", row("list"))

    assert ended(shown(exporter), labels=f'workload="list",level="{label}"') == 1


def test_warm_ups_are_told_from_runs(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    write(tmp_path / "mine" / "warmup" / "sync-list-1.partial" / "samples.csv", row("list"))

    assert ended(shown(exporter), labels='workload="list",level="warm-up"') == 1


def test_an_open_loop_is_counted_from_what_was_intended(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    folder = tmp_path / "mine" / "runs" / "sync-list-0010-per-s-1.partial"
    write(
        folder / "samples.csv",
        row("list", at=1000, took=20, intended=1000),
        row("list", at=1400, took=20, intended=1100),
        header=f"{HEADER},intended",
    )
    (folder / "arrivals.csv").write_text("70\n170\n270\n3070\n")

    metrics = values(shown(exporter))

    labels = 'workload="list",level="10/s"'
    assert metrics[f"jmeter_operation_duration_seconds_sum{{{labels}}}"] == 0.34
    # Due by 1420 are those at 1000, 1100 and 1200.
    assert metrics[f"jmeter_operations_offered_total{{{labels}}}"] == 3
    add(folder / "samples.csv", row("list", at=4000, took=10, intended=4000) + "\n")
    assert values(shown(exporter))[f"jmeter_operations_offered_total{{{labels}}}"] == 4


def test_what_an_open_loop_offers_is_unknown_without_its_arrivals(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    write(tmp_path / "results.csv", row("list", intended=900), header=f"{HEADER},intended")

    text = shown(exporter)

    assert ended(text) == 1
    assert "offered_total{" not in text


def test_several_generators_are_counted_together(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    folder = tmp_path / "mine" / "runs" / "sync-list-0010-per-s-1.partial"
    for number, took, arrivals in ((1, 300, "0\n200\n"), (2, 5, "100\n5000\n")):
        operation = row("list", at=1000, took=took, intended=1000)
        write(folder / f"samples-{number}.csv", operation, header=f"{HEADER},intended")
        (folder / f"arrivals-{number}.csv").write_text(arrivals)

    metrics = values(shown(exporter))

    labels = 'workload="list",level="10/s"'
    assert metrics[f'jmeter_operations_total{{{labels},outcome="success"}}'] == 2
    # What was due of each generator's own arrivals.
    assert metrics[f"jmeter_operations_offered_total{{{labels}}}"] == 3


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path)
    write(tmp_path / "notes.csv", "1,2", header="a,b")
    (tmp_path / "empty.csv").touch()
    write(tmp_path / "mine" / "runs" / "finished" / "samples.csv", row("list"))
    assert values(shown(exporter)) == {}

    write(tmp_path / "results.csv", row("list"))
    add(tmp_path / "notes.csv", "3,4\n")

    assert ended(shown(exporter)) == 1


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    server = live.serve(Exporter(tmp_path), "127.0.0.1", 0)
    worker = threading.Thread(target=server.serve_forever)
    worker.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    worker.join()
    server.server_close()


def test_answers_prometheus_and_nobody_else(served: str, tmp_path: Path) -> None:
    write(tmp_path / "results.csv", row("list"))

    httpx.get(f"{served}/metrics", timeout=60)
    answer = httpx.get(f"{served}/metrics", timeout=60)

    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert ended(answer.text) == 1
    assert re.search(r"^process_cpu_seconds_total \d+\.\d+$", answer.text, re.MULTILINE)
    assert httpx.get(f"{served}/results.csv", timeout=60).status_code == 404


def test_needs_no_package_and_names_a_missing_folder(tmp_path: Path) -> None:
    package = Path(live.__file__).parents[2]
    # -S: without what is installed.
    command = [sys.executable, "-S", "-m", "testbed.watch.live", str(tmp_path / "none")]

    done = subprocess.run(
        command, env={"PYTHONPATH": str(package)}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr.endswith(f"no folder {tmp_path / 'none'}\n")

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from testbed.experiment.parts import Warmup
from testbed.measure import warming
from testbed.measure.warming import Window, compilers_s, has_time, is_warm, write


def windows(*goodput: float, workload: str = "list", compiling: float | None = 0.0) -> list[Window]:
    return [
        Window("sync", workload, 20.0 + 5 * place, 5.0, rate, 0, compiling)
        for place, rate in enumerate(goodput)
    ]


@pytest.mark.parametrize(
    ("goodput", "warm"),
    [
        ((900, 905, 910), False),
        ((100, 400, 700, 900), False),
        ((400, 700, 900, 960, 1010, 1070), False),
        ((100, 400, 900, 940), True),
        ((900, 700, 800, 950), False),
        ((900, 860, 840, 820), True),
    ],
)
def test_a_system_is_warm_when_its_goodput_rises_no_more(
    goodput: tuple[float, ...], warm: bool
) -> None:
    assert is_warm(windows(*goodput), ["list"]) is warm


def test_every_workload_must_have_settled() -> None:
    settled, rising = windows(*[900] * 4), windows(100, 200, 300, 400, workload="reserve")

    assert not is_warm(settled, ["list", "reserve"])
    assert not is_warm([*settled, *rising], ["list", "reserve"])
    assert is_warm([*settled, *windows(*[50] * 4, workload="reserve")], ["list", "reserve"])


def test_busy_compilers_are_not_warm() -> None:
    assert not is_warm(windows(*[900] * 4, compiling=0.2), ["list"])
    uneven = windows(900, 900, 900, compiling=0.04)
    assert is_warm([*uneven, *windows(900, compiling=0.14)], ["list"])
    assert not is_warm([*uneven, *windows(900, compiling=0.18)], ["list"])
    assert is_warm(windows(*[900] * 4, compiling=None), ["list"])


def test_a_warm_up_ends_when_its_time_is_up() -> None:
    rule = Warmup(at_most=30)

    assert has_time([16, 7], rule)
    assert not has_time([16, 8], rule)


@pytest.mark.parametrize(
    ("readings", "looks"),
    [
        ([0, 1, 2, 2.001], 4),
        ([0, 0.11, 0.2], 3),
        ([5, 5], 2),
        ([None], 1),
        ([1, None], 2),
        (range(100), 30),
    ],
)
def test_the_compilers_are_waited_for(
    readings: Sequence[float | None], looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, clock = iter(readings), itertools.count(0, warming.QUIET_S)
    # Quiet is less than 0.1 s in half a second.
    monkeypatch.setattr(warming, "usable_cpus", lambda: 2)
    monkeypatch.setattr(warming, "compilers_s", lambda _: next(left))
    monkeypatch.setattr(warming.time, "sleep", lambda _: None)
    monkeypatch.setattr(warming.time, "monotonic", lambda: next(clock))

    warming.await_quiet([1])

    assert len(readings) - len(list(left)) == looks


def test_compilers_are_read_from_the_threads_of_all_processes(tmp_path: Path) -> None:
    tick = os.sysconf("SC_CLK_TCK")

    def thread(pid: int, number: int, name: str, user: int, system: int) -> None:
        folder = tmp_path / str(pid) / "task" / str(number)
        folder.mkdir(parents=True)
        (folder / "comm").write_text(f"{name}\n")
        times = f"{user * tick} {system * tick}"
        (folder / "stat").write_text(f"{number} ({name[:3]}) x) S 1 1 1 0 -1 0 0 0 0 0 {times} 0 0")

    thread(1, 1, "java", 100, 100)
    thread(1, 2, "C2 CompilerThre", 3, 1)
    thread(1, 3, "C1 CompilerThre", 1, 0)
    thread(7, 8, "C2 CompilerThre", 2, 0)

    assert compilers_s([1, 7, 99], tmp_path) == 7.0
    assert compilers_s([99], tmp_path) is None


def test_windows_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", windows(100, 200))

    with (tmp_path / "1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["ok_per_s"] for row in rows] == ["100.0", "200.0"]
    assert [row["age_s"] for row in rows] == ["20.0", "25.0"]

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from testbed.experiment.parts import Warmup
from testbed.measure import warming
from testbed.measure.warming import Window, cold, compilers_s, given_up, has_time, lacks, write
from testbed.model.project import Project

HERE = Path(__file__).parent


OPERATIONS = 20_000
"""What the rule demands here; a stretch has 2,000."""


def windows(*goodput: float, workload: str = "list", **figures: float | None) -> list[Window]:
    """Return windows of 5 s, with the goodput of each."""
    return [
        Window("sync", workload, 20.0 + 5 * place, 5.0, rate, 0, **figures)
        for place, rate in enumerate(goodput)
    ]


def read(file: Path) -> list[Window]:
    """Read windows as `write` writes them; files from before lack columns."""

    def number(text: str | None) -> float | None:
        return float(text) if text else None

    with file.open(newline="", encoding="utf-8") as rows:
        return [
            Window(
                row["system"],
                row["workload"],
                *(float(row[name]) for name in ("age_s", "seconds", "ok_per_s")),
                int(row["failed"]),
                *(number(row.get(name)) for name in ("compiling", "cpu_s", "others", "requests")),
            )
            for row in csv.DictReader(rows)
        ]


def lack(*of: Window) -> str | None:
    return lacks(of, ["list"], OPERATIONS).get("list")


@pytest.mark.parametrize(
    ("goodput", "reason"),
    [
        ((900, 905, 910), "13,575 of 20,000 operations"),
        ((100, 400, 700, 900), "10,500 of 20,000 operations"),
        ((400, 700, 900, 960, 1010, 1070), "its goodput rises"),
        ((1100, 1400, 1900, 1940), "its goodput rises"),
        ((1100, 1400, 1900, 1940, 1900, 1960), None),
        # The machine was fast for a moment, and then again.
        ((1500, 1520, 1480, 1750), None),
        ((1500, 1520, 1900, 1900), "its goodput rises"),
        ((1900, 1700, 1800, 1950), None),
        ((900, 860, 840, 820, 810), None),
        # Enough, but nothing to compare it with.
        ((3000, 3000), "too few windows"),
    ],
)
def test_a_system_is_warm_when_it_has_done_enough_and_its_goodput_rises_no_more(
    goodput: tuple[float, ...], reason: str | None
) -> None:
    assert lack(*windows(*goodput)) == reason


def test_windows_of_a_slow_machine_are_joined_until_they_have_enough_operations() -> None:
    # 1,000 operations each: two make a stretch. The later of each two is slower.
    slow = windows(*[220, 180] * 10)

    assert lack(*slow) is None
    assert lack(*slow[:-1]) == "19,100 of 20,000 operations"
    assert lack(*slow, *windows(300, 180, 300, 180)) == "its goodput rises"


def test_every_workload_must_have_settled() -> None:
    settled, rising = windows(*[1900] * 4), windows(1000, 1200, 1300, 1500, workload="reserve")
    both = ["list", "reserve"]

    assert lacks(settled, both, OPERATIONS) == {"reserve": "0 of 20,000 operations"}
    assert lacks([*settled, *rising], both, OPERATIONS) == {"reserve": "its goodput rises"}
    assert lacks([*settled, *windows(*[999] * 5, workload="reserve")], both, OPERATIONS) == {}


def test_busy_compilers_are_not_warm() -> None:
    assert lack(*windows(*[1900] * 4, compiling=0.2)) == "its compilers use 20.0 % of the machine"
    uneven = windows(1900, 1900, 1900, compiling=0.04)
    assert lack(*uneven, *windows(1900, compiling=0.14)) is None
    assert lack(*uneven, *windows(1900, compiling=0.18)) is not None
    assert lack(*windows(*[1900] * 4, compiling=None)) is None


def test_a_falling_cost_is_not_warm_although_other_programs_hide_it_in_goodput() -> None:
    def costing(*cpu_s: float) -> list[Window]:
        return [*itertools.chain.from_iterable(windows(1500, cpu_s=spent_s) for spent_s in cpu_s)]

    assert lack(*costing(9, 9, 7, 7)) == "its CPU time per operation falls"
    assert lack(*costing(9, 9, 8.5, 8.5)) is None
    assert lack(*costing(7, 7, 9, 9)) is None
    # Ticks of the clock, not work.
    assert lack(*costing(0.09, 0.09, 0.01, 0.01)) is None
    # Unknown in a window: then goodput decides.
    assert lack(*costing(9, 9, 7), *windows(1500)) is None


def test_a_disturbed_window_counts_as_work_but_shows_nothing() -> None:
    quiet, busy = {"others": 0.1}, {"others": 0.5}

    assert lack(*windows(1900, 1900, **busy), *windows(1900, 1900, **quiet)) == (
        "other programs disturbed it"
    )
    assert lack(*windows(1900, **busy), *windows(*[1900] * 4, **quiet)) is None
    # Goodput seems to rise when they have ended, and not to rise while they begin.
    assert lack(*windows(900, 900, 900, **busy), *windows(*[1900] * 4, **quiet)) is None
    rising = windows(1000, 1300, 1600, 1900, **quiet)
    assert lack(*rising, *windows(1000, **busy)) == "its goodput rises"


def test_a_workload_goes_on_while_the_compilers_work_for_another() -> None:
    both = ["list", "reserve"]
    # Cheap reservations have had enough, and what is compiled for lists shows in their windows.
    reserved = windows(*[2000] * 16, workload="reserve", compiling=0.14)
    listed = windows(*[1000] * 5, compiling=0.14)
    assert given_up(reserved, "reserve", OPERATIONS)
    assert cold([*listed, *reserved], both, OPERATIONS) == both

    settled = windows(*[1000] * 9, compiling=0.02)
    assert cold([*settled, *reserved], both, OPERATIONS) == []
    quiet = windows(*[2000] * 3, workload="reserve", compiling=0.02)
    assert cold([*settled, *reserved, *quiet], both, OPERATIONS) == []
    assert lacks([*settled, *reserved, *quiet], both, OPERATIONS) == {}


def test_the_work_of_sessions_is_their_requests() -> None:
    # 28 of a reader and 4 of a writer: by sessions, writers would have had enough at once.
    writers = windows(*[390] * 10, workload="write", requests=7_800)
    readers = windows(*[80] * 3, workload="read", requests=11_200)
    assert lacks([*writers, *readers], ["write", "read"], OPERATIONS) == {"read": "too few windows"}
    assert not given_up(windows(*[8_000] * 20, requests=7_800), "list", OPERATIONS)
    assert lack(*windows(390, requests=7_800)) == "7,800 of 20,000 requests"
    # Long ones: many requests, and none has ended yet.
    assert lack(*windows(0, 0, 0, 0, requests=9_000, cpu_s=5.0)) is None


def test_a_warm_up_gives_up_after_operations_not_after_a_time() -> None:
    slow = windows(*[100] * 100)
    assert not given_up(slow, "list", OPERATIONS)
    assert given_up(windows(*[2000] * 16), "list", OPERATIONS)
    assert not given_up(windows(*[2000] * 15), "list", OPERATIONS)
    assert not given_up(windows(*[2000] * 16, workload="reserve"), "list", OPERATIONS)
    assert given_up(windows(*[2000] * 4, others=0.5), "list", OPERATIONS)
    assert not given_up(windows(*[2000] * 3, others=0.5), "list", OPERATIONS)


DEMANDED = Warmup().operations


@pytest.mark.parametrize("system", ["sync", "async"])
def test_a_busy_machine_on_which_little_was_done_is_never_warm(system: str) -> None:
    """Windows beside other programs; by seconds and goodput alone, both were warm at 496 s."""
    own = [
        window for window in read(HERE / "warmup-on-a-busy-machine.csv") if window.system == system
    ]

    for length in range(1, len(own) + 1):
        for workload in ("list", "reserve"):
            assert workload in lacks(own[:length], ["list", "reserve"], DEMANDED)


def cold_starts() -> list[tuple[str, list[Window]]]:
    """Return the published starts under a load of lists, in windows of 5 s."""
    file = Project.find().root / "analysis/published/cold-starts/cold-starts.csv"
    with file.open(newline="", encoding="utf-8") as rows:
        return [
            (
                f"{row['variant']}-{row['build']}-{row['round']}",
                windows(*(float(row[f"{at}s"]) for at in range(0, 120, 5))),
            )
            for row in csv.DictReader(rows)
        ]


@pytest.mark.parametrize(("name", "own"), cold_starts())
def test_published_starts_become_warm_by_work(name: str, own: list[Window]) -> None:
    """Without the compilers' share and CPU, which were not recorded, work and goodput decide."""
    warm = next(place for place in range(1, len(own)) if not lacks(own[:place], ["list"], DEMANDED))
    done = sum(window.operations for window in own[:warm])

    assert DEMANDED <= done <= 4 * DEMANDED
    assert not given_up(own[:warm], "list", DEMANDED)


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
    file = tmp_path / "1.csv"
    kept = [
        *windows(100, compiling=0.25, cpu_s=7.5, others=0.125),
        *windows(200),
        *windows(20, workload="read", requests=2_900),
    ]
    write(file, kept)

    assert read(file) == kept
    file.write_text(
        "system,workload,age_s,seconds,ok_per_s,failed,compiling\nsync,list,20.0,5,100.0,0,0.25\n"
    )
    assert read(file) == windows(100, compiling=0.25)

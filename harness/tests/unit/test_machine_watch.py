"""What other programs use of the machine, read from a made-up ``/proc``."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from testbed.cli import experiments
from testbed.experiment.loads import EXPERIMENT
from testbed.measure import machine_watch
from testbed.measure.machine_watch import Others, Reading, Watch, between, parse, words

TICK = os.sysconf("SC_CLK_TCK")

OWN = 10
"""The pid of the harness in the made-up tree."""


class Machine:
    """A ``/proc`` of two processors, in seconds; the clock of readings is set by hand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "proc").mkdir(parents=True)
        self.watch = Watch(root=root, own=OWN, cores={0, 1})
        self.processors()
        self.process(OWN, 1, "python", 5)

    def processors(
        self, programs: float = 100, interrupts: float = 10, steal: float = 0, other: float = 0
    ) -> None:
        """Write the times of both processors, half each; `other` is that of a third one."""
        lines = ["cpu  1 2 3 4 5 6 7 8 0 0"]
        for number, (busy, irq, stolen) in enumerate(
            [(programs / 2, interrupts / 2, steal / 2)] * 2 + [(other, 0, 0)]
        ):
            figures = (busy, 0, 0, 1000, 0, 0, irq, stolen)
            lines.append(f"cpu{number} {' '.join(f'{round(s * TICK)}' for s in figures)} 0 0")
        (self.root / "proc/stat").write_text("\n".join([*lines, "intr 1"]))

    def process(
        self,
        pid: int,
        parent: int,
        name: str,
        cpu: float,
        children: float = 0,
        kernel: bool = False,
    ) -> None:
        folder = self.root / "proc" / str(pid)
        folder.mkdir(exist_ok=True)
        flags = machine_watch.KERNEL_THREAD if kernel else 0
        times = f"{round(cpu * TICK)} 0 0 {round(children * TICK)}"
        (folder / "stat").write_text(
            f"{pid} ({name}) S {parent} 1 1 0 -1 {flags} 0 0 0 0 {times} 20 0 1 0 {pid} 1 1"
        )

    def end(self, pid: int) -> None:
        (self.root / "proc" / str(pid) / "stat").unlink()

    def read(self, at_s: float, pids: Sequence[int] = ()) -> Reading:
        reading = self.watch.read(pids)
        assert reading is not None
        return replace(reading, at_s=at_s, usable=2.0)


@pytest.fixture
def fake(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def used(before: Reading, after: Reading) -> Others:
    others = between(before, after)
    assert others is not None
    return others


def test_a_process_is_read_whatever_its_name() -> None:
    process = parse(f"7 (a) (b) S 3 1 1 0 -1 0 0 0 0 0 {TICK} {TICK} {TICK} 0 20 0 1 0 99 1 1")

    assert (process.pid, process.parent, process.name, process.identity) == (7, 3, "a) (b", (7, 99))
    assert (process.cpu_s, process.children_s, process.in_kernel) == (2.0, 1.0, False)


def test_what_is_not_ours_is_that_of_others_and_the_largest_are_named(fake: Machine) -> None:
    fake.process(11, OWN, "java", 20)
    fake.process(12, 11, "helper", 1)
    fake.process(50, 1, "cc1", 3)
    fake.process(51, 1, "browser", 3)
    fake.process(52, 1, "idle", 3)
    before = fake.read(0)
    fake.processors(programs=118, interrupts=12)
    fake.process(OWN, 1, "python", 6)
    fake.process(11, OWN, "java", 28)
    fake.process(12, 11, "helper", 2)
    fake.process(50, 1, "cc1", 5)
    fake.process(51, 1, "browser", 8)
    others = used(before, fake.read(10))

    # 18 s in programs, 10 of them ours.
    assert others.cores == pytest.approx(0.8)
    assert (others.share, others.steal, others.interrupts) == (0.4, 0.0, 0.1)
    assert others.names == ("browser", "cc1")
    assert others.disturbing
    assert words(others) == "0.8 of 2 cores: browser, cc1"


def test_a_quiet_machine_is_not_disturbed_by_its_own_interrupts(fake: Machine) -> None:
    before = fake.read(0)
    fake.processors(programs=118, interrupts=60)
    # Its time holds interrupts, so it is more than that of all programs.
    fake.process(OWN, 1, "python", 25)
    fake.process(60, 2, "ksoftirqd/0", 4, kernel=True)
    others = used(before, fake.read(10))

    assert (others.share, others.names, others.disturbing) == (0.0, (), False)


def test_kernel_threads_are_not_programs(fake: Machine) -> None:
    before = fake.read(0)
    fake.processors(programs=104)
    fake.process(60, 2, "kworker/0:1", 4, kernel=True)

    assert used(before, fake.read(10)).share == 0.0


def test_others_that_cannot_be_seen_count_too(fake: Machine) -> None:
    before = fake.read(0)
    fake.processors(programs=106)

    assert used(before, fake.read(10)) == Others(
        share=0.3, cores=0.6, of=2, steal=0.0, interrupts=0.0
    )


def test_stolen_time_is_missing_as_well(fake: Machine) -> None:
    before = fake.read(0)
    fake.processors(steal=3)
    others = used(before, fake.read(10))

    assert (others.cores, others.steal, others.share) == (0.0, 0.15, 0.15)


def test_children_that_ended_are_ours(fake: Machine) -> None:
    fake.process(11, OWN, "sh", 1)
    fake.process(12, 11, "worker", 7)
    before = fake.read(0)
    fake.processors(programs=109)
    fake.end(12)
    # One that was seen before, and one that came and went in between.
    fake.process(11, OWN, "sh", 1, children=7 + 2 + 5)
    fake.process(OWN, 1, "python", 7)

    assert used(before, fake.read(10)).share == 0.0


def test_a_process_stays_ours_when_its_parent_has_ended(fake: Machine) -> None:
    fake.process(11, OWN, "sh", 1)
    fake.process(12, 11, "java", 7)
    fake.read(-10)
    before = fake.read(0)
    fake.end(11)
    fake.process(12, 1, "java", 16)
    fake.process(OWN, 1, "python", 5, children=1)
    fake.processors(programs=109)

    assert used(before, fake.read(10)).share == 0.0


def test_one_of_ours_that_nobody_waited_for_takes_nothing_back(fake: Machine) -> None:
    fake.process(12, 1, "java", 70)
    before = fake.read(0, [12])
    fake.end(12)
    fake.processors(programs=104)

    assert used(before, fake.read(10)).cores == pytest.approx(0.4)


def test_processes_of_containers_and_what_serves_them_are_ours(fake: Machine) -> None:
    fake.watch.runtime = ("docker-proxy",)
    fake.process(70, 1, "java", 1)
    fake.process(71, 70, "child", 1)
    fake.process(72, 1, "docker-proxy", 1)
    before = fake.read(0, [70])
    for pid, parent, name in ((70, 1, "java"), (71, 70, "child"), (72, 1, "docker-proxy")):
        fake.process(pid, parent, name, 4)
    fake.processors(programs=109)

    assert used(before, fake.read(10, [70])).share == 0.0


def test_a_pid_that_is_used_again_is_another_process(fake: Machine) -> None:
    fake.process(50, 1, "old", 90)
    before = fake.read(0)
    fake.process(50, 1, "new", 1)
    stat = fake.root / "proc/50/stat"
    stat.write_text(stat.read_text().replace(" 0 50 1 1", " 0 777 1 1"))
    fake.processors(programs=101)

    assert used(before, fake.read(10)).names == ("new",)


def test_a_limit_leaves_processors_to_others(fake: Machine) -> None:
    before = fake.read(0)
    fake.processors(programs=112)
    after = fake.read(10)

    # 1.2 of 2 processors are used by others, and we may use 1: 0.2 of it is missing.
    assert used(before, replace(after, usable=1.0)).share == pytest.approx(0.2)
    assert used(before, replace(after, usable=0.5)).share == 0.0


def test_processors_that_we_may_not_use_do_not_matter(fake: Machine) -> None:
    before = fake.read(0)
    fake.processors(other=10)

    assert used(before, fake.read(10)).share == 0.0


def test_what_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    assert Watch(root=tmp_path).read() is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu0 0 0 0 0 0 0 0 0 0 0\n")
    assert Watch(root=tmp_path, cores={0}).read() is None
    assert between(None, None) is None


def test_throttling_and_frequency_are_told_where_they_are_known(fake: Machine) -> None:
    (fake.root / "proc/self").mkdir()
    (fake.root / "proc/self/cgroup").write_text("0::/job\n")
    group = fake.root / "sys/fs/cgroup/job"
    group.mkdir(parents=True)
    (group / "memory.stat").write_text("anon 1\n")
    (group / "cpu.stat").write_text("usage_usec 1\nnr_throttled 2\nthrottled_usec 1000000\n")
    for number, khz in enumerate((2_000_000, 3_000_000)):
        clock = fake.root / f"sys/devices/system/cpu/cpu{number}/cpufreq"
        clock.mkdir(parents=True)
        (clock / "scaling_cur_freq").write_text(f"{khz}\n")
    before = fake.read(0)
    (group / "cpu.stat").write_text("usage_usec 1\nnr_throttled 2\nthrottled_usec 3500000\n")
    others = used(before, fake.read(10))

    assert (others.throttled_s, others.mhz) == (2.5, 2500.0)


def test_blocks_are_summed_up() -> None:
    quiet = {"share": 0.02, "steal": 0.0, "names": [], "throttled_s": None, "mhz": 2100.0}
    loud = {"share": 0.5, "steal": 0.1, "names": ["cc1"], "throttled_s": 2.0, "mhz": 1900.0}
    blocks = [{"others": quiet}, {"others": loud}, {"others": None}, {}]

    assert machine_watch.summary(blocks) == {
        "blocks": 2,
        "disturbed_blocks": 1,
        "mean_share": 0.26,
        "largest_share": 0.5,
        "mean_steal": 0.05,
        "throttled_s": 2.0,
        "names": ["cc1"],
        "mhz": [1900.0, 2100.0],
    }
    assert machine_watch.summary([{}]) == {}


def test_this_machine_is_read() -> None:
    others = machine_watch.sample(Watch(), 0.05)

    assert others is None or others.share >= 0


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (0.1, ""),
        (
            0.65,
            "Other programs use 1.3 of 2 cores: cc1, browser. Close them, or go on: blocks that "
            "they disturb are measured again.\n",
        ),
    ],
)
def test_other_programs_are_told_at_the_start(
    share: float, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = Others(share, 2 * share, 2, 0.0, 0.0, ("cc1", "browser"))
    monkeypatch.setattr(machine_watch, "sample", lambda _: others)
    text = io.StringIO()
    monkeypatch.setattr(experiments, "console", Console(file=text, width=80))

    assert experiments._tell_of_others() == others
    assert text.getvalue() == message


def test_systems_that_this_machine_does_not_run_are_not_watched() -> None:
    keys = {"name": "x", "threads": [1], "loops": 1}
    running = {"there": {"variant": "sync", "target": "http://localhost:8099"}}

    def watched(**more: object) -> Watch | None:
        return experiments._watch(EXPERIMENT.validate_python(keys | more))

    assert watched() == Watch()
    docker = watched(backends="docker")
    assert docker is not None
    assert "docker-proxy" in docker.runtime
    assert watched(systems=running) is None

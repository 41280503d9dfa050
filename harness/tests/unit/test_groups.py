"""Control groups of both versions, in a folder that has their files; and, where allowed, real."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from testbed.deploy import groups
from testbed.deploy.groups import GroupMeter, LimitedMeter, Parents
from testbed.deploy.meter import Usage, risen
from testbed.deploy.services import Service
from testbed.deploy.stack import Stack
from testbed.experiment.parts import ServiceLimits
from testbed.model.errors import UserError

from .conftest import deployed, fake_service

HALF = ServiceLimits(cpus=0.5, memory_mb=256)


def written(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_reads_the_statistics_of_both_versions() -> None:
    second = "usage_usec 2500000\nnr_throttled 7\nthrottled_usec 500000\nanon 150000000\nfile 9\n"
    first = "usage_nsec 2500000000\nnr_throttled 7\nthrottled_time 500000000\nrss 1\n"
    first += "total_rss 150000000\n"

    assert groups.parse_usage(second) == Usage(2.5, 150.0, 7, 0.5)
    assert groups.parse_usage(first) == Usage(2.5, 150.0, 7, 0.5)
    assert groups.parse_usage("cat: no such file\n") is None


def test_a_container_is_read_from_its_control_group_version_2(tmp_path: Path) -> None:
    group = tmp_path / "sys/fs/cgroup/system.slice/docker-abc.scope"
    written(tmp_path / "proc/42/cgroup", "0::/system.slice/docker-abc.scope\n")
    written(group / "cpu.stat", "usage_usec 1500000\nuser_usec 1000000\n")
    written(group / "memory.stat", "anon 64000000\nfile 5\n")

    files = groups.group_files("42", tmp_path)
    # Before Linux 5.19.
    assert GroupMeter({"broker": files}).read() == {"broker": Usage(1.5, 64.0)}

    written(group / "memory.peak", "80000000\n")
    files = groups.group_files("42", tmp_path)
    assert GroupMeter({"broker": files}).read() == {"broker": Usage(1.5, 64.0, peak_mb=80.0)}


def test_a_container_is_read_from_its_control_groups_version_1(tmp_path: Path) -> None:
    base = tmp_path / "sys/fs/cgroup"
    lines = "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n"
    written(tmp_path / "proc/42/cgroup", lines)
    written(base / "cpuacct/docker/abc/cpuacct.usage", "2500000000\n")
    written(base / "cpu/docker/abc/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time 25\n")
    written(base / "memory/docker/abc/memory.stat", "cache 1\ntotal_rss 32000000\n")
    written(base / "memory/docker/abc/memory.max_usage_in_bytes", "40000000\n")

    files = groups.group_files("42", tmp_path)

    assert GroupMeter({"broker": files}).read() == {"broker": Usage(2.5, 32.0, 3, 25e-9, 40.0)}


def test_a_container_that_this_machine_does_not_see_has_no_files(tmp_path: Path) -> None:
    assert groups.group_files("42", tmp_path) == ()
    written(tmp_path / "proc/42/cgroup", "0::/elsewhere\n")
    assert groups.group_files("42", tmp_path) == ()


def test_version_1_has_a_group_for_each_controller(tmp_path: Path) -> None:
    base = tmp_path / "sys/fs/cgroup"
    written(tmp_path / "proc/self/cgroup", "4:memory:/mine\n1:cpu:/\n0::/\n")
    (base / "memory/mine").mkdir(parents=True)
    (base / "cpu").mkdir()

    where = groups.parents(tmp_path)
    made = groups.create("testbed-a", HALF, where)

    assert made == (base / "cpu/testbed-a", base / "memory/mine/testbed-a")
    assert contents(made[0]) == {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"}
    assert contents(made[1]) == {"memory.limit_in_bytes": "256000000"}


def test_version_2_has_one_group_below_the_first_that_passes_controllers_on(tmp_path: Path) -> None:
    base = tmp_path / "sys/fs/cgroup"
    written(tmp_path / "proc/self/cgroup", "0::/user.slice/session\n")
    written(base / "user.slice/session/cgroup.subtree_control", "\n")
    written(base / "user.slice/cgroup.subtree_control", "cpu io memory pids\n")
    written(base / "cgroup.subtree_control", "cpu io memory pids\n")

    (made,) = groups.create("testbed-a", HALF, groups.parents(tmp_path))
    (other,) = groups.create("testbed-b", ServiceLimits(memory_mb=64), groups.parents(tmp_path))

    assert made == base / "user.slice/testbed-a"
    assert contents(made) == {"cpu.max": "50000 100000", "memory.max": "256000000"}
    assert contents(other) == {"memory.max": "64000000"}


def test_a_container_sees_its_own_group_as_the_top_one(tmp_path: Path) -> None:
    base = tmp_path / "sys/fs/cgroup"
    written(tmp_path / "proc/self/cgroup", "4:memory:/docker/abc\n1:cpu:/docker/abc\n")
    (base / "memory").mkdir(parents=True)
    (base / "cpu").mkdir()

    assert groups.parents(tmp_path) == Parents(1, base / "cpu", base / "memory")


@pytest.mark.parametrize("lines", [None, "0::/\n"])
def test_where_no_group_can_be_made_containers_are_named(tmp_path: Path, lines: str | None) -> None:
    if lines is not None:
        written(tmp_path / "proc/self/cgroup", lines)
        written(tmp_path / "sys/fs/cgroup/cgroup.subtree_control", "pids\n")

    with pytest.raises(UserError, match="limits: this user cannot limit processes") as refused:
        groups.require(tmp_path)

    assert refused.value.hint is not None
    assert "--backends docker" in refused.value.hint


def test_a_command_joins_its_groups_before_it_begins(tmp_path: Path) -> None:
    folders = (tmp_path / "one", tmp_path / "and two")
    for folder in folders:
        folder.mkdir()
    script = 'echo $$ "$1"; cat one/cgroup.procs "and two/cgroup.procs"'

    answer = subprocess.run(
        groups.joined(("sh", "-c", script, "sh", "a b"), folders),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    pid = answer.stdout.split()[0]
    assert answer.stdout == f"{pid} a b\n{pid}\n{pid}\n"
    missing = groups.joined(("touch", str(tmp_path / "run")), [tmp_path / "none"])
    assert subprocess.run(missing, capture_output=True, check=False).returncode != 0
    assert not (tmp_path / "run").exists()


def test_groups_are_removed_and_those_in_use_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "REMOVE_LIMIT_S", 0.0)
    empty, used = tmp_path / "empty", tmp_path / "used"
    empty.mkdir()
    written(used / "member", "")

    groups.remove([empty, used, tmp_path / "gone"])

    assert [folder.name for folder in tmp_path.iterdir()] == ["used"]


class Fixed:
    def read(self, *, pss: bool = False) -> Mapping[str, Usage]:
        return {"free": Usage(1.0, 10.0), "held": Usage(2.0, 20.0)}


def test_a_limited_process_also_has_what_its_groups_have_counted(tmp_path: Path) -> None:
    written(tmp_path / "cpu/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 2000000000\n")
    written(tmp_path / "memory/memory.max_usage_in_bytes", "70000000\n")
    meter = LimitedMeter(Fixed(), {"held": (tmp_path / "cpu", tmp_path / "memory")})

    before = meter.read()
    written(tmp_path / "cpu/cpu.stat", "nr_periods 20\nnr_throttled 9\nthrottled_time 2500000000\n")
    after = meter.read()

    assert before == {"free": Usage(1.0, 10.0), "held": Usage(2.0, 20.0, 4, 2.0, 70.0)}
    assert risen(before, after, "throttled") == {"held": 5}
    assert risen(before, after, "throttled_s") == {"held": 0.5}
    assert risen(before, after, "cpu_s") == {"free": 0.0, "held": 0.0}


def test_a_process_is_held_to_its_limits_and_its_groups_end_with_it(
    make_stack: Callable[..., Stack],
) -> None:
    try:
        groups.require()
    except UserError as problem:
        pytest.skip(problem.message)
    free = fake_service("gateway")
    limited = Service("cinema.2", free.command, free.ports, limits=HALF)
    running = make_stack(deployed((limited,)))

    running.start()
    (cinema,) = running.record.running
    memberships = Path(f"/proc/{cinema.process.pid}/cgroup").read_text()
    usage = running.meter().read()["cinema.2"]
    running.stop()

    assert f"/testbed-cinema.2-{free.ports[0]}\n" in memberships
    assert usage.throttled is not None
    assert usage.peak_mb is None or 1 < usage.peak_mb <= 256
    assert cinema.groups
    assert not any(folder.exists() for folder in cinema.groups)


@pytest.mark.parametrize("version", [1, 2])
def test_a_limit_of_cpu_is_changed_and_lifted_while_a_process_runs(
    tmp_path: Path, version: int
) -> None:
    file = "cpu.max" if version == 2 else "cpu.cfs_quota_us"
    for name in ("cpu", "memory"):
        (tmp_path / name).mkdir()
    for name in (file, "cpu.cfs_period_us"):
        (tmp_path / "cpu" / name).write_text("")
    folders = (tmp_path / "cpu", tmp_path / "memory")

    groups.set_cpus(folders, 0.35)
    limited = (tmp_path / "cpu" / file).read_text()
    groups.set_cpus(folders, None)
    lifted = (tmp_path / "cpu" / file).read_text()

    if version == 2:
        assert (limited, lifted) == ("35000 100000", "max 100000")
    else:
        assert (limited, lifted) == ("35000", "-1")
        assert (tmp_path / "cpu" / "cpu.cfs_period_us").read_text() == "100000"
    assert not list((tmp_path / "memory").iterdir())

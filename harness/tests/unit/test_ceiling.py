from __future__ import annotations

import itertools
import sys
import zipfile
from pathlib import Path

import pytest

from testbed.deploy.building.jdk import Jdk
from testbed.measure import ceiling, load
from testbed.measure.load import Generator
from testbed.model.errors import UserError
from testbed.model.project import Project

FAKE_GENERATOR = """
import csv, sys
print("ready", flush=True)
for file in sys.stdin:
    asked = dict(line.rstrip().split("=", 1) for line in open(file.rstrip()))
    plan = asked["plan"]
    label = plan.rsplit("-", 1)[1].removesuffix(".jmx")
    with open("{calls}", "a") as calls:
        calls.write(plan + "\\n")
    with open(asked["samples"], "a", newline="") as samples:
        rows = csv.writer(samples)
        rows.writerow(["timeStamp", "elapsed", "label", "success"])
        # 5 s at 100/s.
        rows.writerows([10 * number, 5, label, "{success}"] for number in range(500))
    print("ended 500", flush=True)
"""


@pytest.fixture
def plans(project: Project, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(load, "WATCH_S", 0.05)
    # Whatever else this machine does.
    monkeypatch.setattr(ceiling, "_machine_cpu_s", lambda: (0.0, 0.0))
    project.plans.mkdir()
    jar = project.jar(load.MODULE)
    jar.parent.mkdir(parents=True)
    jar.touch()
    return [write_plan(project, "sync", workload) for workload in ("list", "reserve")]


def write_plan(project: Project, variant: str, workload: str) -> Path:
    plan = project.plan(variant, workload)
    plan.write_text(f"<jmeterTestPlan><!-- {plan.stem} --></jmeterTestPlan>")
    return plan


def java(folder: Path, success: str = "true") -> Jdk:
    """Return a Java that is a generator whatever it is to run, and notes each load."""
    command = folder / "jvm" / "bin" / "java"
    command.parent.mkdir(parents=True)
    script = FAKE_GENERATOR.format(calls=folder / "calls", success=success)
    command.write_text(f"#!{sys.executable}\n{script}")
    command.chmod(0o755)
    return Jdk(folder / "jvm", "17.0.15", compiler=False)


def calls(folder: Path) -> list[str]:
    return [Path(line).name for line in (folder / "calls").read_text().splitlines()]


def test_each_plan_is_measured_once(project: Project, plans: list[Path], tmp_path: Path) -> None:
    runtime, announced = java(tmp_path), list[str]()
    assert ceiling.kept(project, plans, runtime) == {}

    ceilings = ceiling.measure(project, plans, runtime, announced.append)

    assert ceilings == {"sync-list.jmx": 100.0, "sync-reserve.jmx": 100.0}
    assert announced == ["sync-list", "sync-reserve"]
    assert ceiling.measure(project, plans, runtime) == ceilings
    assert ceiling.kept(project, plans, runtime) == ceilings
    # A generator that has just started is warmed up first.
    assert calls(tmp_path) == [*["sync-list.jmx"] * 2, *["sync-reserve.jmx"] * 2]


def test_a_changed_plan_is_measured_again(
    project: Project, plans: list[Path], tmp_path: Path
) -> None:
    runtime = java(tmp_path)
    ceiling.measure(project, plans, runtime)
    plans[1].write_text("<jmeterTestPlan><!-- changed --></jmeterTestPlan>")
    assert list(ceiling.kept(project, plans, runtime)) == ["sync-list.jmx"]

    ceiling.measure(project, plans, runtime)

    assert calls(tmp_path)[2:] == [*["sync-reserve.jmx"] * 4]


def test_what_is_known_is_measured_again_when_asked(
    project: Project, plans: list[Path], tmp_path: Path
) -> None:
    runtime = java(tmp_path)
    ceiling.measure(project, plans[:1], runtime)

    ceiling.measure(project, plans[:1], runtime, anew=True)

    assert calls(tmp_path) == ["sync-list.jmx"] * 4


def test_a_generator_that_has_been_at_work_needs_no_warm_up(
    project: Project, plans: list[Path], tmp_path: Path
) -> None:
    runtime = java(tmp_path)
    command = load.generator_command(project, runtime)

    with Generator.started(command, tmp_path / "jmeter.log") as generator:
        ceilings = ceiling.measure(project, plans[:1], runtime, generator=generator)

    assert ceilings == {"sync-list.jmx": 100.0}
    assert calls(tmp_path) == ["sync-list.jmx"]


def test_a_generator_that_fails_has_no_ceiling(
    project: Project, plans: list[Path], tmp_path: Path
) -> None:
    runtime = java(tmp_path, success="false")

    with pytest.raises(UserError, match=r"ceiling with sync-list\.jmx .*: 500 failures"):
        ceiling.measure(project, plans, runtime)

    assert ceiling.kept(project, plans, runtime) == {}


def test_what_is_measured_on_a_busy_machine_is_measured_again(
    project: Project, plans: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, seconds = java(tmp_path), itertools.count(0, 10)
    monkeypatch.setattr(ceiling, "_machine_cpu_s", lambda: (next(seconds), 0))

    ceilings = ceiling.measure(project, plans[:1], runtime)

    assert ceilings == {"sync-list.jmx": 100.0}
    assert calls(tmp_path) == ["sync-list.jmx"] * 2 * ceiling.TRIES
    assert ceiling.kept(project, plans, runtime) == {}
    # Nobody else is there, or there is room for all.
    for spent, idle in ((0, 10), (10, 10)):
        free = iter([(0, 0), (spent, idle)])
        monkeypatch.setattr(ceiling, "_machine_cpu_s", lambda free=free: next(free))
        assert ceiling.measure(project, plans[:1], runtime, anew=True) == ceilings
    assert ceiling.kept(project, plans, runtime) == ceilings


BARE_SERVER = """
import pathlib, sys
pathlib.Path("{asked}").write_text(chr(10).join(sys.argv[1:]))
print(4711, flush=True)
sys.stdin.read()
"""


def test_bare_servers_are_measured_once_with_the_answers_of_the_system(
    project: Project, plans: list[Path], tmp_path: Path
) -> None:
    runtime, asked, announced = java(tmp_path), tmp_path / "asked", list[str]()
    services = Jdk(tmp_path / "services", "25.0.3", compiler=True)
    services.java.parent.mkdir(parents=True)
    services.java.write_text(f"#!{sys.executable}\n{BARE_SERVER.format(asked=asked)}")
    services.java.chmod(0o755)
    jar = project.jar(ceiling.BARE_MODULE)
    jar.parent.mkdir(parents=True)
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "")

    ceilings = ceiling.bare(project, plans[:1], runtime, services, announced.append)

    assert list(ceilings) == ["sync-list.jmx"]
    assert {
        name: figures["operations_per_s"] for name, figures in ceilings["sync-list.jmx"].items()
    } == {
        "static": 100.0,
        "netty": 100.0,
        "spring": 100.0,
    }
    assert all("cpu_ms" in figures for figures in ceilings["sync-list.jmx"].values())
    *_, server, protocol, listed, made = asked.read_text().splitlines()
    assert (server, protocol) == ("spring", "direct")
    assert listed == f"GET /api/movie/list|200||{project.root}/systems/movie-list.json"
    assert made == 'POST /cinema/cineworld/reservation/make|201|{"id":"1"}|'
    # The ceiling is that of the reference server.
    assert ceiling.measure(project, plans[:1], runtime) == {"sync-list.jmx": 100.0}
    # Servers in a JVM have load before they are measured.
    assert calls(tmp_path) == ["sync-list.jmx"] * 6
    assert ceiling.bare(project, plans[:1], runtime, services, announced.append) == ceilings
    assert announced == ["sync-list, static", "sync-list, netty", "sync-list, spring"]

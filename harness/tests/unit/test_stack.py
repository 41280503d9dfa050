from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from testbed.deploy import leftovers, ports, programs, record
from testbed.deploy.programs import ProcessId
from testbed.deploy.record import Compose
from testbed.deploy.services import Deployment, Service
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import HERE, deployed, docker, fake_service, unused_port

MakeStack = Callable[..., Stack]


def answers(service: Service) -> bool:
    return ports.accepts(service.ports[0])


def pids(recorded: record.StackRecord) -> list[int]:
    return [started.process.pid for started in recorded.running]


def in_containers(folder: Path, **changes: Any) -> Deployment:
    """Return a deployment whose services are containers only."""
    files = Compose((folder / "docker-compose.yml",), ())
    docker = replace(deployed((fake_service("none"),)), backends="docker", phases=(), compose=files)
    return replace(docker, **changes)


def test_starts_phase_by_phase_and_writes_down_what_runs(
    project: Project, make_stack: MakeStack
) -> None:
    first = fake_service("registry", "--ready-after", "0.5")
    second, third = fake_service("cinema"), fake_service("gateway")
    running = make_stack(deployed((first,), (second, third)))

    running.start(background=True)

    recorded = record.load(project)
    assert recorded is not None
    assert [started.name for started in recorded.running] == ["registry", "cinema", "gateway"]
    assert all(started.process.find() is not None for started in recorded.running)
    created = {started.name: started.process.created for started in recorded.running}
    assert created["cinema"] - created["registry"] >= 0.5
    assert recorded.running[0].ready_s is not None
    assert recorded.running[0].ready_s >= 0.5
    assert recorded.start_s is not None
    assert recorded.start_s >= 0.5
    assert (project.logs / "gateway.log").read_text() == f"serving on {third.ports[0]}\n"


def test_down_ends_everything(project: Project, make_stack: MakeStack) -> None:
    services = [fake_service("one"), fake_service("two")]
    make_stack(deployed(tuple(services))).start(background=True)
    recorded = record.load(project)
    assert recorded is not None

    assert leftovers.end(project, recorded) == []

    assert not any(psutil.pid_exists(pid) for pid in pids(recorded))
    assert not any(answers(ended) for ended in services)
    assert record.load(project) is None


def test_down_leaves_a_foreign_process_alone_whose_number_was_ours(
    project: Project, make_stack: MakeStack
) -> None:
    make_stack(deployed((fake_service("one"),))).start(background=True)
    recorded = record.load(project)
    assert recorded is not None
    foreign = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        number = ProcessId(foreign.pid, ProcessId.of(foreign.pid).created - 100)
        reused = replace(recorded.running[0], name="reused", process=number)
        record.save(project, replace(recorded, running=(*recorded.running, reused)))

        loaded = record.load(project)
        assert loaded is not None
        leftovers.end(project, loaded)

        assert foreign.poll() is None
        assert recorded.running[0].process.find() is None
    finally:
        foreign.kill()
        foreign.wait()


def test_names_those_that_had_to_be_killed(make_stack: MakeStack) -> None:
    running = make_stack(
        deployed((fake_service("willing"), fake_service("stubborn", "--stubborn")))
    )
    running.start()

    assert running.stop(grace_s=0.5) == ["stubborn"]


def test_a_service_that_ends_while_starting_ends_all_and_shows_its_log(
    project: Project, make_stack: MakeStack
) -> None:
    good, bad = fake_service("registry"), fake_service("cinema", "--fail")

    with pytest.raises(UserError) as refused:
        make_stack(deployed((good,), (bad,))).start()

    assert "cinema ended by itself" in refused.value.message
    assert "no such catalogue" in refused.value.message
    assert not answers(good)
    assert record.load(project) is None


def test_a_service_that_is_never_ready_ends_all(project: Project, make_stack: MakeStack) -> None:
    slow = fake_service("slow", "--ready-after", "60")

    with pytest.raises(UserError, match="not ready in 1 s: slow"):
        make_stack(deployed((slow,)), ready_s=1).start()

    assert not answers(slow)
    assert record.load(project) is None


def test_missing_cinemas_end_all_and_are_named(make_stack: MakeStack) -> None:
    gateway = fake_service("gateway")
    incomplete = deployed((gateway,), missing=lambda: "the list misses ucd")

    with pytest.raises(UserError, match="was not complete in 1 s: the list misses ucd"):
        make_stack(incomplete, converged_s=1).start()

    assert not answers(gateway)


def test_waits_until_all_cinemas_are_found(make_stack: MakeStack) -> None:
    states = iter(["the list misses ucd", "the list misses ucd", None])
    running = make_stack(deployed((fake_service("gateway"),), missing=lambda: next(states)))

    running.start()

    assert next(states, "used up") == "used up"
    running.stop()


def test_a_command_that_does_not_exist_is_told(project: Project, make_stack: MakeStack) -> None:
    with pytest.raises(UserError, match="nothing cannot be started"):
        make_stack(deployed((Service("nothing", ("/no/such/java",), (1,)),))).start()

    assert record.load(project) is None


def test_a_taken_port_is_told_before_anything_starts(
    project: Project, make_stack: MakeStack
) -> None:
    taken = fake_service("holder")
    make_stack(deployed((taken,))).start(background=True)
    recorded = record.load(project)
    assert recorded is not None
    other = Project(project.root, project.root / "other-state")
    first = fake_service("registry")

    with pytest.raises(UserError, match=rf"port {taken.ports[0]} \(gateway\) is in use"):
        Stack(
            other, deployed((first,), (fake_service("gateway", port=taken.ports[0]),)), os.environ
        ).start()

    assert not answers(first)
    assert record.load(other) is None


def test_a_second_variant_is_refused_and_the_first_goes_on(make_stack: MakeStack) -> None:
    first = fake_service("one")
    make_stack(deployed((first,))).start(background=True)

    with pytest.raises(UserError, match="variant sync is already up") as refused:
        make_stack(deployed((fake_service("two"),))).start()

    assert refused.value.hint == "End it first: ./testbed down"
    assert answers(first)


def test_a_stack_of_another_command_is_not_taken_away(
    project: Project, make_stack: MakeStack
) -> None:
    running = make_stack(deployed((fake_service("one"),)))
    running.start()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        record.save(project, replace(running.record, owner=ProcessId.of(other.pid)))

        with pytest.raises(UserError, match=rf"started by another command \(pid {other.pid}\)"):
            leftovers.clear(project)

        assert running.record.running[0].process.find() is not None
        other.kill()


def test_what_a_killed_command_left_is_cleared_before_the_next_start(
    project: Project, make_stack: MakeStack
) -> None:
    left = make_stack(deployed((fake_service("left"),)))
    left.start()
    gone = ProcessId(left.record.running[0].process.pid, 0.0)
    record.save(project, replace(left.record, owner=gone))
    following = make_stack(deployed((fake_service("following"),)))

    following.start()

    assert left.record.running[0].process.find() is None
    assert [started.name for started in following.record.running] == ["following"]
    following.stop()


def test_a_record_whose_processes_are_all_gone_does_not_hinder_a_start(
    make_stack: MakeStack,
) -> None:
    before = make_stack(deployed((fake_service("before"),)))
    before.start(background=True)
    programs.stop(started.process for started in before.record.running)

    after = make_stack(deployed((fake_service("after"),)))
    after.start()
    after.stop()


def test_a_broken_record_is_told(project: Project) -> None:
    project.state.mkdir()
    project.stack_file.write_text(json.dumps({"variant": "sync"}))

    with pytest.raises(UserError, match="is not a record of a stack"):
        record.load(project)
    record.remove(project)


def test_one_service_can_be_ended_and_started_again(make_stack: MakeStack) -> None:
    steady, cinema = fake_service("steady"), fake_service("cinema")
    running = make_stack(deployed((steady, cinema)))
    running.start()
    before = {started.name: started.process for started in running.record.running}

    running.stop_service("cinema")
    assert not answers(cinema)
    assert answers(steady)

    running.start_service("cinema")
    after = {started.name: started.process for started in running.record.running}
    assert answers(cinema)
    assert after["steady"] == before["steady"]
    assert after["cinema"] != before["cinema"]
    running.stop()


def test_a_killed_service_has_no_time_to_end_and_can_be_started_again(
    make_stack: MakeStack,
) -> None:
    steady, cinema = fake_service("steady"), fake_service("cinema", "--stubborn")
    running = make_stack(deployed((steady, cinema)))
    running.start()

    running.kill_service("cinema")
    assert not answers(cinema)
    running.require_alive()

    running.start_service("cinema")
    assert answers(cinema)
    # It ignores TERM.
    assert running.stop_service("cinema", grace_s=0.5)
    assert not running.stop_service("steady")
    with pytest.raises(UserError, match="unknown service 'steady'"):
        running.kill_service("steady")
    running.stop()


def test_a_spare_instance_starts_when_it_is_asked_for(make_stack: MakeStack) -> None:
    first, second = fake_service("cinema"), fake_service("cinema.2")
    running = make_stack(replace(deployed((first,)), spare=(second,)))
    running.start()
    assert [started.name for started in running.record.running] == ["cinema"]

    running.start_service("cinema.2")
    assert answers(second)
    assert running.record.running[1].ready_s is not None
    assert not running.stop_service("cinema.2")
    assert not answers(second)
    assert answers(first)
    running.stop()


def test_a_service_that_ended_is_noticed(make_stack: MakeStack) -> None:
    running = make_stack(deployed((fake_service("cinema"),)))
    running.start()
    running.require_alive()

    programs.stop([running.record.running[0].process])

    with pytest.raises(UserError, match="cinema ended by itself"):
        running.require_alive()
    running.stop()


def test_the_meter_reads_cpu_and_memory(make_stack: MakeStack) -> None:
    gateway = fake_service("gateway")
    running = make_stack(deployed((gateway,)))
    running.start()
    meter = running.meter()
    before = meter.read()["gateway"]
    with httpx.Client(trust_env=False, timeout=60) as http:
        for _ in range(300):
            http.get(f"http://127.0.0.1:{gateway.ports[0]}/")
    after = meter.read(pss=True)["gateway"]
    running.stop()

    assert after.cpu_s > before.cpu_s
    assert 5 < after.rss_mb < 500
    assert before.pss_mb is None
    assert after.pss_mb is not None
    assert 1 < after.pss_mb < 500
    assert meter.read() == {}


def test_every_instance_of_a_service_is_suspended(make_stack: MakeStack) -> None:
    names = ("cinema", "cinema.2", "gateway")
    running = make_stack(deployed(tuple(fake_service(name) for name in names)))
    running.start()

    def suspended() -> set[str]:
        states = {
            started.name: psutil.Process(started.process.pid).status()
            for started in running.record.running
        }
        return {name for name, state in states.items() if state == psutil.STATUS_STOPPED}

    with running.suspended("cinema"):
        # A process stops when it is next given a processor.
        deadline = time.monotonic() + 60
        while len(suspended()) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        during = suspended()
    after = suspended()
    with pytest.raises(UserError, match=r"service 'cinema\.3' does not run"):
        running.suspended("cinema.3").__enter__()
    running.stop()

    assert (during, after) == ({"cinema", "cinema.2"}, set())


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (signal.SIGTERM, "starting"),
        *((number, "started") for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    ],
)
def test_a_signal_ends_the_command_and_everything_it_started(
    tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    """The command runs in a process of its own; the signal goes to it alone."""
    first, second = unused_port(), unused_port()
    driver = tmp_path / "driver.py"
    driver.write_text(
        textwrap.dedent(
            f"""
            import os, signal, sys, time
            from pathlib import Path
            from testbed.deploy import programs
            from testbed.model.project import Project
            from testbed.deploy.services import Deployment, Service
            from testbed.deploy.stack import Stack

            def service(name, port, *arguments):
                program = (sys.executable, {str(HERE / "fake_service.py")!r})
                return Service(name, (*program, "--port", str(port), *arguments), (port,))

            # Whoever runs the tests may ignore it, as nohup does, and that is inherited.
            signal.signal({int(number)}, signal.SIG_DFL)
            programs.end_on_signals()
            late = "60" if {moment!r} == "starting" else "0"
            deployment = Deployment(
                "sync", "tuned", "embedded",
                ((service("one", {first}),), (service("two", {second}, "--ready-after", late),)),
                lambda _: None, ({second},), "",
            )
            root = Path({str(tmp_path)!r})
            stack = Stack(Project(root, root / "state"), deployment, os.environ)
            stack.start()
            try:
                print("started", flush=True)
                time.sleep(60)
            finally:
                stack.stop()
            """
        )
    )
    command = subprocess.Popen(
        [sys.executable, str(driver)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    project = Project(tmp_path, tmp_path / "state")

    def known_to_listen() -> bool:
        # A process may listen before it is recorded.
        recorded = record.load(project)
        both = recorded is not None and len(recorded.running) == 2
        return both and ports.accepts(first) and ports.accepts(second)

    deadline = time.monotonic() + 60
    while not known_to_listen() and time.monotonic() < deadline:
        time.sleep(0.05)
    if moment == "started":
        assert command.stdout is not None
        assert command.stdout.readline() == "started\n"
    recorded = record.load(project)
    assert recorded is not None
    assert len(recorded.running) == 2

    command.send_signal(number)
    command.communicate(timeout=60)

    assert command.returncode != 0
    # Ended, reaped or not: that is the first process's part.
    assert not any(started.process.find() for started in recorded.running)
    assert record.load(project) is None


def test_a_record_is_never_seen_half_written(project: Project) -> None:
    """`status` may look at the very moment at which another command begins."""
    first = record.StackRecord("sync", "tuned", "embedded", owner=None)
    ended = threading.Event()

    def look() -> int:
        looks = 0
        while not ended.is_set():
            assert record.load(project) in (None, first)
            looks += 1
        return looks

    with ThreadPoolExecutor(1) as threads:
        looks = threads.submit(look)
        for _ in range(1000):
            record.StoredRecord(project).begin(first)
            record.remove(project)
        ended.set()

    assert looks.result() > 0
    assert not any(project.state.iterdir())


def test_a_stack_begins_once(project: Project) -> None:
    first = record.StackRecord("sync", "tuned", "embedded", owner=None)
    record.StoredRecord(project).begin(first)
    with pytest.raises(UserError, match="another command is starting a stack"):
        record.StoredRecord(project).begin(replace(first, variant="async"))
    assert record.load(project) == first


def test_containers_that_only_watch_are_no_part_of_the_system(
    project: Project,
    make_stack: MakeStack,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("gateway", "prometheus")
    rows = [{"Service": name, "ID": name, "State": "running", "ExitCode": 0} for name in names]
    (tmp_path / "rows").write_text(json.dumps(rows))
    docker(
        tmp_path,
        f"""case "$*" in
        *" ps "*) cat {tmp_path}/rows ;;
        *inspect*) echo none ;;
        "exec "*) echo usage_usec 5000000; echo anon 64000000 ;;
        esac""",
        monkeypatch,
    )
    running = make_stack(
        in_containers(
            project.root,
            published={"gateway": (8099,), "mongodb": (27017,), "prometheus": (9090,)},
            watching=frozenset({"prometheus"}),
            others=frozenset({"mongodb", "prometheus"}),
        )
    )
    monkeypatch.setattr(ports, "require_free", lambda *_: None)

    running.start()
    try:
        used = running.meter().read()
        endpoints = running.endpoints()
    finally:
        running.stop()

    assert {name: usage.cpu_s for name, usage in used.items()} == {"gateway": 5.0}
    assert endpoints == {"gateway": 8099}


def test_instances_in_containers_are_asked_at_the_ports_that_docker_chose(
    make_stack: MakeStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {
            "Service": name,
            "Name": f"testbed-{name}-{number}",
            "ID": name,
            "State": "running",
            "ExitCode": 0,
            "Publishers": [
                {"TargetPort": 8084, "PublishedPort": port + 1000},
                {"TargetPort": 8184, "PublishedPort": port},
            ],
        }
        for name, number, port in (("gateway", 1, 8099), ("ucd", 1, 49153), ("ucd", 2, 49154))
    ]
    (tmp_path / "rows").write_text(json.dumps(rows))
    docker(tmp_path, f"""case "$*" in *" ps "*) cat {tmp_path}/rows ;; esac""", monkeypatch)
    running = make_stack(
        in_containers(
            tmp_path, published={"gateway": (8199, 8099), "ucd": ()}, scaled={"ucd": 8184}
        )
    )
    monkeypatch.setattr(ports, "require_free", lambda *_: None)

    running.start()
    try:
        assert running.endpoints() == {"gateway": 8199, "ucd": 49153, "ucd.2": 49154}
    finally:
        running.stop()


def test_a_container_is_killed_stopped_and_started_by_its_instance(
    make_stack: MakeStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def row(number: int, **changes: object) -> dict[str, object]:
        container = {"Service": "ucd", "Name": f"testbed-ucd-{number}", "ID": f"id-{number}"}
        return {**container, "State": "running", "ExitCode": 0, "Health": "healthy", **changes}

    def rows(second: dict[str, object]) -> None:
        (tmp_path / "rows").write_text(json.dumps([row(1), second]))

    rows(row(2))
    docker(
        tmp_path,
        f"""case "$*" in
        *" ps "*) cat {tmp_path}/rows ;;
        *inspect*Networks*) echo "front back " ;;
        *) echo "$*" >> {tmp_path}/asked ;;
        esac""",
        monkeypatch,
    )
    running = make_stack(in_containers(tmp_path, published={"ucd": ()}))
    running.start()
    try:
        (tmp_path / "asked").unlink()
        running.kill_service("ucd.2")
        running.start_service("ucd.2")
        assert not running.stop_service("ucd.2", grace_s=3)
        rows(row(2, State="exited", ExitCode=137, Health=""))
        assert running.stop_service("ucd.2", grace_s=3)
        with pytest.raises(UserError, match=r"unknown service 'ucd.3'"):
            running.kill_service("ucd.3")
        with running.cut_off("ucd"):
            during = (tmp_path / "asked").read_text().splitlines()
        after = (tmp_path / "asked").read_text().splitlines()
        with pytest.raises(UserError, match="unknown service 'none'"), running.cut_off("none"):
            pass
    finally:
        running.stop()

    asked = ["kill id-2", "start id-2", "stop -t 3 id-2", "stop -t 3 id-2"]
    places = [("front", "id-1"), ("back", "id-1"), ("front", "id-2"), ("back", "id-2")]
    cut = [f"network disconnect {network} {container}" for network, container in places]
    joined = [f"network connect --alias ucd {network} {container}" for network, container in places]
    assert during == asked + cut
    assert after == asked + cut + joined


def test_a_container_that_does_not_become_healthy_is_told(
    make_stack: MakeStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"Service": "ucd", "ID": "1", "State": "running", "ExitCode": 0, "Health": "starting"}
    (tmp_path / "rows").write_text(json.dumps([row]))
    docker(tmp_path, f"""case "$*" in *" ps "*) cat {tmp_path}/rows ;; esac""", monkeypatch)
    running = make_stack(in_containers(tmp_path, published={"ucd": ()}), ready_s=0.3)
    running.start()
    try:
        with pytest.raises(UserError, match="not healthy in 0 s: ucd"):
            running.start_service("ucd")
    finally:
        running.stop()


def test_stacks_beside_each_other_are_cleared_together(
    project: Project,
) -> None:
    stacks = [
        Stack(project.beside(slot), deployed((fake_service("one"),)), os.environ) for slot in (0, 1)
    ]
    for running in stacks:
        running.start()
    assert [stack.state for stack in project.every_stack()] == [
        project.state,
        project.state / "beside-1",
    ]
    for place, running in zip(project.every_stack(), stacks, strict=True):
        # As if the command that owns them had been killed.
        record.save(place, replace(running.record, owner=ProcessId(2**22 - 1, 0.0)))

    leftovers.clear_all(project)

    assert all(record.load(place) is None for place in project.every_stack())
    assert all(running.record.running[0].process.find() is None for running in stacks)


def test_containers_that_do_not_start_are_told_their_logs_kept_and_all_removed(
    project: Project,
    make_stack: MakeStack,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = {"Service": "ucd", "ID": "1", "State": "exited", "ExitCode": 1}
    docker(
        tmp_path,
        f"""echo "$*" >> {tmp_path}/asked
        case "$*" in
        *" up "*) echo 'container ucd is unhealthy'; exit 1 ;;
        *" ps "*) echo '{json.dumps(row)}' ;;
        "logs 1") echo 'no such catalogue' ;;
        esac""",
        monkeypatch,
    )
    running = make_stack(in_containers(project.root, published={"ucd": ()}))

    with pytest.raises(UserError, match="docker compose up failed:\ncontainer ucd is unhealthy"):
        running.start()

    assert (project.logs / "ucd.log").read_text() == "no such catalogue\n"
    assert (tmp_path / "asked").read_text().splitlines()[-1].endswith(" down")
    assert record.load(project) is None

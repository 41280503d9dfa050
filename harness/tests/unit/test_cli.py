"""The commands as a user types them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from testbed import cli
from testbed.cli import doctor, experiments, listing
from testbed.cli.console import console
from testbed.cli.doctor import Finding, Verdict
from testbed.cli.overview import COMMANDS
from testbed.deploy import ports, programs
from testbed.deploy.stack import Stack
from testbed.experiment import reading
from testbed.model.project import Project

from .conftest import deployed, fake_service
from .test_gates import WORSE

ROOT = Project.find().root

Ended = subprocess.CompletedProcess[str]


def typed(state: Path, *arguments: str) -> Ended:
    """Run a command in this process, which saves its start."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setenv("TESTBED_STATE", str(state))
        patch.setenv("COLUMNS", "80")
        patch.chdir(ROOT)
        patch.setattr(sys, "argv", ["testbed", *arguments])
        # Signals are pytest's here.
        patch.setattr(programs, "end_on_signals", lambda: None)
        cli.main()
    return subprocess.CompletedProcess(
        arguments, ended.value.code or 0, out.getvalue(), err.getvalue()
    )


def testbed(state: Path, *arguments: str, **environ: str) -> Ended:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "testbed", *arguments],
        env={**os.environ, "TESTBED_STATE": str(state), "COLUMNS": "80", **environ},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


testbed.__test__ = False  # type: ignore[attr-defined]


def is_free(offset: int) -> bool:
    """Return whether nothing hinders a synchronous variant on moved ports."""
    usual = (8099, 8081, 8082, 8083, 8084, 8761)
    return not ports.taken(port + offset for port in usual)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["up", "synch"], "unknown variant 'synch'; choose from: sync, async"),
        (["up", "sync", "--preset", "fast"], "unknown preset 'fast'; choose from: tuned, thesis"),
        (
            ["up", "sync", "--backends", "dokcer"],
            "unknown backends 'dokcer'; choose from: embedded, docker, local",
        ),
        (["up", "sync", "--set", "novalue"], "--set 'novalue' is not of the form KEY=VALUE"),
        (["up", "sync", "--port-offset", "60000"], "port offset 60000 is out of range"),
        (["run", "quik"], "no experiment 'quik'"),
        (["run", "quick", "--watched"], "--watched: backends 'embedded' come without Prometheus"),
        (["run", "quick", "--resume", "x"], "an experiment and --resume exclude each other"),
        (["run", "capacity", "--fail-if", "worse"], "--fail-if: capacity compares no cells"),
        (["compare", "--fail-if", "beyond 0.9"], "choose from: worse, not-known, or 'beyond"),
        (["report", "x", "--json", "--compare", "y"], "--json and --compare exclude each other"),
        (["run", "--resume", "/nowhere"], "no results in /nowhere"),
        (["report", "/nowhere"], "'/nowhere' does not exist"),
        (["compare", "--quick", "--pairs", "2"], "--quick, --pairs and --until exclude each other"),
        (["compare", "--until", "none"], "'none' is not a percentage between 0 and 100"),
        (["profile", "sync", "bye"], "unknown workload 'bye'; choose from: list, reserve"),
        (["logs"], "no logs yet"),
        (["dead-letters"], "nothing is running"),
        (["dead-letters", "--replay", "--purge"], "--replay and --purge exclude each other"),
        (["faults", "--system", "none"], "unknown variant 'none'; choose from: sync, async"),
        (["faults", "--backends", "local"], "unknown backends 'local'; choose from: embedded"),
        (["faults", "--publish", "--short"], "--publish needs the full check"),
    ],
)
def test_a_users_mistake_is_told_without_a_stack_trace(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    ended = typed(tmp_path, *arguments)

    assert ended.returncode == 1
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr + ended.stdout


def test_the_shipped_experiments_are_named(tmp_path: Path) -> None:
    message = typed(tmp_path, "run", "quik").stderr
    for name in ("aa", "capacity", "compare", "quick", "thesis"):
        assert f" {name}," in message or f" {name}." in message


def test_a_plan_is_shown_without_running_it(tmp_path: Path) -> None:
    ended = typed(tmp_path, "run", "compare", "--plan")

    assert ended.returncode == 0
    assert "start 1: sync and async" in ended.stdout
    assert "  list, 10 threads: " in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("compare: 16 runs after 2 starts, about ")
    assert not (tmp_path / "stack.json").exists()


def test_a_plan_is_json_too(tmp_path: Path) -> None:
    ended = typed(tmp_path, "run", "compare", "--plan", "--json")

    plan = json.loads(ended.stdout)
    assert (plan["experiment"], plan["runs"], plan["runs_are"]) == ("compare", 16, "exact")
    assert plan["expected_s"] > 60
    assert [start["systems"] for start in plan["starts"]] == [["sync", "async"]] * 2
    assert {"workload": "list", "mode": "closed", "level": 10} in plan["starts"][0]["cells"]


def test_experiments_are_listed_by_question_without_a_name(tmp_path: Path) -> None:
    ended = typed(tmp_path, "run")

    assert ended.returncode == 0
    lines = ended.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for name in reading.shipped(Project.find()):
        (line,) = (line for line in lines if line.startswith(f"{name} "))
        assert re.match(r"[≥≤]? ?\d+ \S", line.removeprefix(name).lstrip()), line
    assert "compare-rabbitmq" in ended.stdout
    assert "(needs Docker)" in " ".join(ended.stdout.split())


def test_experiments_are_listed_as_json_too(tmp_path: Path) -> None:
    listed = json.loads(typed(tmp_path, "run", "--json").stdout)["experiments"]

    assert [entry["experiment"] for entry in listed] == reading.shipped(Project.find())
    for entry in listed:
        assert entry["topic"] in listing.TOPICS, entry
        assert entry["question"].endswith("?"), entry
    by_name = {entry["experiment"]: entry for entry in listed}
    assert by_name["http-cache-proxies"]["needs"] == ["Docker"]
    assert by_name["compare"]["needs"] == []
    assert by_name["instances"]["needs"] == [listing.LIMITS]
    assert by_name["poster-demand"]["needs"] == [listing.LIMITS]
    assert by_name["capacity"]["runs_are"] == "at most"
    assert by_name["fan-out"]["runs_are"] == "at least"


@pytest.mark.parametrize("command", [("compare", "--quick"), ("run", "quick")])
@pytest.mark.parametrize(("gate", "code"), [("worse", 1), ("beyond 3", 0), ("not-known", 0)])
def test_a_gate_fails_the_command_and_names_the_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], gate: str, code: int
) -> None:
    def measured(*_: object, **__: object) -> Path:
        console.print("measuring")
        return tmp_path

    monkeypatch.setattr(experiments, "_measure", measured)
    monkeypatch.setattr(experiments, "decided", lambda _: (WORSE,))
    ended = typed(tmp_path, *command, "--fail-if", gate, "--json")

    assert ended.returncode == code
    assert "measuring" in ended.stderr
    judged = json.loads(ended.stdout)
    assert [decision["decided"] for decision in judged["decisions"]] == ["worse"]
    assert [decision["level"] for decision in judged["failed"]] == [10] * code
    named = "failed worse: reserve, 10 threads: goodput of async ÷ sync: 0.50 [0.40, 0.80], worse"
    assert (named in ended.stderr) is bool(code)
    assert typed(tmp_path, *command).returncode == 0


def test_the_doctors_findings_are_json_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Finding("Maven", Verdict.BAD, "not found"), Finding("JDK", Verdict.GOOD, "25")]
    monkeypatch.setattr(doctor, "examine", lambda _: findings)
    ended = typed(tmp_path, "doctor", "--json")

    assert ended.returncode == 1
    assert json.loads(ended.stdout) == {
        "can_run": False,
        "findings": [
            {"subject": "Maven", "verdict": "bad", "text": "not found"},
            {"subject": "JDK", "verdict": "good", "text": "25"},
        ],
    }


def test_a_taken_port_is_told_before_anything_is_built_or_started(tmp_path: Path) -> None:
    offset = next(candidate for candidate in range(10_000, 30_000, 250) if is_free(candidate))
    port = 8099 + offset
    with socket.create_server(("127.0.0.1", port)):
        ended = testbed(tmp_path, "up", "sync", "--port-offset", str(offset))

    assert ended.returncode == 1
    assert f"port {port} (api-gateway-service) is in use by" in ended.stderr
    assert f"(pid {os.getpid()})" in ended.stderr
    assert not (tmp_path / "stack.json").exists()
    assert "Building" not in ended.stdout


def test_no_docker_is_told(tmp_path: Path) -> None:
    ended = testbed(tmp_path, "up", "sync", "--backends", "docker", PATH=str(tmp_path))

    assert ended.returncode == 1
    assert "Docker not found" in ended.stderr


def test_no_backend_at_the_given_address_is_told(tmp_path: Path) -> None:
    offset = next(candidate for candidate in range(20_000, 36_000, 250) if is_free(candidate))
    ended = testbed(
        tmp_path,
        *("up", "sync", "--backends", "local", "--no-build", "--port-offset", str(offset)),
        MONGODB_URI="mongodb://user:secret@127.0.0.1:1/?serverSelectionTimeoutMS=100",
    )

    assert ended.returncode == 1
    assert "MongoDB does not answer" in ended.stderr
    assert "secret" not in ended.stderr


def test_status_fails_when_a_service_has_ended_and_down_ends_the_rest(
    project: Project, make_stack: Callable[..., Stack]
) -> None:
    running = make_stack(deployed((fake_service("gateway"), fake_service("cinema"))))
    running.start(background=True)
    gateway, cinema = running.record.running
    assert typed(project.state, "status").returncode == 0
    (stack,) = json.loads(typed(project.state, "status", "--json").stdout)["stacks"]
    assert stack["as_meant"] is True
    assert [listed["service"] for listed in stack["services"]] == ["gateway", "cinema"]
    assert stack["services"][0]["state"] == "ready"
    assert 1 < stack["services"][0]["pss_mb"] <= stack["services"][0]["rss_mb"] + 1

    programs.stop([cinema.process])
    ended = typed(project.state, "status")

    assert ended.returncode == 1
    assert re.search(r"cinema\s+\d+\s+ended", ended.stdout)
    assert typed(project.state, "down").returncode == 0
    assert gateway.process.find() is None
    assert typed(project.state, "status").stdout == "Nothing is running.\n"
    assert json.loads(typed(project.state, "status", "--json").stdout) == {"stacks": []}


def test_an_interrupt_is_told_and_has_an_exit_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise programs.Interrupted("SIGTERM")

    monkeypatch.setattr(doctor, "examine", interrupted)
    ended = typed(tmp_path, "doctor")

    assert ended.returncode == 130
    assert "Interrupted; what was started has been ended." in ended.stderr


@pytest.mark.parametrize("command", ["status", "down"])
def test_nothing_running_is_no_error(tmp_path: Path, command: str) -> None:
    ended = typed(tmp_path, command)

    assert ended.returncode == 0
    assert ended.stdout == "Nothing is running.\n"


# The help of jmeter is JMeter's.
@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"jmeter"}))
def test_every_command_has_help_that_fits_a_terminal(tmp_path: Path, command: str) -> None:
    ended = typed(tmp_path, command, "--help")

    assert ended.returncode == 0
    assert f"./testbed {command}" in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 80


def test_live_names_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = testbed(tmp_path, "live", "--port", port)

    assert ended.returncode == 1
    assert f"port {port}: Address already in use" in ended.stderr

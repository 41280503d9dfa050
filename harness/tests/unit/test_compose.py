from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from testbed.deploy import compose
from testbed.deploy.meter import Usage
from testbed.deploy.record import Compose
from testbed.model.errors import UserError
from testbed.model.files import tail
from testbed.model.project import Project

from .conftest import docker


def test_no_docker_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UserError, match="no docker on PATH") as told:
        compose.require_docker()

    assert told.value.hint is not None
    assert "--backends embedded" in told.value.hint


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'Cannot connect' >&2; exit 1", "the Docker daemon does not answer: Cannot connect"),
        ("test $1 = info || { echo 'no such command' >&2; exit 1; }", "Docker has no compose"),
    ],
)
def test_says_what_docker_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, message: str
) -> None:
    docker(tmp_path, script, monkeypatch)

    with pytest.raises(UserError, match=message):
        compose.require_docker()


def test_missing_files_are_named(project: Project) -> None:
    with pytest.raises(UserError, match=r"no .*docker-compose\.sync\.yml"):
        compose.describe(project, "docker-compose.sync.yml", {})
    (project.root / "docker-compose.sync.yml").touch()
    (project.root / ".env").touch()
    with pytest.raises(UserError, match=r"no .*images\.env"):
        compose.describe(
            project,
            "docker-compose.sync.yml",
            {"TESTBED_ENV_FILE": str(project.root / "images.env")},
        )


def test_a_further_file_of_variables_comes_after_the_first(project: Project) -> None:
    for name in ("docker-compose.sync.yml", ".env", "images.env"):
        (project.root / name).touch()

    stack = compose.describe(
        project, "docker-compose.sync.yml", {"TESTBED_ENV_FILE": str(project.root / "images.env")}
    )

    assert [file.name for file in stack.env_files] == [".env", "images.env"]


def test_reads_the_containers_in_both_formats_of_the_plugin(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"Service": "mongodb", "ID": "1", "State": "running", "ExitCode": 0},
        {"Service": "seed", "ID": "2", "State": "exited", "ExitCode": 0},
        {"Service": "broker-service", "ID": "3", "State": "exited", "ExitCode": 137},
    ]
    stack = compose.Compose((project.root / "c.yml",), ())
    answers = ["\n".join(map(json.dumps, rows)), json.dumps(rows)]
    for answer in answers:
        (tmp_path / "answer").write_text(answer)
        docker(tmp_path, f"cat {tmp_path}/answer", monkeypatch)

        known = compose.containers(stack)

        assert [one.service for one in known] == ["mongodb", "seed", "broker-service"]
        assert [one.as_meant for one in known] == [True, True, False]


def test_knows_images_and_published_ports(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = {"target": 8099, "published": "43099", "host_ip": "127.0.0.1"}
    stack = {
        "name": "testbed-sync",
        "services": {
            "gateway": {"ports": [port]},
            "mongodb": {"image": "mongo:8"},
            "prometheus": {"image": "prom:3", "profiles": ["monitoring"]},
        },
    }
    (tmp_path / "answer").write_text(json.dumps(stack))
    docker(tmp_path, f"cat {tmp_path}/answer", monkeypatch)

    services = compose.resolved(compose.Compose((project.root / "c.yml",), ()), os.environ)

    assert {name: one["image"] for name, one in services.items()} == {
        "gateway": "testbed-sync-gateway",
        "mongodb": "mongo:8",
        "prometheus": "prom:3",
    }
    assert compose.published(services, "gateway", 8099) == 43099
    assert compose.published_ports(services) == {
        "gateway": (43099,),
        "mongodb": (),
        "prometheus": (),
    }
    assert compose.watching(services) == {"prometheus"}
    with pytest.raises(UserError, match="port 27017 of mongodb is not published"):
        compose.published(services, "mongodb", 27017)


def test_settings_reach_the_own_services_alone(project: Project) -> None:
    stack = compose.Compose((project.root / "c.yml",), ())

    with_them = compose.with_settings(stack, project, ["broker-service"], {"A": "1"})

    assert compose.with_settings(stack, project, ["broker-service"], {}) == stack
    assert json.loads(with_them.files[-1].read_text()) == {
        "services": {"broker-service": {"environment": {"A": "1"}}}
    }


def test_reads_both_versions_of_control_groups() -> None:
    second = "usage_usec 2500000\nuser_usec 1\nanon 150000000\nfile 999\n"
    first = "usage_nsec 2500000000\ncache 999\nrss 1\ntotal_rss 150000000\n"

    assert compose.parse_usage(second) == Usage(2.5, 150.0)
    assert compose.parse_usage(first) == Usage(2.5, 150.0)
    assert compose.parse_usage("cat: no such file\n") is None


def written(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_a_container_is_read_from_its_control_group_version_2(tmp_path: Path) -> None:
    group = tmp_path / "sys/fs/cgroup/system.slice/docker-abc.scope"
    written(tmp_path / "proc/42/cgroup", "0::/system.slice/docker-abc.scope\n")
    written(group / "cpu.stat", "usage_usec 1500000\nuser_usec 1000000\n")
    written(group / "memory.stat", "anon 64000000\nfile 5\n")

    files = compose.group_files("42", tmp_path)

    assert compose.GroupMeter({"broker": files}).read() == {"broker": Usage(1.5, 64.0)}


def test_a_container_is_read_from_its_control_groups_version_1(tmp_path: Path) -> None:
    base = tmp_path / "sys/fs/cgroup"
    lines = "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n"
    written(tmp_path / "proc/42/cgroup", lines)
    written(base / "cpuacct/docker/abc/cpuacct.usage", "2500000000\n")
    written(base / "memory/docker/abc/memory.stat", "cache 1\ntotal_rss 32000000\n")

    files = compose.group_files("42", tmp_path)

    assert compose.GroupMeter({"broker": files}).read() == {"broker": Usage(2.5, 32.0)}


def test_a_container_that_this_machine_does_not_see_has_no_files(tmp_path: Path) -> None:
    assert compose.group_files("42", tmp_path) == ()
    written(tmp_path / "proc/42/cgroup", "0::/elsewhere\n")
    assert compose.group_files("42", tmp_path) == ()


def test_each_set_of_settings_has_a_file_of_its_own(project: Project) -> None:
    stack = Compose((project.root / "docker-compose.sync.yml",), ())
    files = {
        compose.with_settings(stack, project, ["broker-service"], {"A": value}).files[-1]
        for value in ("1", "2", "1")
    }

    assert len(files) == 2
    assert all(file.is_file() for file in files)


def test_what_containers_have_said_is_kept(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"Service": "ucd", "ID": "1", "State": "exited", "ExitCode": 1}
    script = f"""case "$*" in *" ps "*) echo '{json.dumps(row)}';; *) echo "said: $*";; esac"""
    docker(tmp_path, script, monkeypatch)

    compose.keep_logs(compose.Compose((project.root / "c.yml",), ()), tmp_path)

    assert tail(tmp_path / "ucd.log").endswith("--no-log-prefix ucd")
    assert tail(tmp_path / "other.log") == "(no log)"


def test_a_stack_beside_another_has_ports_of_its_own(project: Project) -> None:
    variables = project.root / ".env"
    variables.write_text("PORT_FRONT=8099\nPORT_AMQP=5672\nSERVICE_CPUS=2\n")
    first = Compose((project.root / "docker-compose.sync.yml",), (variables,))

    assert compose.moved(first, project, 0) == first
    beside = compose.moved(first, project, 1000)
    assert beside.env_files[0] == variables
    assert beside.env_files[-1].read_text() == "PORT_FRONT=9099\nPORT_AMQP=6672\n"
    apart = compose.moved(first, project, 1000, apart=True)
    assert "COMPOSE_PROJECT_NAME=docker-compose-sync-1000\n" in apart.env_files[-1].read_text()
    assert "COMPOSE" not in beside.env_files[-1].read_text()

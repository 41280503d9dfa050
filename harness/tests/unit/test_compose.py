from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from testbed.cli import preparing
from testbed.deploy import composefile
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.containers import compose
from testbed.deploy.deployments import Choice
from testbed.deploy.processes.deployment import in_processes
from testbed.deploy.record import Compose
from testbed.experiment.parts import ServiceLimits
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.files import tail
from testbed.model.project import Project

from .conftest import docker

ELSEWHERE = "192.0.2.1"
JDK = Jdk(Path("/opt/java"), "25", True)


def test_no_docker_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UserError, match="no docker on PATH") as refused:
        compose.require_docker()

    assert refused.value.hint is not None
    assert "--backends embedded" in refused.value.hint


@pytest.mark.parametrize("system", systems.names())
def test_a_hint_names_no_backends_that_a_system_cannot_have(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    choice = Choice(system, backends="docker")
    try:
        in_processes(replace(choice, backends="embedded"), Project.find(), JDK, {})
        embedded = True
    except UserError as refused:
        assert "containers only" in refused.message
        embedded = False

    with pytest.raises(UserError) as error:
        preparing.described(Project.find(), choice, {})

    assert error.value.hint is not None
    assert ("--backends embedded" in error.value.hint) == embedded


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

        statuses = compose.containers(stack)

        assert [status.service for status in statuses] == ["mongodb", "seed", "broker-service"]
        assert [status.as_meant for status in statuses] == [True, True, False]


def test_knows_images_and_published_ports(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = [
        {"target": port, "published": str(35000 + port), "host_ip": "127.0.0.1"}
        for port in (8099, 8199)
    ]
    stack = {
        "name": "testbed-sync",
        "services": {
            "gateway": {
                "ports": published,
                "environment": {"SERVER_PORT": "8099", "MANAGEMENT_SERVER_PORT": "8199"},
            },
            "mongodb": {"image": "mongo:8"},
            "prometheus": {"image": "prom:3", "profiles": ["monitoring"]},
        },
    }
    (tmp_path / "answer").write_text(json.dumps(stack))
    docker(tmp_path, f"cat {tmp_path}/answer", monkeypatch)

    services = compose.resolved(compose.Compose((project.root / "c.yml",), ()), os.environ)

    assert {name: service["image"] for name, service in services.items()} == {
        "gateway": "testbed-sync-gateway",
        "mongodb": "mongo:8",
        "prometheus": "prom:3",
    }
    assert compose.published(services, "gateway", 8099) == 43099
    assert compose.published_ports(services) == {
        "gateway": (43199, 43099),
        "mongodb": (),
        "prometheus": (),
    }
    assert compose.watching(services) == {"prometheus"}
    with pytest.raises(UserError, match="port 27017 of mongodb is not published"):
        compose.published(services, "mongodb", 27017)


def test_a_running_container_is_limited_as_compose_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As Docker does where --cpus was given at the start.
    script = f"""case "$*" in *--cpu-quota*) echo 'Conflicting options' >&2; exit 1;; esac
echo "$@" >> {tmp_path}/asked"""
    docker(tmp_path, script, monkeypatch)
    container = compose.Container("ticket-service", "a1", "running", 0)

    compose.set_cpus(container, 0.4)
    compose.set_cpus(container, None)

    limited, lifted = (tmp_path / "asked").read_text().splitlines()
    assert limited == "update --cpus=0.4 a1"
    # Docker takes 0 for no change.
    assert lifted == f"update --cpus={os.cpu_count()} a1"


def _written(file: str) -> dict[str, Any]:
    """Return the services of a compose file with what they extend, opened to other machines."""
    project = Project.find()
    values = composefile.values(composefile.env_files(project, {}))
    variables = {name: value or "" for name, value in values.items()}
    return composefile.written(
        project.root / file, variables | {"BIND_ADDRESS": ELSEWHERE, "JARS": "prebuilt"}
    )


def test_settings_reach_the_named_services_alone(project: Project) -> None:
    stack = compose.Compose((project.root / "c.yml",), ())

    keys = compose.changes({"broker-service": (8099,)}, {"A": "1"}, {}, {}, {})

    assert keys == {"broker-service": {"restart": "no", "environment": {"A": "1"}}}
    assert yaml.safe_load(compose.changed(stack, project, keys).files[-1].read_text()) == {
        "services": keys
    }
    assert compose.changed(stack, project, {}) == stack


def test_docker_starts_services_again_but_none_that_is_measured() -> None:
    services = {
        name: service
        for system in systems.names()
        for name, service in _written(systems.declaration(system).compose).items()
    }
    assert {service.get("restart") for service in services.values() if "build" in service} == {
        "on-failure"
    }

    assert compose.changes({"shop": ()}, {}, {}, {}, {}) == {"shop": {"restart": "no"}}


def test_what_has_a_known_password_is_published_on_the_loopback_address_alone() -> None:
    opened = set()
    for system in systems.names():
        for name, service in _written(systems.declaration(system).compose).items():
            if any(ELSEWHERE in port for port in service.get("ports", ())):
                opened.add(name)
                assert service["environment"]["ACCESS_PUBLISHED_AT"] == ELSEWHERE
    assert opened == {"api-gateway-service", "broker-service"}


def test_a_setting_reaches_a_container_as_it_is() -> None:
    keys = compose.changes({"shop": ()}, {"A": "$HOME ${PATH:?} $$"}, {}, {}, {})

    # Compose takes $$ for $.
    assert keys["shop"]["environment"] == {"A": "$$HOME $${PATH:?} $$$$"}


def test_instances_have_limits_and_host_ports_that_docker_chooses(project: Project) -> None:
    stack = compose.Compose((project.root / "c.yml",), ())

    keys = compose.changes(
        {"shop": (8080,), "till": (8081,)},
        {},
        {"shop": 3, "till": 1},
        {"shop": ServiceLimits(cpus=0.5, memory_mb=256)},
        {"till": "testbed-sync-till"},
    )

    assert keys == {
        "shop": {
            "restart": "no",
            "scale": 3,
            "ports": ["127.0.0.1::8080"],
            "cpus": 0.5,
            "mem_limit": 256_000_000,
        },
        "till": {"restart": "no", "image": "testbed-sync-till"},
    }
    # Without the tag, the port of the compose file would stay and be taken by the first instance.
    assert "ports: !override\n" in compose.changed(stack, project, keys).files[-1].read_text()


def test_containers_of_one_service_are_told_apart(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = [
        {"TargetPort": 8084, "PublishedPort": 49153, "URL": "127.0.0.1"},
        {"TargetPort": 8184, "PublishedPort": 49152, "URL": "127.0.0.1"},
        {"TargetPort": 9999, "PublishedPort": 0},
    ]
    rows = [
        {
            "Service": "ucd",
            "Name": f"testbed-sync-ucd-{number}",
            "ID": str(number),
            "State": "running",
            "ExitCode": 0,
            "Publishers": published if number == 1 else None,
        }
        for number in (1, 12)
    ]
    (tmp_path / "rows").write_text(json.dumps(rows))
    docker(tmp_path, f"cat {tmp_path}/rows", monkeypatch)

    first, other = compose.containers(Compose((project.root / "c.yml",), ()))

    assert (first.name, first.ports) == ("ucd", {8084: 49153, 8184: 49152})
    assert (other.name, other.ports) == ("ucd.12", {})


def test_each_set_of_settings_has_a_file_of_its_own(project: Project) -> None:
    stack = Compose((project.root / "docker-compose.sync.yml",), ())
    files = {
        compose.changed(stack, project, {"broker": {"environment": {"A": value}}}).files[-1]
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

    assert tail(tmp_path / "ucd.log").endswith("said: logs 1")
    assert tail(tmp_path / "other.log") == "(no log)"


def test_a_stack_beside_another_has_ports_of_its_own(project: Project) -> None:
    variables = project.root / ".env"
    variables.write_text("PORT_FRONT=8099\nPORT_AMQP=5672\nSERVICE_CPUS=2\n")
    file = project.root / "docker-compose.sync.yml"
    file.write_text("name: testbed-sync\n")
    first = Compose((file,), (variables,))

    assert compose.moved(first, project, 0) == first
    beside = compose.moved(first, project, 1000, {})
    assert beside.env_files[0] == variables
    assert beside.env_files[-1].read_text() == (
        "PORT_FRONT=9099\nPORT_AMQP=6672\nCOMPOSE_PROJECT_NAME=testbed-sync-1000\n"
    )
    with pytest.raises(UserError, match="PORT_FRONT cannot be moved: set in the environment"):
        compose.moved(first, project, 1000, {"PORT_FRONT": "9000"})

"""A user's compose file: how two stacks of it run beside each other, and what is refused."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from testbed.cli.duel import planned
from testbed.deploy import ports
from testbed.deploy.containers import compose
from testbed.deploy.containers.own import OwnContainerDeployer, changes, from_compose
from testbed.deploy.deployments import Choice
from testbed.deploy.record import Compose, StackRecord
from testbed.experiment.declaration import Experiment
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import docker, unused_port

pytestmark = pytest.mark.usefixtures("undeclared")

STACK: dict[str, Any] = {
    "name": "shop",
    "services": {
        "api": {
            "image": "shop:1.4",
            "build": {"context": "/shop"},
            "container_name": "shop-api",
            "ports": [{"target": 8080, "published": "80"}],
        },
        "store": {"build": {"context": "/store"}, "ports": [{"target": 5432, "published": "1"}]},
    },
    "networks": {"default": {"name": "shop_default"}},
    "volumes": {"data": {"name": "shop-data"}},
}

VERSIONS = {
    "old": {"images": {"api": "shop:1.4"}},
    "new": {"images": {"api": "shop:1.5"}},
}


def plan(port: int = 9000) -> Experiment:
    workload = {"get": {"get": "/a", "noun": "requests"}}
    system = {"compose": "c.yml", "front": "api:8080", "port": port, "workloads": workload}
    return planned(system, VERSIONS, [10], each=4, repetitions=2)


def choice(name: str = "new", port: int = 9000, offset: int = 0) -> Choice:
    chosen = plan(port)
    system = chosen.system(name)
    return Choice(
        system.variant, backends=chosen.backends, images=system.images, port_offset=offset
    )


@pytest.fixture
def read(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Choice:
    """Return a choice of a file that compose reads as `STACK`."""
    monkeypatch.setattr(Project, "find", lambda: project)
    systems._own.cache_clear()
    (project.folder / "c.yml").write_text("services: {}\n")
    answers(tmp_path, monkeypatch, STACK)
    return choice(port=unused_port())


def answers(folder: Path, monkeypatch: pytest.MonkeyPatch, stack: dict[str, Any]) -> None:
    (folder / "stack.json").write_text(json.dumps(stack))
    docker(folder, f'echo "$@" >> {folder}/asked\ncat {folder}/stack.json', monkeypatch)


def refusal(project: Project, choice: Choice) -> str:
    with pytest.raises(UserError) as refused:
        from_compose(choice, project, os.environ)
    return refused.value.message


def test_versions_are_images_of_one_compose_file() -> None:
    made = plan()

    assert made.backends == "compose"
    assert [system.images for system in made.compared] == [
        {"api": "shop:1.4"},
        {"api": "shop:1.5"},
    ]
    assert made.system("new").deployed == {"image.api": "shop:1.5"}


def test_stacks_of_one_file_run_beside_each_other() -> None:
    keys = changes(compose.with_images(STACK), "mine", choice(), 9001)

    api, store = keys["keys"]["api"], keys["keys"]["store"]
    assert api["image"] == "shop:1.5"
    # The sources are not those of this image.
    assert isinstance(api["build"], compose.Removed)
    assert api["container_name"] == "mine-api"
    assert api["ports"] == ["127.0.0.1:9001:8080"]
    # As the user's own project calls what it builds: both versions have the same.
    assert store["image"] == "shop-store"
    assert store["ports"] == []
    assert {service["restart"] for service in (api, store)} == {"no"}
    assert {service["pull_policy"] for service in (api, store)} == {"missing"}
    assert keys["networks"] == {"default": {"name": "mine_default"}}
    assert keys["volumes"] == {"data": {"name": "mine_data"}}


def test_the_override_file_replaces_ports_and_removes_the_build(
    project: Project, read: Choice
) -> None:
    deployment = from_compose(read, project, os.environ)

    assert deployment.compose is not None
    own, override = deployment.compose.files
    assert own == project.folder / "c.yml"
    text = override.read_text()
    assert "build: !reset 'null'" in text
    assert text.count("ports: !override") == 2
    assert deployment.front_ports == (read.system.free_from,)
    assert deployment.ports == {"api": deployment.front_ports}
    assert deployment.compose.project == f"testbed-service-{deployment.front_port}"


def test_a_taken_port_is_not_published(
    project: Project, read: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = read.system.free_from
    monkeypatch.setattr(ports, "is_free", lambda port: port != taken)

    assert from_compose(read, project, os.environ).front_ports == (taken + 1,)


def test_everything_of_a_start_goes_at_its_end(
    project: Project, read: Choice, tmp_path: Path
) -> None:
    deployment = from_compose(read, project, os.environ)
    (tmp_path / "asked").unlink()
    record = StackRecord("service", "tuned", "compose", None, compose=deployment.compose)
    OwnContainerDeployer.end(record, 1)

    asked = (tmp_path / "asked").read_text()
    assert f"--project-name testbed-service-{deployment.front_port} " in asked
    assert asked.endswith("down --volumes --remove-orphans\n")

    (tmp_path / "asked").unlink()
    compose.down(Compose((project.root / "c.yml",), ()))
    assert (tmp_path / "asked").read_text().endswith("c.yml down\n")


def test_unknown_services_are_named_with_the_choices(project: Project, read: Choice) -> None:
    assert "'apo'; choose from: api, store" in refusal(
        project, replace(read, images={"apo": "shop:1.5"})
    )


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"networks": {"edge": {"external": True}}}, "network 'edge' is external"),
        ({"volumes": {"data": {"external": True}}}, "volume 'data' is external"),
        ({"networks": {"edge": {"ipam": {"config": [{}]}}}}, "network 'edge' has addresses"),
        ({"services": {"api": {"network_mode": "host"}}}, "api has network_mode host"),
        ({"services": {"api": {"scale": 2}}}, "api runs in 2 containers"),
        ({"services": {"api": {"deploy": {"replicas": 3}}}}, "api runs in 3 containers"),
    ],
)
def test_what_both_stacks_would_share_is_refused(
    project: Project,
    read: Choice,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    part: dict[str, Any],
    words: str,
) -> None:
    answers(tmp_path, monkeypatch, STACK | part)

    assert words in refusal(project, read)


def test_what_compose_cannot_read_is_told_with_its_reason(
    project: Project, read: Choice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker(tmp_path, "echo 'yaml: line 1' >&2; exit 1", monkeypatch)
    message = refusal(project, read)

    assert message.endswith("c.yml is not a compose file that Docker can read: yaml: line 1")


def test_no_other_backends_are_proposed_without_docker(
    project: Project, read: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="no docker on PATH") as refused:
        OwnContainerDeployer.describe(read, project, os.environ)

    assert refused.value.hint is not None
    assert "c.yml runs in containers only" in refused.value.hint


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("{compose: c.yml, workloads: {a: /a}}", "give compose and front together"),
        ("{front: 'api:1', workloads: {a: /a}}", "give compose and front together"),
        ("{compose: c.yml, front: api, workloads: {a: /a}}", "'api' is not of the form"),
        ("{compose: c.yml, front: 'api:0', workloads: {a: /a}}", "'api:0' is not of the form"),
        (
            "{compose: c.yml, front: 'api:1', command: a, workloads: {a: /a}}",
            "compose excludes command",
        ),
    ],
)
def test_a_declaration_has_one_way_to_start(system: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        systems.OwnSystem.model_validate(yaml.safe_load(system))


@pytest.mark.parametrize(
    ("versions", "words"),
    [
        ({"a": {"command": "b {port}"}}, "command: service is started from its compose file"),
        ({"a": {"target": "http://a:1", "images": {"api": "b"}}}, "target and images exclude"),
    ],
)
def test_a_version_is_of_the_kind_of_its_system(versions: dict[str, Any], words: str) -> None:
    system = {"compose": "c.yml", "front": "api:8080", "workloads": {"a": "/a"}}
    with pytest.raises(UserError, match=words):
        planned(system, versions, [1], each=2, repetitions=1)


def test_a_command_has_no_images() -> None:
    with pytest.raises(UserError, match="images: service has no compose file of yours"):
        planned({"workloads": {"a": "/a"}}, VERSIONS, [1], each=2, repetitions=1)

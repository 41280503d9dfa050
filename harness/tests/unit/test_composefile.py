"""A compose file is read without Docker as compose reads it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from testbed.deploy import composefile
from testbed.deploy.containers import compose
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project

SHARED = """
x-limits: &limits
  environment: {LIMITED: "yes"}
services:
  base:
    <<: *limits
    build: {args: {RUNTIME: java}}
    environment: {LEVEL: "${LEVEL:-info}", PRICE: "5 $$", FROM_SHELL: }
    ports: ["${BIND:-127.0.0.1}:${PORT_BASE:?}:80"]
    depends_on: {database: {condition: service_healthy}}
  database:
    image: some
    x-embedded: {listens: {DATABASE_PORT: 99}, clients: {USER: guest}}
"""
MAIN = """
include: [parts/watching.yml]
services:
  database:
    extends: {file: parts/shared.yml, service: database}
  shop:
    extends: {file: parts/shared.yml, service: base}
    build: {args: {SERVICE: shop-service}}
    environment: {NAME: shop, LEVEL: debug}
    depends_on: {registry: {condition: service_healthy}}
  registry:
    image: other
"""
WATCHING = """
services:
  viewer:
    extends: {file: shared.yml, service: database}
    profiles: [monitoring]
    volumes: ["./viewer.yml:/viewer.yml"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "shared.yml").write_text(SHARED)
    (tmp_path / "parts" / "watching.yml").write_text(WATCHING)
    (tmp_path / "main.yml").write_text(MAIN)
    return tmp_path / "main.yml"


def test_services_have_what_they_extend_with_their_own_on_top(file: Path) -> None:
    services = composefile.read(file, {"PORT_BASE": "8080"})

    shop = services["shop"]
    assert (shop.module, shop.ports, shop.after) == (
        "shop-service",
        {80: 8080},
        ("database", "registry"),
    )
    # `<<` brings a map that the service's own takes the place of, as in YAML itself.
    assert shop.environment == {"LEVEL": "debug", "NAME": "shop", "PRICE": "5 $"}
    assert services["viewer"].profiles == ("monitoring",)
    included = composefile.written(file, {"PORT_BASE": "8080"})["viewer"]
    assert included["volumes"] == [f"{file.parent}/parts/viewer.yml:/viewer.yml"]
    stub = services["database"].stub
    assert stub is not None
    assert (stub.listens, stub.clients) == ({"DATABASE_PORT": 99}, {"USER": "guest"})


def test_services_start_after_those_that_they_wait_for(file: Path) -> None:
    services = composefile.read(file, {"PORT_BASE": "8080"})
    order = [[service.name for service in phase] for phase in composefile.phases(services.values())]
    assert order == [["database", "registry", "viewer"], ["shop"]]


def test_what_keeps_a_file_from_being_read_is_named(file: Path) -> None:
    with pytest.raises(UserError, match=r"main.yml, service shop: variable 'PORT_BASE' is not set"):
        composefile.read(file, {})
    file.write_text(MAIN.replace("service: base", "service: bases"))
    with pytest.raises(UserError, match=r"shared.yml has no service 'bases'"):
        composefile.read(file, {"PORT_BASE": "1"})
    file.write_text("services: {a: {depends_on: {b: {}}}, b: {depends_on: {a: {}}}}")
    with pytest.raises(UserError, match="wait for one another: a, b"):
        composefile.phases(composefile.read(file, {}).values())
    file.write_text("services: [")
    with pytest.raises(UserError, match=r"main.yml cannot be read"):
        composefile.read(file, {})


def resolved(system: str) -> dict[str, Any]:
    """Return the services of a system as compose itself reads them."""
    project = Project.find()
    files = compose.describe(project, systems.declaration(system).compose, {})
    command = ["docker", "compose"]
    for env_file in files.env_files:
        command += ["--env-file", str(env_file)]
    command += ["--file", str(files.files[0]), "--profile", "*", "config", "--format", "json"]
    # The shell's variables would come before those of the files.
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    if subprocess.run(
        ("docker", "compose", "version"), capture_output=True, check=False
    ).returncode:
        pytest.skip("no docker compose")
    answer = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=environ
    )
    assert answer.returncode == 0, answer.stderr
    services: dict[str, Any] = json.loads(answer.stdout)["services"]
    return services


@pytest.mark.skipif(shutil.which("docker") is None, reason="no docker")
@pytest.mark.parametrize("system", systems.names())
def test_the_projects_files_are_read_as_compose_reads_them(system: str) -> None:
    project = Project.find()
    file = project.root / systems.declaration(system).compose
    read = composefile.read(file, composefile.variables(project, {}))
    theirs = resolved(system)

    assert set(read) == set(theirs)
    for name, service in read.items():
        expected = theirs[name]
        environment = {
            key: value
            for key, value in expected.get("environment", {}).items()
            if value is not None
        }
        assert service.environment == environment, name
        ports = {port["target"]: int(port["published"]) for port in expected.get("ports", ())}
        assert service.ports == ports, name
        assert sorted(service.after) == sorted(expected.get("depends_on", ())), name
        assert list(service.profiles) == expected.get("profiles", []), name


@pytest.mark.parametrize("system", systems.names())
def test_prometheus_scrapes_every_service_of_a_system_and_no_other(system: str) -> None:
    project = Project.find()
    file = project.root / systems.declaration(system).compose
    services = composefile.read(file, composefile.variables(project, {})).values()
    groups = yaml.safe_load((project.root / f"prometheus/targets/{system}.yml").read_text())

    (scraped,) = (group["targets"] for group in groups if group["labels"]["job"] == "services")

    # One with a profile would be down where it is not wanted.
    always = [service for service in services if service.module and not service.profiles]
    own = {f"{service.name}:{port}" for service in always for port in service.inside[:1]}
    assert sorted(scraped) == sorted(own)
    assert all(group["labels"]["variant"] == system for group in groups)

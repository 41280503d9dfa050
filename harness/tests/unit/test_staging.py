from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from testbed import staging
from testbed.errors import UserError
from testbed.jdk import Jdk
from testbed.project import Project
from testbed.services import Deployment, Service

from .conftest import deployed

# Unpacks and archives as java does, and writes down each call.
JAVA = """#!/bin/sh
echo "$CINEMA_TRANSPORT $*" >> {calls}
case "$*" in
  *extract*) for last; do :; done; mkdir -p "$last/lib"; echo jar > "$last/cinema-service.jar" ;;
  *ArchiveClassesAtExit=*)
    archive="$*"; archive="${{archive#*ArchiveClassesAtExit=}}"; archive="${{archive%% *}}"
    test ! -f {broken} || {{ echo "no such bean"; exit 1; }}
    echo classes > "$archive" ;;
esac
"""


@pytest.fixture
def jdk(tmp_path: Path) -> Jdk:
    java = tmp_path / "jvm" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(calls=tmp_path / "calls", broken=tmp_path / "broken"))
    java.chmod(0o755)
    return Jdk(tmp_path / "jvm", "25.0.3", True)


@pytest.fixture
def cinema(project: Project, jdk: Jdk) -> Service:
    flags = project.root / "tuned.jvm"
    flags.write_text("-Xmx1m")
    jar = project.jar("cinema-service")
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"jar")
    command = (str(jdk.java), f"@{flags}", "-jar", str(jar))
    return Service("cinema-ucd-service", command, (1,), {"CINEMA_TRANSPORT": "http"})


Stage = Callable[[Service], Service]


@pytest.fixture
def stage(project: Project, jdk: Jdk) -> Stage:
    def one(service: Service) -> Service:
        return staging.stage(deployed((service,)), project, jdk, os.environ).services[0]

    return one


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "calls").read_text().splitlines()


def test_starts_from_an_unpacked_copy_with_an_archive(
    cinema: Service, stage: Stage, project: Project
) -> None:
    staged = stage(cinema)

    *java, archive, dash_jar, jar = staged.command
    assert tuple(java) == cinema.command[:-2]
    assert dash_jar == "-jar"
    assert Path(jar).read_text() == "jar\n"
    assert project.root / "cinema-service" not in Path(jar).parents
    assert Path(archive.removeprefix("-XX:SharedArchiveFile=")).read_text() == "classes\n"
    assert replace(staged, command=cinema.command) == cinema


def test_prepares_once(cinema: Service, stage: Stage, tmp_path: Path) -> None:
    first = stage(cinema)
    other_cinema = replace(cinema, name="cinema-dundrum-service")

    assert stage(cinema) == first
    assert stage(other_cinema).command == first.command
    assert len(calls(tmp_path)) == 2


def test_each_edge_and_each_preset_has_an_archive_of_its_own(
    cinema: Service, stage: Stage, project: Project, tmp_path: Path
) -> None:
    first = stage(cinema)
    amqp = stage(replace(cinema, environ={"CINEMA_TRANSPORT": "amqp"}))
    (project.root / "tuned.jvm").write_text("-Xmx2m")
    changed = stage(cinema)

    assert len({first.command[-3], amqp.command[-3], changed.command[-3]}) == 3
    assert len({first.command[-1], amqp.command[-1], changed.command[-1]}) == 1
    assert any(call.startswith("amqp ") for call in calls(tmp_path))


def test_a_new_build_is_prepared_anew_and_old_ones_are_removed_after_a_day(
    cinema: Service, stage: Stage, project: Project
) -> None:
    old = Path(stage(cinema).command[-1]).parent
    project.jar("cinema-service").write_bytes(b"another jar")
    recent = Path(stage(cinema).command[-1]).parent
    assert old != recent
    assert old.exists()
    long_ago = time.time() - 2 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    project.jar("cinema-service").write_bytes(b"a third jar")

    stage(cinema)

    assert not old.exists()
    assert recent.exists()


def test_a_service_that_cannot_be_prepared_is_told(
    cinema: Service, stage: Stage, tmp_path: Path, project: Project, jdk: Jdk
) -> None:
    (tmp_path / "broken").touch()

    with pytest.raises(UserError, match=r"cinema-ucd-service cannot be prepared") as told:
        stage(cinema)

    assert "no such bean" in told.value.message
    assert not staging.is_staged(deployed((cinema,)), project, jdk)


def test_what_has_no_health_or_no_jar_is_left_as_it_is(
    cinema: Service, project: Project, jdk: Jdk
) -> None:
    backends = replace(cinema, name="embedded-backends", health=None)
    program = Service("program", ("/bin/program", "--port", "1"), (1,))
    deployment: Deployment = deployed((backends, program))

    assert staging.is_staged(deployment, project, jdk)
    assert staging.stage(deployment, project, jdk, os.environ) == deployment

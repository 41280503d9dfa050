from __future__ import annotations

import mmap
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from testbed.deploy import training
from testbed.deploy.building import aot_cache
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.services import Deployment, Service
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError
from testbed.model.project import Project

from .conftest import HERE, deployed, unused_port

# Unpacks, serves and writes its cache when it is ended, as java does; writes down each call.
JAVA = f"""#!/bin/sh
folder=$(dirname "$0")
case "$*" in *extract*)
  for last; do :; done
  mkdir -p "$last/lib"
  echo jar > "$last/cinema-service.jar"
  echo library > "$last/lib/library.jar"
  echo extract >> "$folder/calls"
  exit ;;
esac
cache="$*"; cache="${{cache#*AOTCacheOutput=}}"; cache="${{cache%% *}}"
end() {{
  kill $server
  case "$*" in *AOTCacheOutput=*)
    echo "$CINEMA_NAME written" >> "$folder/calls"
    test -f "$folder/broken" && echo "no space left" || echo profiles > "$cache" ;;
  esac
  exit 143
}}
trap 'end "$*"' TERM
{sys.executable} {HERE / "fake_service.py"} --port "$SERVER_PORT" &
server=$!
wait
"""

Train = Callable[..., Deployment]


@pytest.fixture
def jdk(tmp_path: Path) -> Jdk:
    java = tmp_path / "jvm" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA)
    java.chmod(0o755)
    return Jdk(tmp_path / "jvm", "25.0.3", True)


@pytest.fixture
def cinema(project: Project, jdk: Jdk) -> Callable[[str], Service]:
    flags = project.root / "tuned.jvm"
    flags.write_text("-Xmx1m")
    jar = project.jar("cinema-service")
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"jar")

    def named(name: str) -> Service:
        port = unused_port()
        environ = {"CINEMA_NAME": name, "SERVER_PORT": str(port)}
        return Service(name, (str(jdk.java), f"@{flags}", "-jar", str(jar)), (port,), environ)

    return named


@pytest.fixture
def train(project: Project, jdk: Jdk) -> Train:
    def trained(*services: Service, variant: str = "sync", fails: bool = False) -> Deployment:
        deployment = replace(deployed(services), variant=variant)

        def load(stack: Stack, folder: Path) -> None:
            stack.require_alive()
            (folder / "samples.csv").touch()
            if fails:
                raise UserError("most operations failed")
            with calls_file(jdk).open("a") as log:
                log.write("load\n")

        if not aot_cache.is_trained(deployment, project, jdk):
            training.train(deployment, project, jdk, os.environ, load)
        return aot_cache.use(deployment, project, jdk)

    return trained


Cinema = Callable[[str], Service]


def calls_file(jdk: Jdk) -> Path:
    return jdk.java.parent / "calls"


def calls(jdk: Jdk) -> list[str]:
    return calls_file(jdk).read_text().splitlines()


def cache(service: Service) -> Path:
    return Path(service.command[-4].removeprefix("-XX:AOTCache="))


def test_starts_from_an_unpacked_copy_with_a_cache_trained_under_load(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    service = cinema("cineworld")

    (trained,) = train(service).services

    *java, _, mode, dash_jar, jar = trained.command
    assert tuple(java) == service.command[:-2]
    # Without it a JVM that cannot use its cache starts all the same.
    assert mode == "-XX:AOTMode=on"
    assert dash_jar == "-jar"
    assert Path(jar).read_text() == "jar\n"
    assert project.root / "cinema-service" not in Path(jar).parents
    assert cache(trained).read_text() == "profiles\n"
    assert replace(trained, command=service.command) == service
    assert calls(jdk) == ["extract", "load", "cineworld written"]
    # A build is a folder; nothing of the training is left.
    assert list(cache(trained).parents[1].iterdir()) == [cache(trained).parent]


def test_trains_once_and_of_services_that_share_a_cache_the_first(
    cinema: Cinema, train: Train, jdk: Jdk
) -> None:
    cinemas = (cinema("cineworld"), cinema("dundrum"))

    first = train(*cinemas)

    assert train(*cinemas).services == first.services
    assert cache(first.services[0]) == cache(first.services[1])
    assert calls(jdk) == ["extract", "load", "cineworld written"]


def test_each_variant_and_each_preset_has_a_cache_of_its_own(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    service = cinema("cineworld")
    (first,) = train(service).services
    (other_variant,) = train(service, variant="async").services
    (project.root / "tuned.jvm").write_text("-Xmx2m")
    (changed,) = train(service).services

    assert len({cache(first), cache(other_variant), cache(changed)}) == 3
    assert len({trained.command[-1] for trained in (first, other_variant, changed)}) == 1
    assert calls(jdk) == ["extract", *["load", "cineworld written"] * 3]


def test_trains_only_what_has_no_cache_yet(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    own = project.root / "own.jvm"
    own.write_text("-Xmx3m")
    cineworld, dundrum = cinema("cineworld"), cinema("dundrum")
    command = (str(jdk.java), f"@{own}", *dundrum.command[2:])
    train(cineworld)

    train(cineworld, replace(dundrum, command=command))

    assert calls(jdk)[-2:] == ["load", "dundrum written"]


def test_a_new_build_is_trained_anew_and_old_ones_are_removed_after_a_day(
    cinema: Cinema, train: Train, project: Project
) -> None:
    service = cinema("cineworld")
    old = cache(train(service).services[0]).parent
    project.jar("cinema-service").write_bytes(b"another jar")
    recent = cache(train(service).services[0]).parent
    assert old != recent
    assert old.exists()
    long_ago = time.time() - 2 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    project.jar("cinema-service").write_bytes(b"a third jar")

    train(service)

    assert not old.exists()
    assert recent.exists()


def test_a_build_that_is_used_is_kept(cinema: Cinema, train: Train, project: Project) -> None:
    service = cinema("cineworld")
    old = cache(train(service).services[0]).parent
    long_ago = time.time() - 2 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    train(service)
    project.jar("cinema-service").write_bytes(b"another jar")

    train(service)

    assert old.exists()


def test_a_jar_that_is_written_anew_with_the_same_content_is_not_trained_anew(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    service = cinema("cineworld")
    first = train(service).services
    jar = project.jar("cinema-service")
    jar.unlink()
    jar.write_bytes(b"jar")
    os.utime(jar, (0, 0))

    assert train(service).services == first
    assert calls(jdk) == ["extract", "load", "cineworld written"]


@pytest.mark.parametrize("change", ["replaced", "added", "deleted"])
def test_a_copy_whose_libraries_have_changed_is_unpacked_and_trained_anew(
    cinema: Cinema, train: Train, jdk: Jdk, change: str
) -> None:
    service = cinema("cineworld")
    (first,) = train(service).services
    libraries = Path(first.command[-1]).parent / "lib"
    if change == "deleted":
        (libraries / "library.jar").unlink()
    else:
        (libraries / f"{'library' if change == 'replaced' else 'another'}.jar").write_text("other")

    (again,) = train(service).services

    assert again == first
    assert [library.name for library in libraries.iterdir()] == ["library.jar"]
    assert (libraries / "library.jar").read_text() == "library\n"
    assert calls(jdk) == ["extract", "load", "cineworld written"] * 2


def test_a_process_without_a_cache_is_told_from_one_that_is_gone() -> None:
    assert aot_cache.in_use(os.getpid()) is False
    assert aot_cache.in_use(2**30) is None


def test_a_process_that_has_mapped_a_cache_uses_it(tmp_path: Path) -> None:
    cached = tmp_path / "service.aot"
    cached.write_bytes(b"classes")
    with cached.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ):
        assert aot_cache.in_use(os.getpid()) is True


def test_a_quick_start_takes_the_caches_that_are_at_hand(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    service = cinema("cineworld")
    program = Service("program", ("/bin/program", "--port", "1"), (1,))
    both = replace(deployed((service, program)), variant="async")

    copied, left = aot_cache.at_hand(both, project, jdk, "-Xint").services

    *java, dash_jar, jar = service.command
    *before, option, dash, copy = copied.command
    assert ([*before, dash], option) == ([*java, dash_jar], "-Xint")
    assert Path(copy).read_text() == "jar\n"
    assert left == program

    (trained,) = train(service).services

    # That of another variant; none for other flags.
    quick, _ = aot_cache.at_hand(both, project, jdk, "-Xint").services
    assert quick.command == (*java, "-Xint", f"-XX:AOTCache={cache(trained)}", "-jar", copy)
    other = replace(service, command=(*java, "-XX:+UseG1GC", dash_jar, jar))
    (plain,) = aot_cache.at_hand(deployed((other,)), project, jdk).services
    assert plain.command == (*java, "-XX:+UseG1GC", "-jar", copy)


def test_a_cache_serves_heaps_of_every_size(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    service = cinema("cineworld")
    (trained,) = train(service).services

    *java, dash_jar, jar = service.command
    smaller = replace(service, command=(*java, "-Xms32m", "-Xmx32m", dash_jar, jar))
    (quick,) = aot_cache.use(deployed((smaller,)), project, jdk).services

    assert cache(quick) == cache(trained)
    assert quick.command[: len(java) + 2] == (*java, "-Xms32m", "-Xmx32m")


def test_a_service_that_writes_no_cache_is_told(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    (jdk.java.parent / "broken").touch()
    service = cinema("cineworld")

    with pytest.raises(UserError, match=r"cineworld wrote no AOT cache") as refused:
        train(service)

    assert "no space left" in refused.value.message
    assert not aot_cache.is_trained(deployed((service,)), project, jdk)


def test_a_load_that_fails_trains_nothing_and_ends_what_was_started(
    cinema: Cinema, train: Train, project: Project, jdk: Jdk
) -> None:
    service = cinema("cineworld")

    with pytest.raises(UserError, match="most operations failed"):
        train(service, fails=True)

    assert not aot_cache.is_trained(deployed((service,)), project, jdk)
    assert not project.stack_file.exists()


def test_what_is_not_started_from_a_jar_is_left_as_it_is(project: Project, jdk: Jdk) -> None:
    deployment = deployed((Service("program", ("/bin/program", "--port", "1"), (1,)),))

    assert aot_cache.is_trained(deployment, project, jdk)
    assert aot_cache.use(deployment, project, jdk) == deployment

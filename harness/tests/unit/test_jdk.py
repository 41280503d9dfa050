from __future__ import annotations

import os
from pathlib import Path

import pytest

from testbed.deploy.building import jdk
from testbed.deploy.building.jdk import Jdk
from testbed.model.errors import UserError


def install(home: Path, version: str, *, release: bool = True) -> Path:
    """Lay out a Java installation whose ``java`` tells its version as the real one does."""
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026-01-01' >&2\n")
    java.chmod(0o755)
    (home / "bin" / "javac").write_text("#!/bin/sh\n")
    (home / "bin" / "javac").chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\nOS_ARCH="x"\n')
    return home


@pytest.mark.parametrize(
    ("version", "feature"),
    [("25.0.3", 25), ("25", 25), ("17.0.15+6", 17), ("1.8.0_402", 8), ("26-ea", 26), ("none", 0)],
)
def test_reads_the_feature_version(version: str, feature: int) -> None:
    assert Jdk(Path("/jvm"), version, True).feature == feature


def test_a_command_that_a_jvm_refuses_is_an_error_with_its_reason(tmp_path: Path) -> None:
    installed = Jdk(install(tmp_path / "x", "25.0.3"), "25.0.3", compiler=True)
    tool = installed.home / "bin" / "jcmd"
    tool.write_text(
        f'#!/bin/sh\necho "$*" > {tmp_path}/told\n[ "$2" = GC.run ] || {{ echo no; exit 1; }}\n'
    )
    tool.chmod(0o755)

    installed.command(7, "GC.run")
    assert (tmp_path / "told").read_text() == "7 GC.run\n"
    with pytest.raises(UserError, match=r"JFR\.stop name=x failed: no"):
        installed.command(7, "JFR.stop", "name=x")


def test_asks_java_where_there_is_no_release_file(tmp_path: Path) -> None:
    inspected = jdk.inspect(install(tmp_path / "x", "21.0.4", release=False))

    assert inspected == Jdk(tmp_path / "x", "21.0.4", compiler=True)


def test_passes_over_folders_without_java(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("not executable")

    assert jdk.inspect(tmp_path) is None
    assert jdk.inspect(tmp_path / "nowhere") is None


def test_looks_at_java_home_then_path_then_the_usual_places(tmp_path: Path) -> None:
    own = install(tmp_path / "own", "17.0.1")
    on_path = install(tmp_path / "on-path", "21.0.1")
    link = tmp_path / "bin" / "java"
    link.parent.mkdir()
    link.symlink_to(on_path / "bin" / "java")
    usual = install(tmp_path / "jvm" / "temurin-25", "25.0.3")
    environ = {"JAVA_HOME": str(own), "PATH": str(link.parent)}

    installed = jdk.installed(jdk.candidate_homes(environ, [str(tmp_path / "jvm" / "*")]))

    assert [installation.home for installation in installed] == [own, on_path, usual]


def test_counts_an_installation_once_however_it_is_reached(tmp_path: Path) -> None:
    home = install(tmp_path / "jvm" / "jdk-25", "25.0.3")
    (tmp_path / "jvm" / "default").symlink_to(home)

    installed = jdk.installed(jdk.candidate_homes({"JAVA_HOME": str(home)}, [f"{tmp_path}/jvm/*"]))

    assert [installation.home for installation in installed] == [home]


def made(version: str, *, compiler: bool = True) -> Jdk:
    return Jdk(Path("/jvm") / version, version, compiler)


def test_prefers_the_oldest_jdk_that_is_new_enough() -> None:
    assert jdk.for_services([made("17.0.1"), made("26.0.1"), made("25.0.3")]).feature == 25
    assert jdk.for_services([made("17.0.1"), made("26.0.1")]).feature == 26


def test_a_runtime_without_compiler_is_no_jdk() -> None:
    with pytest.raises(UserError, match="no JDK 25 found"):
        jdk.for_services([made("25.0.3", compiler=False)])


def test_says_what_was_found_and_where_it_looked() -> None:
    with pytest.raises(UserError) as refused:
        jdk.for_services([made("17.0.15")])

    assert "17.0.15 in /jvm/17.0.15" in refused.value.message
    assert refused.value.hint is not None
    assert "JAVA_HOME" in refused.value.hint
    assert "/usr/lib/jvm/*" in refused.value.hint


def test_jmeter_runs_on_17_or_21_else_on_the_services_jdk() -> None:
    every = [made("25.0.3"), made("21.0.2"), made("17.0.15", compiler=False)]

    assert jdk.for_jmeter(every).feature == 17
    assert jdk.for_jmeter(every[:2]).feature == 21
    assert jdk.for_jmeter(every[:1]).feature == 25


def test_the_environment_leads_to_this_java_first(tmp_path: Path) -> None:
    environ = Jdk(tmp_path, "25", True).environment({"PATH": "/usr/bin", "OTHER": "kept"})

    assert environ["JAVA_HOME"] == str(tmp_path)
    assert environ["PATH"].split(os.pathsep) == [str(tmp_path / "bin"), "/usr/bin"]
    assert environ["OTHER"] == "kept"

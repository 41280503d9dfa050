from __future__ import annotations

import os
import re
import time
import zipfile
from pathlib import Path

import pytest

from testbed.deploy.building import build
from testbed.deploy.building.build import Module
from testbed.deploy.building.jdk import Jdk
from testbed.model.errors import UserError
from testbed.model.project import Project

ROOT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modules>
    <module>contracts</module><module>broker-service</module><module>jmeter/distribution</module>
  </modules>
</project>"""
LIBRARY = '<project xmlns="http://maven.apache.org/POM/4.0.0"><!-- finalName --></project>'
RUNNABLE = """<project xmlns="http://maven.apache.org/POM/4.0.0"><build>
  <finalName>${project.artifactId}</finalName>
</build></project>"""
JDK = Jdk(Path("/jvm"), "25.0.3", compiler=True)
LONG_AGO = 1_000_000_000


@pytest.fixture
def sources(project: Project) -> Project:
    (project.root / "pom.xml").write_text(ROOT)
    for module, pom in (("contracts", LIBRARY), ("broker-service", RUNNABLE)):
        code = project.root / module / "src" / "main" / "java"
        code.mkdir(parents=True)
        (code / "A.java").write_text("class A {}")
        (project.root / module / "pom.xml").write_text(pom)
    (project.root / build.JMETER).mkdir(parents=True)
    (project.root / build.JMETER / "pom.xml").write_text(LIBRARY)
    for path in project.root.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return project


def pack(project: Project) -> None:
    jar = project.jar("broker-service")
    jar.parent.mkdir(exist_ok=True)
    jar.write_bytes(b"jar")
    # As the build does, for jars that are the same byte for byte.
    os.utime(jar, (LONG_AGO - 1000, LONG_AGO - 1000))


def change(path: Path) -> None:
    later = time.time() + 60
    os.utime(path, (later, later))


def stale(project: Project) -> list[str]:
    return build.stale(project, build.modules(project))


def test_the_image_build_takes_every_module() -> None:
    project = Project.find()
    every = {build.JMETER, *(module.name for module in build.modules(project))}
    copied = re.findall(
        r"^COPY (\S+?)(?:/pom\.xml)? \S+$", (project.root / "docker/Dockerfile").read_text(), re.M
    )
    sent = re.findall(
        r"^!(\S+?)(?:/pom\.xml)?$", (project.root / ".dockerignore").read_text(), re.M
    )

    assert every <= set(copied), "Maven reads every module that pom.xml names"
    assert every <= set(sent)


def test_tells_runnable_modules_from_libraries(sources: Project) -> None:
    assert build.modules(sources) == [Module("contracts", False), Module("broker-service", True)]


def test_a_missing_jar_is_stale(sources: Project) -> None:
    assert stale(sources) == ["broker-service"]


def test_a_jar_newer_than_its_sources_is_not(sources: Project) -> None:
    pack(sources)

    assert stale(sources) == []


@pytest.mark.parametrize(
    "changed",
    [
        "pom.xml",
        "broker-service/pom.xml",
        "broker-service/src/main/java/A.java",
        "contracts/src/main/java/A.java",
        "contracts/pom.xml",
        # What a deleted file leaves behind.
        "broker-service/src/main/java",
    ],
)
def test_what_the_jar_is_made_of_makes_it_stale(sources: Project, changed: str) -> None:
    pack(sources)
    change(sources.root / changed)

    assert stale(sources) == ["broker-service"]


def test_a_test_does_not(sources: Project) -> None:
    pack(sources)
    test = sources.root / "broker-service" / "src" / "test" / "ATest.java"
    test.parent.mkdir(parents=True)
    test.write_text("class ATest {}")
    os.utime(sources.root / "broker-service" / "src", (LONG_AGO, LONG_AGO))
    change(test)

    assert stale(sources) == []


def maven(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a Maven on PATH that does what a script says."""
    (folder / "bin").mkdir()
    command = folder / "bin" / "mvn"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


def test_builds_the_named_modules_with_what_they_need(
    sources: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'echo "$JAVA_HOME $*" > called; mkdir -p broker-service/target; '
    maven(tmp_path, script + "echo jar > broker-service/target/broker-service.jar", monkeypatch)

    build.build(sources, JDK, ["broker-service"])

    called = (sources.root / "called").read_text()
    assert called.startswith("/jvm ")
    assert "-pl broker-service -am -Dunchecked package" in called
    assert "jmeter" not in called
    assert stale(sources) == []


def test_a_checked_build_compiles_anew_and_a_jar_without_its_list_is_stale_to_it(
    sources: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pom = sources.root / "broker-service" / "pom.xml"
    pom.write_text(RUNNABLE.replace("</build>", "<!-- cyclonedx-maven-plugin --></build>"))
    jar = sources.jar("broker-service")
    jar.parent.mkdir()
    every = build.modules(sources)
    maven(tmp_path, 'echo "$*" > called', monkeypatch)

    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "")
    os.utime(pom, (LONG_AGO, LONG_AGO))
    assert build.stale(sources, every) == []
    assert build.stale(sources, every, checked=True) == ["broker-service"]

    build.build(sources, JDK, ["broker-service"], checked=True)
    assert "-am clean package" in (sources.root / "called").read_text()

    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(build.SBOM, "{}")
    assert build.stale(sources, every, checked=True) == []


def test_jmeter_is_laid_out_by_the_same_build(
    sources: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'echo "$*" > called; mkdir -p broker-service/target {sources.jmeter_home}/lib; '
    maven(tmp_path, script + "echo jar > broker-service/target/broker-service.jar", monkeypatch)
    sources.jmeter_home.mkdir(parents=True)
    (sources.jmeter_home / "half").touch()

    build.build(sources, JDK, ["broker-service"], jmeter=True)

    called = (sources.root / "called").read_text()
    assert f"-Djmeter.home={sources.jmeter_home} -pl broker-service,jmeter/distribution" in called
    assert build.jmeter_is_laid_out(sources)
    assert not (sources.jmeter_home / "half").exists()


def test_a_failed_build_shows_what_maven_says(
    sources: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven(tmp_path, "echo '[INFO] noise'; echo '[ERROR] A.java:[1,7] broken'; exit 1", monkeypatch)

    with pytest.raises(UserError) as refused:
        build.build(sources, JDK, ["broker-service"])

    assert "[ERROR] A.java:[1,7] broken" in refused.value.message
    assert "noise" not in refused.value.message


def test_a_build_without_a_jar_is_told(
    sources: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven(tmp_path, "exit 0", monkeypatch)

    with pytest.raises(UserError, match=r"the build made no .*broker-service\.jar"):
        build.build(sources, JDK, ["broker-service"])


def test_no_maven_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UserError, match="no mvn on PATH") as refused:
        build.maven()

    assert refused.value.hint is not None
    assert "Install Maven" in refused.value.hint


def test_missing_jars_are_named(sources: Project) -> None:
    with pytest.raises(UserError, match=r"not built: .*broker-service\.jar") as refused:
        build.require_jars(sources, [sources.jar("broker-service")])

    assert refused.value.hint == "Build first: ./testbed build"


def test_a_layout_that_broke_off_is_not_taken_for_jmeter(
    sources: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = sources.jmeter_home
    maven(tmp_path, f"mkdir -p {home}/lib; test ! -f {tmp_path}/broken", monkeypatch)
    (tmp_path / "broken").touch()
    with pytest.raises(UserError, match="the build failed"):
        build.build(sources, JDK, [], jmeter=True)
    assert not build.jmeter_is_laid_out(sources)

    (tmp_path / "broken").unlink()
    build.build(sources, JDK, [], jmeter=True)
    assert build.jmeter_is_laid_out(sources)

    change(sources.root / build.JMETER / "pom.xml")
    assert not build.jmeter_is_laid_out(sources)

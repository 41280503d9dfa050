"""JMeter's parts are those that Maven would lay out, and nothing else is taken for one."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from pathlib import Path

import pytest

from testbed.deploy.building import build, jmeter_parts
from testbed.deploy.building.jmeter_parts import JMeterPart
from testbed.model.errors import UserError
from testbed.model.project import Project

JAR = b"a jar"


def configuration() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("bin/jmeter.properties", "a=b")
        archive.writestr("META-INF/LICENSE", "none")
    return content.getvalue()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a Maven repository with two parts, the only ones that are listed."""
    contents = {"a/a.jar": (JAR, "lib/a.jar"), "c/c.jar": (configuration(), "bin/")}
    for source, (content, _) in contents.items():
        (tmp_path / "m2" / source).parent.mkdir(parents=True)
        (tmp_path / "m2" / source).write_bytes(content)
    parts = [
        JMeterPart(hashlib.sha256(content).hexdigest(), source, place)
        for source, (content, place) in contents.items()
    ]
    monkeypatch.setattr(jmeter_parts, "listed", lambda: iter(parts))
    # Nothing answers there.
    monkeypatch.setenv("TESTBED_MAVEN", "http://127.0.0.1:9")
    return tmp_path / "m2"


def test_parts_of_the_local_repository_are_laid_out(tmp_path: Path, repository: Path) -> None:
    home = tmp_path / "cache" / "jmeter"
    jmeter_parts.fetch(home, local=repository)

    assert jmeter_parts.is_complete(home)
    assert (home / "lib" / "a.jar").read_bytes() == JAR
    assert (home / "bin" / "jmeter.properties").read_text() == "a=b"
    assert not (home / "META-INF").exists()


def test_a_part_with_another_digest_is_not_taken(tmp_path: Path, repository: Path) -> None:
    (repository / "a" / "a.jar").write_bytes(b"another")
    home = tmp_path / "jmeter"

    with pytest.raises(UserError, match=r"a/a\.jar cannot be fetched"):
        jmeter_parts.fetch(home, local=repository)
    assert not jmeter_parts.is_complete(home)


def test_the_list_is_what_maven_lays_out() -> None:
    project = Project.find()
    if not build.jmeter_is_laid_out(project):
        pytest.skip("no JMeter: ./testbed build lays it out")
    home = project.jmeter_home
    jars = {
        str(file.relative_to(home)): hashlib.sha256(file.read_bytes()).hexdigest()
        for folder in ("bin", "lib")
        for file in (home / folder).rglob("*.jar")
    }

    assert {part.place: part.sha256 for part in jmeter_parts.listed() if part.place != "bin/"} == (
        jars
    )


def test_the_image_of_the_command_lays_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = (Project.find().root / "docker/testbed.Dockerfile").read_text(encoding="utf-8")
    (command,) = re.findall(r"python -c '(.+)'", recipe)
    laid_out: list[Path] = []
    monkeypatch.setattr(jmeter_parts, "fetch", lambda home, notice: laid_out.append(home))

    exec(command, {})

    assert laid_out == [Project.find().jmeter_home]

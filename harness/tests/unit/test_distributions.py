"""A program of others is fetched once, prepared, and never taken for another."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from testbed.deploy.building import distributions
from testbed.deploy.building.jdk import Jdk
from testbed.deploy.composefile import Program
from testbed.model.errors import UserError
from testbed.model.project import Project

JDK = Jdk(Path("/jvm/25"), "25.0.3", True)

SCRIPT = """#!/bin/sh
cat settings.json > prepared
echo "$JAVA_HOME $*" >> prepared
test "$1" != fail
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    # Nothing answers there.
    monkeypatch.setenv("TESTBED_MAVEN", "http://127.0.0.1:9")
    (tmp_path / "settings.json").write_text("{}\n")
    return Project(tmp_path, tmp_path / "state")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Return a program that the user's own repository has."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        script = zipfile.ZipInfo("server-1/bin/run.sh")
        script.external_attr = 0o100755 << 16
        archive.writestr(script, SCRIPT)
        archive.writestr("server-1/README", "none")
    file = tmp_path / "m2" / "a" / "server-1.zip"
    file.parent.mkdir(parents=True)
    file.write_bytes(content.getvalue())
    return Program(
        archive="a/server-1.zip",
        sha256=hashlib.sha256(content.getvalue()).hexdigest(),
        prepare=("bin/run.sh", "build"),
        command=("bin/run.sh",),
        health="/",
        files={"settings.json": "settings.json"},
    )


def folders(project: Project) -> list[Path]:
    return list((project.root / ".testbed" / "programs").iterdir())


def test_a_program_is_laid_out_and_prepared(project: Project, program: Program) -> None:
    with pytest.raises(UserError, match=r"not laid out: a/server-1\.zip"):
        distributions.require(project, program)

    distributions.lay_out(project, program, JDK, project.root / "m2")

    distributions.require(project, program)
    home = distributions.home(project, program)
    assert folders(project) == [home]
    assert (home / "prepared").read_text() == "{}\n/jvm/25 build\n"
    # A change of the file needs no further preparation.
    (project.root / "settings.json").write_text("new")
    assert (home / "settings.json").read_text() == "new"
    # Another command was quicker.
    distributions.lay_out(project, program, JDK, project.root / "m2")
    assert folders(project) == [home]
    assert distributions.home(project, replace(program, prepare=("bin/other",))) != home


def test_a_program_with_another_digest_is_not_taken(project: Project, program: Program) -> None:
    other = replace(program, sha256="0" * 64)
    with pytest.raises(UserError, match=r"a/server-1\.zip cannot be fetched"):
        distributions.lay_out(project, other, JDK, project.root / "m2")
    assert not distributions.home(project, other).exists()


def test_half_of_a_program_is_none(project: Project, program: Program) -> None:
    broken = replace(program, prepare=("bin/run.sh", "fail"))
    with pytest.raises(UserError, match=r"bin/run\.sh failed"):
        distributions.lay_out(project, broken, JDK, project.root / "m2")
    assert folders(project) == []

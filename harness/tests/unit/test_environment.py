from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from testbed.deploy.building.jdk import Jdk
from testbed.deploy.machine import usable_cpus
from testbed.measure import environment
from testbed.model.environment import differences
from testbed.model.project import Project

MANIFEST = "Manifest-Version: 1.0\nImplementation-Version: 0.1.0\nSpring-Boot-Version: 4.1.0\n"


def jar(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", MANIFEST)
    return path


def test_describes_machine_versions_flags_and_artifacts(project: Project) -> None:
    project.presets.mkdir()
    (project.presets / "tuned.jvm").write_text("# why\n\n-XX:+UseSerialGC\n-Xmx192m\n")
    (project.presets / "tuned").mkdir()
    (project.presets / "tuned" / "eureka-server.jvm").write_text("-Xmx48m\n")
    broker = jar(project.jar("broker-service"))
    jar(project.jmeter_home / "lib" / "ext" / "ApacheJMeter_core.jar")

    described = environment.describe(
        project,
        Jdk(Path("/jvm/25"), "25.0.3", True),
        Jdk(Path("/jvm/17"), "17.0.15", True),
        ["tuned"],
        [broker],
        {"mongodb": "sha256:1"},
    )

    assert described["machine"]["cores"] >= 1
    assert described["machine"]["memory_mb"] > 100
    assert described["machine"]["cpu"]
    assert described["java"] == {"services": "25.0.3", "generator": "17.0.15"}
    assert described["jmeter"] == "0.1.0"
    assert described["jvm_flags"]["tuned"] == ["-XX:+UseSerialGC", "-Xmx192m"]
    assert described["jvm_flags"]["tuned/eureka-server"] == ["-Xmx48m"]
    assert described["artifacts"] == {
        "jars": {
            "broker-service": {
                "sha256": hashlib.sha256(broker.read_bytes()).hexdigest(),
                "Implementation-Version": "0.1.0",
                "Spring-Boot-Version": "4.1.0",
            }
        },
        "images": {"mongodb": "sha256:1"},
    }
    assert described["git"] is None


def test_jars_of_another_folder_have_its_name(project: Project) -> None:
    project.presets.mkdir()
    jars = [jar(project.jar("x-service")), jar(project.root / "older" / "x-service.jar")]

    java = Jdk(Path("/jvm/25"), "25.0.3", True)
    described = environment.describe(project, java, java, [], jars, {})

    assert list(described["artifacts"]["jars"]) == ["x-service", "older/x-service"]


def test_tells_traced_runs_from_others(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def described() -> dict[str, Any]:
        java = Jdk(Path("/jvm/25"), "25.0.3", True)
        return environment.describe(project, java, java, [], [], {})

    receiver = "http://localhost:4318/v1/traces"
    monkeypatch.setenv("TESTBED_TRACING", "")
    without = described()
    monkeypatch.setenv("TESTBED_TRACING", receiver)

    assert differences(without, described()) == [f"tracing: None and {receiver!r}"]


def test_knows_the_commit_and_whether_it_was_changed(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(tmp_path), *author, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--quiet", "-m", "one")
    commit = git("rev-parse", "HEAD")
    assert environment.git(tmp_path) == {"commit": commit, "dirty": False}

    (tmp_path / "file").write_text("two")
    assert environment.git(tmp_path) == {"commit": commit, "dirty": True}


def test_other_usable_cores_are_a_difference_where_both_are_recorded(project: Project) -> None:
    java = Jdk(Path("/jvm/25"), "25.0.3", True)
    described = environment.describe(project, java, java, [], [], {})
    assert described["usable_cpus"] == usable_cpus()

    fewer = {**described, "usable_cpus": 0.5}
    old = {key: value for key, value in described.items() if key != "usable_cpus"}
    differing = differences(fewer, described)
    assert differing == [f"usable_cpus: 0.5 and {usable_cpus()!r}"]
    assert differences(old, described) == []


def test_names_each_difference_that_matters_with_both_values() -> None:
    first = {
        "machine": {"cores": 2, "cpu": "A"},
        "java": {"services": "25.0.3"},
        "git": {"commit": "a"},
        "recorded": "yesterday",
    }
    other = {
        "machine": {"cores": 8, "cpu": "A"},
        "java": {"services": "25.0.3", "generator": "17"},
        "git": {"commit": "b"},
        "recorded": "today",
    }

    assert differences(first, first) == []
    assert differences(first, other) == [
        "machine.cores: 2 and 8",
        "java.generator: None and '17'",
    ]

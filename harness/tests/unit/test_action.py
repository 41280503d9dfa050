"""The action of a workflow hands its inputs to duel, and its gate decides."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from testbed.model.project import Project

FAKE = """\
#!/bin/sh
printf '%s\\n' "$0" "$@" >>"$ASKED_OF"
[ -z "$ANSWER" ] || echo "$ANSWER" >duel.md
exit "$CODE"
"""
"""In place of pip and of the testbed: says what it was asked, and ends as it is told."""


def run(folder: Path, code: int = 0, answer: str = "", **inputs: str) -> tuple[int, list[str], str]:
    """Run the action's own step; return its exit code, what it asked of duel, and its summary."""
    action = yaml.safe_load((Project.find().root / ".github/actions/duel/action.yml").read_text())
    (step,) = (step for step in action["runs"]["steps"] if "run" in step)
    given = {name: about.get("default", "") for name, about in action["inputs"].items()} | inputs
    environ = {
        name: given[expression.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, expression in step["env"].items()
    }
    for name, ends in (("pip", 0), ("testbed", code)):
        program = folder / name
        program.write_text(
            FAKE.replace("$CODE", str(ends)).replace("$ASKED_OF", str(folder / "asked"))
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={
            **environ,
            "ANSWER": answer,
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "PATH": f"{folder}:{os.environ['PATH']}",
        },
        capture_output=True,
        check=False,
    )
    asked = (folder / "asked").read_text().splitlines()
    summary = folder / "summary"
    return (
        done.returncode,
        asked[asked.index(str(folder / "testbed")) + 1 :],
        summary.read_text() if summary.exists() else "",
    )


WHEEL = {"wheel": "testbed.whl", "get": "/api/items"}


def test_two_commands_are_compared(tmp_path: Path) -> None:
    serve = {"main": "./main/serve --port {port}", "new": "./new/serve --port {port}"}
    code, asked, summary = run(tmp_path, answer="**alike**", **WHEEL, **serve)

    assert (code, summary) == (0, "**alike**\n")
    assert asked[:7] == [
        "duel",
        "--names",
        "main,new",
        *(word for version in serve.values() for word in ("--command", version)),
    ]
    assert asked[asked.index("--fail-if") + 1] == "worse"


def test_two_images_of_a_service_are_compared(tmp_path: Path) -> None:
    given = {"compose": "docker-compose.yml", "service": "api", "front": "api:8080"}
    _, asked, _ = run(tmp_path, main="shop:1.4", new="shop:1.5", **given, **WHEEL)

    assert asked[3:11] == [
        *("--compose", "docker-compose.yml", "--front", "api:8080"),
        *("--image", "api=shop:1.4", "--image", "api=shop:1.5"),
    ]
    assert "--command" not in asked


@pytest.mark.parametrize(("code", "answer"), [(1, "**worse**"), (2, "")])
def test_a_gate_or_a_broken_build_fails_the_step(tmp_path: Path, code: int, answer: str) -> None:
    ended, _, summary = run(tmp_path, code=code, answer=answer, main="a", new="b", **WHEEL)

    assert ended == code
    assert summary.strip() == answer

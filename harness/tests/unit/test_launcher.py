"""The launcher and what the scripts of CI share, in folders with awkward names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from testbed.model.project import Project

AWKWARD = 'it\'s a "test" $(touch planted) `touch planted`; touch planted\n[x] & * é'

PYTHON = """#!/bin/sh
[ "$1" = -m ] || exit 0
printf '%s\\0' "$TESTBED_ROOT" "$@" >"$RECORD/$2"
[ "$2" != venv ] || { mkdir -p "$4/bin" && cp "$0" "$4/bin/python"; }
"""


def run(folder: Path, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        # Where cd looks first, and prints what it found.
        env={**os.environ, "CDPATH": str(folder), **environ},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_launcher_works_in_any_folder(tmp_path: Path) -> None:
    root, record, python = tmp_path / AWKWARD, tmp_path / "record", tmp_path / "a b" / "python"
    for folder in (root / "harness", record, python.parent):
        folder.mkdir(parents=True)
    shutil.copy(Project.find().root / "testbed", root)
    for name in ("pyproject.toml", "constraints.txt"):
        (root / "harness" / name).touch()
    python.write_text(PYTHON)
    python.chmod(0o755)
    asked = ("up", "$(touch planted)", "a  b", "")

    for _ in range(2):
        ended = run(
            tmp_path,
            f"{AWKWARD}/testbed",
            *asked,
            TESTBED_PYTHON=str(python),
            RECORD=str(record),
            TESTBED_ROOT="",
        )

    assert ended.returncode == 0, ended.stderr
    # The second time all is there.
    assert ended.stderr == ""
    told = {file.name: file.read_text().split("\0")[:-1] for file in record.iterdir()}
    assert told["venv"][-1] == str(root / ".venv")
    assert told["pip"][-1] == f"{root}/harness[dev]"
    assert told["testbed"] == [str(root), "-m", "testbed", *asked]
    assert list(tmp_path.rglob("planted")) == []


def test_the_scripts_of_ci_find_their_project_in_any_folder(tmp_path: Path) -> None:
    root = tmp_path / AWKWARD
    (root / ".ci").mkdir(parents=True)
    shutil.copy(Project.find().root / ".ci" / "lib.sh", root / ".ci")

    ended = run(
        tmp_path,
        *("bash", "-euo", "pipefail", "-c", '. "$1"; printf "%s" "$ROOT"; rm "$CHECKS"'),
        *("bash", f"{AWKWARD}/.ci/lib.sh"),
    )

    assert ended.stdout == str(root), ended.stderr
    assert list(tmp_path.rglob("planted")) == []

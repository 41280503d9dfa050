"""The launcher and what the scripts of CI share, in folders with awkward names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from testbed.cli import overview
from testbed.model.project import Project

HARNESS = Project.find().root / "harness"

AWKWARD = 'it\'s a "test" $(touch planted) `touch planted`; touch planted\n[x] & * é'

PYTHON = """#!/bin/sh
[ "$1" != -S ] || shift
[ "$1" = -m ] || exit 0
printf '%s\\0' "$TESTBED_ROOT" "$@" >"$RECORD/$2"
case "$2" in
  venv) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  # Help needs no packages; a command follows everything else.
  testbed.cli.overview) [ "$3" = --help ] || exit 100 ;;
esac
"""

UV = """#!/bin/sh
printf '%s\\0' "$@" >"$RECORD/uv-$1"
[ "$1" != venv ] || { mkdir -p "$6/bin" && cp "$5" "$6/bin/python"; }
"""


@dataclass(frozen=True)
class Checkout:
    """A folder with the launcher, and a Python and perhaps uv that record how they are called."""

    root: Path
    record: Path
    python: Path

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        environ = {
            "TESTBED_DEV": "",
            "TESTBED_PYTHON": str(self.python),
            "RECORD": str(self.record),
            **environ,
        }
        # Only the tools of every machine, so that no uv of this one is used.
        path = f"{self.python.parent}:/usr/bin:/bin"
        return run(self.root.parent, f"{self.root.name}/testbed", *arguments, PATH=path, **environ)

    def calls(self) -> dict[str, list[str]]:
        """Return the arguments of what was called since the last time, by its name."""
        calls = {file.name: file.read_text().split("\0")[:-1] for file in self.record.iterdir()}
        for name in calls:
            (self.record / name).unlink()
        return calls

    def made(self) -> str | None:
        """Return what the last call installed; None if nothing."""
        calls = self.calls()
        return next((calls[name][-1] for name in ("pip", "uv-pip") if name in calls), None)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / AWKWARD, tmp_path / "record", tmp_path / "a b" / "python")
    for folder in (made.root / "harness", made.record, made.python.parent):
        folder.mkdir(parents=True)
    shutil.copy(Project.find().root / "testbed", made.root)
    for name in ("pyproject.toml", "constraints.txt"):
        (made.root / "harness" / name).touch()
    made.python.write_text(PYTHON)
    made.python.chmod(0o755)
    return made


def run(folder: Path, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        # Where cd looks first, and prints what it found.
        env={**os.environ, "CDPATH": str(folder), **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_launcher_works_in_any_folder(checkout: Checkout, tmp_path: Path) -> None:
    arguments = ("up", "$(touch planted)", "a  b", "")

    for _ in range(2):
        ended = checkout.run(*arguments, TESTBED_ROOT="")

    assert ended.returncode == 0, ended.stderr
    # The second time all is there.
    assert ended.stderr == ""
    calls = checkout.calls()
    assert calls["venv"][-1] == str(checkout.root / ".venv")
    assert calls["pip"][-1] == f"{checkout.root}/harness"
    assert calls["testbed"] == [str(checkout.root), "-m", "testbed", *arguments]
    assert list(tmp_path.rglob("planted")) == []


def test_tests_install_their_packages_into_the_same_environment(checkout: Checkout) -> None:
    users, tests = f"{checkout.root}/harness", f"{checkout.root}/harness[dev]"

    assert (checkout.run("compare").returncode, checkout.made()) == (0, users)
    assert (checkout.run("test", "--help").returncode, checkout.made()) == (0, None)
    ended = checkout.run("test", "--fast")
    assert ".venv, with what tests need (about" in ended.stderr
    calls = checkout.calls()
    assert calls["pip"][-1] == tests
    assert "venv" not in calls
    # They stay, also when the packages change.
    assert (checkout.run("compare").returncode, checkout.made()) == (0, None)
    assert (checkout.run("generate").returncode, checkout.made()) == (0, None)
    (checkout.root / "harness" / "constraints.txt").write_text("changed")
    assert (checkout.run("compare").returncode, checkout.made()) == (0, tests)


def test_any_command_installs_the_packages_of_tests_if_it_should(checkout: Checkout) -> None:
    checkout.run("build", TESTBED_DEV="1")

    assert checkout.made() == f"{checkout.root}/harness[dev]"


def test_a_moved_folder_gets_another_environment(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run("up")
    checkout.calls()
    moved = replace(checkout, root=checkout.root.rename(tmp_path / "moved"))

    assert moved.run("up").returncode == 0
    calls = moved.calls()
    assert calls["venv"][-1] == str(moved.root / ".venv")
    assert calls["pip"][-1] == f"{moved.root}/harness"


def test_help_makes_no_environment(checkout: Checkout) -> None:
    ended = checkout.run("--help")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert checkout.calls().keys() == {"testbed.cli.overview"}
    assert not (checkout.root / ".venv").exists()


def test_help_of_a_new_clone_is_that_of_this_one(tmp_path: Path) -> None:
    root = tmp_path / "clone"
    shutil.copytree(HARNESS / "testbed", root / "harness" / "testbed")
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(HARNESS / name, root / "harness")
    shutil.copy(HARNESS.parent / "testbed", root)

    helped, misspelt = (
        run(root, "./testbed", word, TESTBED_PYTHON=sys.executable) for word in ("--help", "compar")
    )

    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout == overview.overview() + "\n"
    assert misspelt.returncode == 2
    assert "Did you mean 'compare'?" in misspelt.stderr
    assert not (root / ".venv").exists()


def test_uv_is_used_where_it_is_there(checkout: Checkout) -> None:
    uv = checkout.python.with_name("uv")
    uv.write_text(UV)
    uv.chmod(0o755)

    assert checkout.run("up").returncode == 0
    calls = checkout.calls()
    assert calls["uv-venv"][-1] == str(checkout.root / ".venv")
    assert calls["uv-pip"][-1] == f"{checkout.root}/harness"
    assert not {"venv", "pip"} & calls.keys()


def test_a_failed_installation_is_tried_again(checkout: Checkout) -> None:
    working = checkout.python.read_text()
    checkout.python.write_text(working.replace("esac", "  pip) exit 1 ;;\nesac"))
    ended = checkout.run("up")
    assert ended.returncode == 1
    assert "could not be installed" in ended.stderr
    assert "testbed" not in checkout.calls()

    checkout.python.write_text(working)
    assert (checkout.run("up").returncode, checkout.made()) == (0, f"{checkout.root}/harness")


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

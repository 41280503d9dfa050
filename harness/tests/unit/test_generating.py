"""What `./testbed generate` writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from testbed.cli import generating
from testbed.experiment import settings
from testbed.measure import plans
from testbed.model.project import Project
from testbed.watch.dashboards import files as dashboards

PROJECT = Project.find()


def test_generated_files_are_marked_and_others_are_not(tmp_path: Path) -> None:
    if not (PROJECT.root / ".git").exists():
        pytest.skip("not a work tree of git")
    generating.generate(tmp_path / "kubernetes")
    copy = [file for file in tmp_path.rglob("*") if file.is_file()]
    generated = {
        settings.file(PROJECT),
        *plans.contents(PROJECT),
        *(PROJECT.root / file.relative_to(tmp_path) for file in copy),
        *(PROJECT.root / "grafana/dashboards" / name for name in dashboards.contents(PROJECT.root)),
    }
    folders = ("grafana", "jmeter", "kubernetes", "systems")
    git = ("git", "-C", str(PROJECT.root))
    every = subprocess.check_output((*git, "ls-files", *folders), text=True).splitlines()
    answer = subprocess.check_output(
        (*git, "check-attr", "linguist-generated", *every), text=True
    ).splitlines()

    marked = {line.partition(":")[0] for line in answer if line.endswith(": set")}
    assert marked == {str(file.relative_to(PROJECT.root)) for file in generated}

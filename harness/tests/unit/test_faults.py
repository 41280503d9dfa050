"""What ``./testbed faults`` records, shows and publishes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from testbed.cli import faults
from testbed.model import promises
from testbed.model.project import Project
from testbed.model.promises import Checked

TESTS = Path(__file__).parents[1]

KEPT = Checked(
    promise="nothing-is-lost",
    says="Nothing acknowledged is lost.",
    tested="The service is killed under load.",
    system="sync",
    backends="embedded",
    short=False,
    result="kept",
    recorded=datetime(2026, 11, 22, 16, 0, tzinfo=UTC),
    commit="6e48199",
    figures={"lost": "0 of 10,000", "stored twice": "0 of 10,000"},
)
BROKEN = replace(
    KEPT, system="async", result="broken", figures={"lost": "3 of 10,000"}, why="3 | lost"
)
SKIPPED = replace(KEPT, promise="poison", result="unchecked", figures={}, why="needs containers")

CHECKS = '''
import pytest

@pytest.mark.promise("kept-one", "It holds.")
def test_kept(variant, figures, progress):
    """Something is killed,
    and started again."""
    progress("half way")
    figures["lost"] = "0 of 5"

@pytest.mark.promise("broken-one", "It does not hold.")
def test_broken(variant, figures):
    """Something hangs."""
    figures["lost"] = "5 of 5"
    assert False, "all is lost\\nfor ever"

@pytest.mark.promise("never-started", "It is not known.")
def test_never_started(variant, stack):
    """Nothing runs."""

@pytest.mark.promise("not-recovered", "It recovers.")
def test_not_recovered(variant, unsteady):
    """It does not."""

@pytest.mark.promise("elsewhere", "It holds in containers.")
def test_elsewhere(variant, sized):
    """Not here."""
    pytest.skip(f"size {sized(100, 1)}")

@pytest.mark.short("async")
@pytest.mark.promise("takes-long", "It holds in the end.")
def test_takes_long(variant):
    """In `sync` it takes too long for a short check."""
'''

CONFTEST = """
from faults.recording import *

def pytest_generate_tests(metafunc):
    metafunc.parametrize("variant", ["async", "sync"], scope="session")

@pytest.fixture
def stack():
    raise OSError("a port is taken")

@pytest.fixture
def unsteady():
    yield
    raise OSError("the list misses ucd")
"""


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the checks above in a process of their own."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_checks.py").write_text(CHECKS)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "--no-header", "--rootdir", str(folder)]
    command += ["-p", "pytest_timeout"]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", str(folder), f"--results={folder}", *arguments],
        env={
            **os.environ,
            "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}",
            # Loading all others takes longer than the checks.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


COMMIT = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}\b")


def git(*arguments: str) -> str:
    return subprocess.run(
        ("git", "-C", str(Project.find().root), *arguments),
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()


of_history = pytest.mark.skipif(
    git("rev-parse", "--is-shallow-repository") != "false", reason="no history of the project"
)


def test_each_check_is_recorded_with_its_figures(tmp_path: Path) -> None:
    ended = check(tmp_path, "--system=sync", "--short")

    assert ended.returncode == 1, ended.stdout + ended.stderr
    checks = {checked.promise: checked for checked in promises.read(tmp_path / promises.FILE)}
    assert {name: checked.result for name, checked in checks.items()} == {
        "kept-one": "kept",
        "broken-one": "broken",
        "never-started": "unchecked",
        "not-recovered": "broken",
        "elsewhere": "unchecked",
    }
    kept = checks["kept-one"]
    assert (kept.says, kept.tested) == ("It holds.", "Something is killed, and started again.")
    assert (kept.system, kept.backends, kept.short) == ("sync", "embedded", True)
    assert kept.figures == {"lost": "0 of 5"}
    assert kept.why is None
    assert checks["broken-one"].figures == {"lost": "5 of 5"}
    assert checks["broken-one"].why == "all is lost"
    assert checks["never-started"].why == "OSError: a port is taken"
    assert checks["not-recovered"].why == "OSError: the list misses ucd"
    assert checks["elsewhere"].why == "size 1"


def test_a_line_tells_how_each_check_ended(tmp_path: Path) -> None:
    output = check(tmp_path, "--promise=kept-one").stdout.splitlines()

    first, second = (line for line in output if "kept-one" in line)
    assert first.startswith("✓ kept-one, sync ")
    assert second.startswith("✓ kept-one, async ")
    assert first.endswith(": lost 0 of 5")


def test_an_unknown_promise_is_refused_with_the_choices(tmp_path: Path) -> None:
    ended = check(tmp_path, "--promise=kept")

    assert ended.returncode == 4
    assert "unknown promise kept; choose from: kept-one, broken-one, never-started" in ended.stderr


def test_findings_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / promises.FILE
    assert promises.read(file) == ()

    promises.write(file, [KEPT, BROKEN])

    assert promises.read(file) == (KEPT, BROKEN)
    assert json.loads(file.read_text())[0]["figures"]["lost"] == "0 of 10,000"


def test_the_latest_finding_of_each_system_and_backends_counts() -> None:
    newer = replace(BROKEN, result="kept", why=None)
    other = replace(KEPT, backends="docker")
    assert promises.latest([KEPT, BROKEN, other, newer]) == (KEPT, newer, other)


def test_the_table_fits_a_terminal() -> None:
    console = Console(width=80, file=io.StringIO(), record=True)
    console.print(faults.table([KEPT, BROKEN, SKIPPED]))
    lines = console.export_text().splitlines()

    assert max(map(len, lines)) <= 80
    assert "0 of 10,000; stored twice 0 of 10,000" in " ".join(" ".join(lines).split())
    broken = next(number for number, line in enumerate(lines) if "broken" in line)
    unchecked = next(number for number, line in enumerate(lines) if "needs containers" in line)
    assert unchecked < broken, "broken promises are not last"


def test_the_page_says_each_promise_once() -> None:
    text = faults.page([KEPT, BROKEN])

    assert text.count("## Nothing acknowledged is lost.") == 1
    assert "`nothing-is-lost`. The service is killed under load." in text
    assert (
        "| `sync` | embedded | kept | lost 0 of 10,000; stored twice 0 of 10,000 "
        "| 2026-11-22, 6e48199 |"
    ) in text
    assert "| `async` | embedded | **broken**: 3 \\| lost | lost 3 of 10,000 |" in text


def test_what_is_published_is_added_to_what_was(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "is_older", lambda *_: True)
    in_containers = replace(KEPT, backends="docker")
    faults.add_published(project, [in_containers, BROKEN])
    faults.add_published(project, [replace(BROKEN, result="kept", why=None), KEPT, SKIPPED])

    published = promises.read(project.root / faults.PUBLISHED)
    assert [(checked.system, checked.backends, checked.result) for checked in published] == [
        ("sync", "docker", "kept"),
        ("sync", "embedded", "kept"),
        ("async", "embedded", "kept"),
    ]
    assert (project.root / faults.PAGE).read_text() == faults.page(published, lambda _: True)


def test_the_page_is_made_of_the_published_figures() -> None:
    root = Project.find().root
    published = promises.read(root / faults.PUBLISHED)
    text = (root / faults.PAGE).read_text(encoding="utf-8")
    assert text.replace(", older code", "") == faults.page(published)


@of_history
def test_figures_that_are_older_than_their_code_are_marked() -> None:
    project = Project.find()
    published = promises.read(project.root / faults.PUBLISHED)
    text = (project.root / faults.PAGE).read_text(encoding="utf-8")
    assert text == faults.page(published, partial(faults.is_older, project)), (
        "mark them: .venv/bin/python -m testbed.cli.faults"
    )


@of_history
def test_every_commit_that_a_document_names_is_in_the_history() -> None:
    root = Project.find().root
    documents = [
        *root.glob("*.md"),
        *root.glob("docs/**/*.md"),
        *root.glob("*/README.md"),
        root / "analysis" / "published" / "README.md",
    ]
    history = git("rev-list", "HEAD").split()
    named = {
        (str(file.relative_to(root)), word)
        for file in documents
        for word in COMMIT.findall(file.read_text(encoding="utf-8"))
    }
    assert named
    assert not {
        mention for mention in named if not any(each.startswith(mention[1]) for each in history)
    }


def test_figures_of_changed_code_are_not_published(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(("git", "-C", str(project.root), *arguments), check=True)

    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "tester")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "tester@example.org")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "All")
    faults.require_publishable(project, short=False, changed=False)
    with pytest.raises(faults.UserError, match="needs the full check"):
        faults.require_publishable(project, short=True, changed=False)
    with pytest.raises(faults.UserError, match="about the defaults"):
        faults.require_publishable(project, short=False, changed=True)

    (project.root / "pom.xml").write_text("changed")

    with pytest.raises(faults.UserError, match="the work tree has changes"):
        faults.require_publishable(project, short=False, changed=False)

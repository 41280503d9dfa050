"""A page that shows figures of older code says so.

``python tests/unit/test_freshness.py`` writes the markers.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from testbed.deploy import deployments
from testbed.deploy.building import build
from testbed.deploy.deployments import Choice
from testbed.model import systems
from testbed.model.project import Project

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT / "analysis" / "published"
MOST = 500
"""Changed lines of its services' code, after which a folder is older code."""

LINK = re.compile(r"published/([a-z0-9-]+)")
OWN_LINK = re.compile(r"\]\(([a-z0-9-]+)/\)")
START = "> Older code"
MARKER = re.compile(r"Older code[^:\n]*:((?:[^.]|\.(?!\s))*)")
"""``Older code: [aa](...), [safety](...).``"""

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


@cache
def git(*arguments: str) -> str:
    done = subprocess.run(
        ("git", "-C", str(ROOT), *arguments), capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def commit_of(environment: dict[str, Any]) -> str:
    """Return the commit that was measured, or what history has of its moment."""
    measured = str((environment.get("git") or {}).get("commit") or "")
    if measured and git("cat-file", "-t", measured) == "commit":
        return measured
    return git("rev-list", "-1", f"--before={environment['recorded']}", "HEAD")


def variants(declared: dict[str, Any]) -> set[str]:
    every = {system["variant"] for system in (declared.get("systems") or {}).values()}
    return every or set(declared.get("variants") or ())


def with_libraries(project: Project, modules: Iterable[str]) -> set[str]:
    """Return modules with the libraries of this project that they depend on."""
    libraries = {module.name for module in build.modules(project) if not module.runnable}
    needed: set[str] = set()
    left = list(modules)
    while left:
        needed.add(module := left.pop())
        pom = (ROOT / module / "pom.xml").read_text(encoding="utf-8")
        named = set(re.findall(r"<artifactId>([\w-]+)</artifactId>", pom))
        left += (named & libraries) - needed
    return needed


def changed_lines(commit: str, modules: Iterable[str]) -> int:
    """Return the changed lines since a commit, without those that only name things otherwise."""
    sources = sorted(f"{module}/src/main" for module in modules)
    since = set(git("rev-list", f"{commit}..HEAD").splitlines())
    listed = (ROOT / ".git-blame-ignore-revs").read_text(encoding="utf-8").splitlines()
    renamings = sum(
        lines_between(f"{renaming}~", renaming, sources) for renaming in since & set(listed)
    )
    return max(0, lines_between(commit, "HEAD", sources) - renamings)


def lines_between(before: str, after: str, sources: Iterable[str]) -> int:
    counted = git("diff", "--numstat", before, after, "--", *sources)
    rows = (line.split("\t") for line in counted.splitlines())
    return sum(int(added) + int(gone) for added, gone, _ in rows if added != "-")


def older() -> dict[str, int]:
    """Return the folders of older code, with the changed lines of their services."""
    project = Project(ROOT, ROOT / ".testbed")
    lines: dict[str, int] = {}
    for file in sorted(PUBLISHED.glob("**/environment.json")):
        declared = yaml.safe_load((file.parent / "experiment.yaml").read_text())
        ran = {
            module
            for variant in variants(declared) & set(systems.names())
            for module in deployments.modules(Choice(variant), project)
        }
        commit = commit_of(json.loads(file.read_text()))
        name = file.parent.relative_to(PUBLISHED).parts[0]
        lines[name] = max(lines.get(name, 0), changed_lines(commit, with_libraries(project, ran)))
    return {name: count for name, count in lines.items() if count > MOST}


def shown(page: Path) -> Iterator[tuple[str, bool]]:
    """Yield the folders whose figures a page shows, and whether it marks them as older code."""
    text = page.read_text(encoding="utf-8")
    link = OWN_LINK if page.parent == PUBLISHED else LINK
    marked = {name for part in MARKER.findall(text) for name in link.findall(part)}
    for name in sorted(set(link.findall(text))):
        if (PUBLISHED / name / "environment.json").is_file() or list(
            (PUBLISHED / name).glob("*/environment.json")
        ):
            yield name, name in marked


def pages() -> Iterator[Path]:
    """Yield the pages that may show figures; that of claims only names the folders."""
    yield from (page for page in (*PAGES, PUBLISHED / "README.md") if page.name != "claims.md")


def mark(page: Path, old: Iterable[str]) -> None:
    """Write or remove the marker of a page, which follows its title."""
    names = [name for name, _ in shown(page) if name in old]
    lines = page.read_text(encoding="utf-8").split("\n")
    kept = [line for line in lines if not line.startswith(START)]
    if len(kept) < len(lines):
        del kept[1]  # The empty line before it.
    if names:
        to = os.path.relpath(PUBLISHED, page.parent)
        prefix = "" if page.parent == PUBLISHED else f"{to}/"
        links = ", ".join(f"[{name}]({prefix}{name}/)" for name in names)
        kept[1:1] = ["", f"{START} (over {MOST} changed lines of their services since): {links}."]
    page.write_text("\n".join(kept), encoding="utf-8")


@pytest.mark.skipif(
    git("rev-parse", "--is-shallow-repository") != "false", reason="needs the whole history"
)
def test_pages_mark_figures_of_older_code_and_no_others() -> None:
    old = older()
    wrong = [
        f"{page.relative_to(ROOT)}: {name} "
        + (f"needs a marker ({old[name]} changed lines)" if name in old else "is not older code")
        for page in pages()
        for name, marked in shown(page)
        if marked != (name in old)
    ]
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    stale = older()
    for path in pages():
        if path != ROOT / "README.md":  # Which has its own words.
            mark(path, stale)

"""Users get the packages that the harness imports, and no others; every version is pinned."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from testbed.model.project import Project

HARNESS = Project.find().root / "harness"

DEVELOPMENT = ("watch/dashboards/",)
"""What writes committed files; no command imports it."""

IN_JUPYTER = {"IPython"}

PARTS = {"pydantic-core": "pydantic"}
"""Packages that belong to another one, which pins them."""


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements: list[str]) -> set[str]:
    """Return the packages of requirements such as ``httpx>=0.28``."""
    return {normalized(Requirement(text).name) for text in requirements}


def imported(file: Path) -> Iterator[str]:
    """Yield the top-level modules that a file imports, in functions too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


def packages(folder: Path, *, development: bool) -> set[str]:
    """Return the packages that the files of a folder import."""
    files = (
        file
        for file in folder.rglob("*.py")
        if file.relative_to(folder).as_posix().startswith(DEVELOPMENT) == development
    )
    modules = {module for file in files for module in imported(file)}
    providers = metadata.packages_distributions()
    foreign = modules - sys.stdlib_module_names - IN_JUPYTER - {"testbed"}
    names = {normalized(providers[module][0]) for module in foreign}
    return {PARTS.get(name, name) for name in names}


def test_users_get_what_is_imported_and_nothing_else() -> None:
    project = tomllib.loads((HARNESS / "pyproject.toml").read_text())["project"]
    runtime, development = (
        named(project["dependencies"]),
        named(project["optional-dependencies"]["dev"]),
    )

    assert packages(HARNESS / "testbed", development=False) == runtime
    assert packages(HARNESS / "testbed", development=True) <= runtime | development
    assert not runtime & development


def required(name: str, extras: set[str], seen: set[str]) -> None:
    """Add to `seen` what a package needs on this machine, and what that needs."""
    for text in metadata.requires(name) or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            continue
        package = normalized(requirement.name)
        if package not in seen:
            seen.add(package)
            required(package, requirement.extras, seen)


def test_every_package_is_pinned() -> None:
    lines = (HARNESS / "constraints.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    project = tomllib.loads((HARNESS / "pyproject.toml").read_text())["project"]
    direct = named([*project["dependencies"], *project["optional-dependencies"]["dev"]])
    every = set(direct)
    for package in direct:
        required(package, set(), every)

    assert {package: metadata.version(package) for package in every} == {
        package: pinned.get(package) for package in every
    }

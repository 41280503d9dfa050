"""Each runnable jar holds the list of its libraries (SBOM)."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from testbed.model.project import Project

SBOM = "META-INF/sbom/application.cdx.json"
UNPACKER = "spring-boot-jarmode-tools-"
"""What Spring Boot's plugin adds to every jar, after the list is made."""

ROOT = Project.find().root
MODULES = sorted(
    file.parent.name
    for file in ROOT.glob("*/pom.xml")
    if "spring-boot-maven-plugin" in file.read_text(encoding="utf-8")
)


def listed(module: str) -> set[tuple[str, str]]:
    """Return the name and the version of each library that a jar lists."""
    with zipfile.ZipFile(Project.find().jar(module)) as jar:
        assert SBOM in jar.namelist(), "Maven makes it when it is online: build without -o"
        components = json.loads(jar.read(SBOM))["components"]
    return {(component["name"], component["version"]) for component in components}


@pytest.mark.parametrize("module", MODULES)
def test_a_jar_lists_every_library_in_it(module: str) -> None:
    with zipfile.ZipFile(Project.find().jar(module)) as jar:
        libraries = {
            Path(name).stem for name in jar.namelist() if re.match(r"BOOT-INF/lib/.+\.jar", name)
        }
    # The name of a file may have more after it: a classifier.
    components = tuple(f"{name}-{version}" for name, version in listed(module))

    assert libraries
    assert [
        library for library in sorted(libraries) if not library.startswith((*components, UNPACKER))
    ] == []


def test_spring_boot_is_listed_with_its_version() -> None:
    pom = (ROOT / "pom.xml").read_text(encoding="utf-8")
    parent = re.search(r"<artifactId>spring-boot-starter-parent</.*\s*<version>(.+)</", pom)

    assert parent is not None
    assert ("spring-boot", parent[1]) in listed("api-gateway-service")

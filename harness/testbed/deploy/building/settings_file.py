"""Writes ``systems/settings.yaml`` from the metadata that Spring's annotation processor generates.

After a build: ``./testbed generate``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import yaml

from testbed.deploy import composefile
from testbed.experiment import settings
from testbed.model import systems
from testbed.model.project import Project

METADATA = "*/target/classes/META-INF/spring-configuration-metadata.json"

HEAD = """\
# What our services add to the properties of Spring: environment variables, and what each sets.
# Made from the services: ./testbed generate
"""


def described(project: Project) -> dict[str, str]:
    """Return the description of each setting of the built services by environment variable.

    Leaves out what the compose files set: it follows from the system, the preset and the ports.
    """
    descriptions = {}
    for file in sorted(project.root.glob(METADATA)):
        for setting in json.loads(file.read_text(encoding="utf-8"))["properties"]:
            variable = setting["name"].upper().replace(".", "_").replace("-", "_")
            descriptions[variable] = setting.get("description", "")
    given = _given(project)
    return {name: descriptions[name] for name in sorted(descriptions) if name not in given}


def content(descriptions: Mapping[str, str]) -> str:
    return HEAD + yaml.safe_dump(dict(descriptions), sort_keys=False, width=105, allow_unicode=True)


def write(project: Project) -> list[Path]:
    """Write the file, and return its path."""
    file = settings.file(project)
    file.write_text(content(described(project)), encoding="utf-8")
    return [file]


def _given(project: Project) -> set[str]:
    variables = composefile.variables(project, os.environ)
    declared = systems.declarations(project.root).values()
    # Where one system asks for tokens by default, others are told to.
    of_tokens = {
        name
        for system in declared
        if (issuing := system.tokens) is not None
        for name in (issuing.setting, issuing.issuer)
    }
    files = {system.compose for system in declared}
    return {
        name
        for file in files
        for service in composefile.read(project.root / file, variables).values()
        for name in service.environment
        if name not in of_tokens
    }

"""Writes ``systems/settings.yaml`` from the metadata that Spring's annotation processor generates.

After a build: ``.venv/bin/python -m testbed.deploy.settings_file``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping

import yaml

from testbed.deploy import compose, composefile
from testbed.experiment import settings
from testbed.model import systems
from testbed.model.errors import UserError
from testbed.model.project import Project

METADATA = "*/target/classes/META-INF/spring-configuration-metadata.json"

HEAD = """\
# What our services add to the properties of Spring: environment variables, and what each sets.
# Made from the services: .venv/bin/python -m testbed.deploy.settings_file
"""


def found(project: Project) -> dict[str, str]:
    """Return the description of each setting of the built services by environment variable.

    Leaves out what the compose files set: it follows from the system, the preset and the ports.
    """
    described = {}
    for file in sorted(project.root.glob(METADATA)):
        for one in json.loads(file.read_text(encoding="utf-8"))["properties"]:
            variable = one["name"].upper().replace(".", "_").replace("-", "_")
            described[variable] = one.get("description", "")
    given = _given(project)
    return {name: described[name] for name in sorted(described) if name not in given}


def content(described: Mapping[str, str]) -> str:
    return HEAD + yaml.safe_dump(dict(described), sort_keys=False, width=105, allow_unicode=True)


def _given(project: Project) -> set[str]:
    variables = compose.variables(project, os.environ)
    files = {one.compose for one in systems.declarations(project.root).values()}
    return {
        name
        for file in files
        for service in composefile.read(project.root / file, variables).values()
        for name in service.environment
    }


if __name__ == "__main__":
    here = Project.find()
    try:
        settings.file(here).write_text(content(found(here)), encoding="utf-8")
    except UserError as problem:
        sys.exit(problem.message)
    print(settings.file(here))

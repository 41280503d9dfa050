"""Makes the JMeter plans: those that ship, and those of the user's own systems.

Each is made of ``jmeter/template.jmx.j2``, the system's declaration and the workload: that of
``jmeter/workloads/NAME.yaml``, or the user's own.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from testbed.model import files, systems, values
from testbed.model.declared import load, read
from testbed.model.project import Project
from testbed.model.systems import SystemDeclaration
from testbed.model.workloads import SessionDeclaration, WorkloadDeclaration


def contents(project: Project) -> Mapping[Path, str]:
    """Return the plans that ship, by their paths."""
    return {
        project.plans / name: text
        for name, text in _made(project, systems.declarations(project.root).values()).items()
    }


def write(project: Project) -> list[Path]:
    """Write the plans that ship, and return their paths."""
    plans = contents(project)
    for file, text in plans.items():
        file.write_text(text, encoding="utf-8")
    return list(plans)


def write_own(project: Project, names: Iterable[str]) -> None:
    """Write the plans of some of the user's own systems."""
    for name, text in _made(project, map(systems.declaration, names)).items():
        files.write(project.own_plans / name, text.encode())


def is_session(project: Project, system: str, workload: str) -> bool:
    """Return whether an operation of a workload consists of several requests, as its user's do."""
    declared = systems.declaration(system)
    if (plan := declared.plans.get(workload)) is not None:
        return len(plan.operations) > 1
    if workload in declared.requests:
        return False
    return isinstance(_read(project, workload), SessionDeclaration)


def _made(project: Project, declared: Iterable[SystemDeclaration]) -> dict[str, str]:
    environment = Environment(
        loader=FileSystemLoader(project.plans), autoescape=True, undefined=StrictUndefined
    )
    template = environment.get_template("template.jmx.j2")

    def made(system: SystemDeclaration, name: str, path: str) -> str:
        own, of_file = system.requests.get(name), None
        if own is not None and own.csv is not None:
            of_file = values.read(Path(own.csv))
            values.require_used(of_file, path, (own.body, *own.headers.values()))
            path = values.fill(path, of_file.references)
            own = own.filled(of_file.references)
        if (plan := systems.user_plan(system.name, name) if system.plans else None) is not None:
            own = WorkloadDeclaration(description=plan.file.name)
        workload = own or _read(project, name)
        return _laid_out(
            template.render(
                system=system,
                name=name,
                path=path,
                workload=workload,
                values=of_file,
                plan=plan,
                token=_argument(project.token(system.name)),
            )
        )

    return {
        f"{system.name}-{name}.jmx": made(system, name, path)
        for system in declared
        for name, path in system.every_workload.items()
    }


def _argument(file: Path) -> str:
    """Return a path as an argument of a function in a plan."""
    return re.sub(r"([\\,$])", r"\\\1", str(file))


def _read(project: Project, name: str) -> WorkloadDeclaration | SessionDeclaration:
    file = project.plans / "workloads" / f"{name}.yaml"
    keys = load(file.read_text(encoding="utf-8"))
    if isinstance(keys, dict) and "session" in keys:
        return read(SessionDeclaration, "workload", file)
    return read(WorkloadDeclaration, "workload", file)


def _laid_out(xml: str) -> str:
    root = ET.fromstring(xml, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode").replace(" />", "/>").replace("\r", "&#13;")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'

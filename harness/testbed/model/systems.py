"""The systems that can be measured, each declared in ``systems/NAME/system.yaml``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from testbed.model.errors import UserError, unknown
from testbed.model.project import Project

Preset = Literal["tuned", "thesis"]
Backends = Literal["embedded", "docker", "local"]
Protocol = Literal["direct", "acknowledged"]

PRESETS: tuple[str, ...] = get_args(Preset)
BACKENDS: tuple[str, ...] = get_args(Backends)


class Declared(BaseModel):
    """A part of a declaration: a key that it does not know is an error, and none changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Endpoint(Declared):
    """A port of a service, both as the compose file has them."""

    service: str
    port: Annotated[int, Field(ge=1, le=65_535)]


class Probe(Declared):
    """A question to the front door that a complete system answers with 200.

    Attributes
    ----------
    get
        The path.
    items
        How many entries the JSON list has at least.
    incomplete_header
        A header that names what the answer lacks; it is absent in a full answer.
    """

    get: str
    items: int | None = None
    incomplete_header: str | None = None


class Reset(Endpoint):
    """The collection that is emptied in every database whose name has a prefix, ``databases``."""

    databases: str
    collection: str


class HopRule(Declared):
    """Which timers are a hop on the way of an operation.

    Attributes
    ----------
    name
        With ``{label}`` for the value of a label.
    metric
        Of the timer, as Prometheus has it, without ``_count`` or ``_sum``.
    service
        A regular expression; None for every service.
    labels
        A regular expression for each label that must fit.
    workloads
        Those that it belongs to; none for all.
    """

    name: str
    metric: str
    service: str | None = None
    labels: dict[str, str] = {}
    workloads: tuple[str, ...] = ()

    def name_for(self, service: str, labels: Mapping[str, str], workload: str) -> str | None:
        """Return the name of the hop that a timer belongs to; None if it is another's."""
        fits = (
            (not self.workloads or workload in self.workloads)
            and (self.service is None or re.fullmatch(self.service, service))
            and all(
                re.fullmatch(pattern, labels.get(key, "")) for key, pattern in self.labels.items()
            )
        )
        return self.name.format_map(defaultdict(str, labels)) if fits else None


class Handicap(Declared):
    """A setting that burns CPU time, a duration, and how often an operation of a workload does."""

    setting: str
    calls: dict[str, int]


class SystemDeclaration(Declared):
    """What the harness knows of a system.

    Attributes
    ----------
    name
        Of its folder in ``systems``.
    compose
        The compose file, which describes services, ports, environment, health and order.
    front
        Where the load goes.
    protocol
        ``direct``: the answer is the result. ``acknowledged``: ask, then fetch.
    workloads
        What users do; each has a plan ``jmeter/NAME-WORKLOAD.jmx``.
    complete
        What a complete system answers.
    stoppable
        Services that an experiment may stop for a while.
    reset
        What is emptied before each run.
    hops
        The timers that an operation passes, from the outside in.
    partial_answer
        A regular expression for the messages of failed assertions that mean that the answer lacks a
        part; None where there are none.
    handicap
        What makes it slower by a known amount.
    """

    name: str
    compose: str
    front: Endpoint
    protocol: Protocol
    workloads: Annotated[tuple[str, ...], Field(min_length=1)]
    complete: Annotated[tuple[Probe, ...], Field(min_length=1)]
    stoppable: tuple[str, ...] = ()
    reset: Reset
    hops: tuple[HopRule, ...] = ()
    partial_answer: str | None = None
    handicap: Handicap | None = None


@cache
def declarations(root: Path | None = None) -> Mapping[str, SystemDeclaration]:
    """Return all systems by name: those that answer directly first, then by the alphabet.

    Raises
    ------
    UserError
        If a declaration is not valid.
    """
    folder = (root or Project.find().root) / "systems"
    found = [_read(file) for file in sorted(folder.glob("*/system.yaml"))]
    ordered = sorted(found, key=lambda one: one.protocol != "direct")
    return {one.name: one for one in ordered}


def names() -> tuple[str, ...]:
    """Return the names of all systems, in the order of `declarations`."""
    return tuple(declarations())


def declaration(name: str) -> SystemDeclaration:
    """Return the declaration of a system.

    Raises
    ------
    UserError
        If there is no such system.
    """
    if name not in declarations():
        raise unknown("system", name, names())
    return declarations()[name]


def workloads(of: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the workloads of all systems, or those that some systems have in common."""
    known = [set(declaration(name).workloads) for name in (names() if of is None else of)]
    everywhere = set.union(*known) if of is None else set.intersection(*known)
    ordered = (one for system in declarations().values() for one in system.workloads)
    return tuple(one for one in dict.fromkeys(ordered) if one in everywhere)


def fetches(name: str) -> bool:
    """Return whether the results of a system are fetched; False for one that is not declared."""
    found = declarations().get(name)
    return found is not None and found.protocol == "acknowledged"


def _read(file: Path) -> SystemDeclaration:
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        return SystemDeclaration.model_validate({**data, "name": file.parent.name})
    except (yaml.YAMLError, ValidationError, TypeError) as problem:
        raise UserError(f"{file} is not a valid system: {problem}") from problem


def _known(name: str) -> str:
    if name not in declarations():
        raise ValueError(f"{name!r} is unknown; choose from: {', '.join(names())}")
    return name


def _known_workload(name: str) -> str:
    if name not in workloads():
        raise ValueError(f"{name!r} is unknown; choose from: {', '.join(workloads())}")
    return name


Variant = Annotated[str, AfterValidator(_known)]
"""The name of a declared system."""

Workload = Annotated[str, AfterValidator(_known_workload)]
"""A workload of a declared system."""

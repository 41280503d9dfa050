"""Reads experiments from YAML, and reports what is wrong with each key."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from testbed.experiment.declaration import Experiment
from testbed.experiment.loads import EXPERIMENT, AnyLoad
from testbed.experiment.parts import Section
from testbed.model import declared, systems
from testbed.model.declared import Declared, of_value
from testbed.model.errors import UserError
from testbed.model.project import FILE, Project

NOTHING = "tuple[]"
"""What pydantic calls the alternative to a list of levels: none, as another key has them."""

TAGS: dict[int | str, tuple[str, ...]] = {"autoscale": ("hpa", "alarm")}
"""Keys with several kinds of value. Pydantic puts the kind after the key into a location."""


def shipped(project: Project) -> list[str]:
    """Return the names of the experiments that ship with the project."""
    return sorted(path.stem for path in project.experiments.glob("*.yaml"))


def own(project: Project) -> list[str]:
    """Return the names of the experiments of the user's ``testbed.yaml``."""
    return list(systems.project_file(project).experiments)


def load(project: Project, argument: str) -> Experiment:
    """Read an experiment from a file, or by its name: the user's own, or one that ships.

    Raises `UserError` if there is no such file or it is not a valid experiment. The error names
    each key, its value and the choices.
    """
    path = Path(argument)
    if argument in own(project) and not path.is_file():
        keys = {"name": argument, **systems.project_file(project).experiments[argument]}
        origin = f"{project.shown(project.folder / FILE)}, experiments.{argument}"
        return parse(yaml.safe_dump(keys, sort_keys=False), origin)
    if not path.is_file() and path.name == argument:
        path = project.experiments / f"{argument.removesuffix('.yaml')}.yaml"
    if not path.is_file():
        raise UserError(
            f"no experiment {argument!r}",
            f"There are: {', '.join((*own(project), *shipped(project))) or 'none'}.",
        )
    origin = project.shown(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise UserError(f"{origin} is not text in UTF-8: byte {problem.start}") from problem
    return parse(text, origin)


def changed(plan: Experiment, **keys: Any) -> Experiment:
    """Return an experiment with some keys changed; raise `UserError` like `load`."""
    data = yaml.safe_load(plan.to_yaml()) | keys
    if "precision" in keys:
        data.pop("repetitions", None)
    return parse(yaml.safe_dump(data, sort_keys=False), plan.name)


def parse(text: str, origin: str) -> Experiment:
    """Read an experiment from YAML; errors name `origin`.

    Raises `UserError` like `load`.
    """
    try:
        data: Any = declared.load(text)
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        raise UserError(f"{origin}, line {line}: {problem.problem or 'not YAML'}") from problem
    except (yaml.YAMLError, ValueError) as problem:  # Such as a 30th of February.
        raise UserError(f"{origin} is not YAML: {problem}") from problem
    if not isinstance(data, dict):
        raise UserError(f"{origin} is not an experiment: expected keys such as name and threads")
    try:
        return EXPERIMENT.validate_python(data)
    except ValidationError as problem:
        lines = [
            f"  {_told(error)}"
            for error in _own(problem.errors())
            # What follows from another error: a list without its invalid values, a default.
            if not (
                error["type"] == "too_short" and error["ctx"]["actual_length"] < len(error["input"])
            )
            and error["type"] != "default_factory_not_called"
        ]
        raise UserError("\n".join([f"{origin} is not a valid experiment:", *lines])) from problem


def _own(errors: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Return errors without those that follow from others.

    A value that is not the empty list has an error of each alternative. Systems of an invalid
    declaration are unknown.
    """
    places = [error["loc"] for error in errors]
    empty = [place[: place.index(NOTHING)] for place in places if NOTHING in place]
    doubled = [
        before
        for before in empty
        if any(place[: len(before)] == before and NOTHING not in place for place in places)
    ]
    undeclared = any(place[1:2] == ("declares",) for place in places)
    return [
        error
        for error, place in zip(errors, places, strict=True)
        if not (NOTHING in place and place[: place.index(NOTHING)] in doubled)
        and not (undeclared and place[1:2] == ("systems",) and place[-1] == "variant")
    ]


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a user's ``testbed.yaml``."""
    whole, experiment = systems.ProjectFile.model_json_schema(), EXPERIMENT.json_schema()
    kinds = experiment.pop("$defs")
    for kind in kinds.values():
        # The name of an experiment is its key in the file.
        if "name" in kind.get("required", ()):
            kind["required"].remove("name")
    whole["$defs"] |= kinds
    # A kind of load is told by keys that others do not have.
    any_kind = {"anyOf": experiment["oneOf"]}
    whole["properties"]["experiments"] = {"type": "object", "additionalProperties": any_kind}
    return whole


def _told(error: ErrorDetails) -> str:
    """Describe what is wrong with one key: its name, its value and the choices."""
    # Pydantic puts the kind of load first, unless there is no such kind.
    kind, *tagged = error["loc"] or ("",)
    # The kind of a value in a list is after its place.
    named: list[int | str] = [""]
    for part in tagged:
        named.append(named[-1] if _place(part) else part)
    pairs = list(zip(named, tagged, strict=False))
    location = [part for before, part in pairs if part not in TAGS.get(before, ())]
    tags = [part for before, part in pairs if part in TAGS.get(before, ())]
    key = _key(location)
    value = error["input"]
    match error["type"]:
        case "extra_forbidden" if location[-1] not in (keys := _known_keys(location[:-1])):
            near = difflib.get_close_matches(str(location[-1]), keys, n=1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            return f"{key}: unknown key{meant}; choose from: {', '.join(keys)}"
        case "extra_forbidden" | "none_required" | "too_long":
            # Another kind of load or of autoscaler has this key.
            return f"{key} and {[kind, *tags][-1]} exclude each other: give one"
        case "union_tag_invalid" | "union_tag_not_found":
            chosen, choices = error["ctx"]["discriminator"].strip("'"), TAGS[named[-1]]
            given = f" {value[chosen]!r}:" if chosen in value else ""
            return f"{key}.{chosen}:{given} choose from: {', '.join(choices)}"
        case "too_short":
            return f"{key}: {value!r}: give at least {error['ctx']['min_length']}"
        case "tuple_type":
            return f"{key}: {value!r} is not a list; write [{value}]"
        case _:
            return of_value(key, error)


def _key(location: Sequence[int | str]) -> str:
    """Return a location as a user writes it.

    Pydantic marks the name of a key by ``[key]``, and one of several types by its name.
    """
    parts = [part for part in location if not (isinstance(part, str) and "[" in part)]
    text = "".join(f"[{part}]" if _place(part) else f".{part}" for part in parts)
    return text.removeprefix(".")


def _place(part: int | str) -> bool:
    """Return whether a part of a location is a place in a list, not a key."""
    return isinstance(part, int)


def _known_keys(location: Sequence[int | str]) -> list[str]:
    """Return the keys at a location, in any kind of load."""
    fields = _fields(AnyLoad)
    for part in location:
        # The name of a system is no key: its keys have been found already.
        inner = (_fields(field.annotation) for name, field in fields if name == part)
        fields = list(itertools.chain.from_iterable(inner)) or fields
    return list(dict.fromkeys(name for name, _ in fields))


def _fields(annotation: Any) -> list[tuple[str, FieldInfo]]:
    """Return the keys of all sections that a type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, (Section, Declared)):
        return [(field.alias or name, field) for name, field in annotation.model_fields.items()]
    return list(itertools.chain.from_iterable(map(_fields, get_args(annotation))))

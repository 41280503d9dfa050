"""Reads experiments from YAML, and reports what is wrong with each key."""

from __future__ import annotations

import difflib
import itertools
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from testbed.experiment.declaration import Experiment
from testbed.experiment.parts import (
    Blocks,
    Disturb,
    LocalPorts,
    Precision,
    Ramp,
    Search,
    Slo,
    Steps,
    SystemSpec,
    Warmup,
)
from testbed.model.errors import UserError
from testbed.model.project import Project


def shipped(project: Project) -> list[str]:
    """Return the names of the experiments that ship with the project."""
    return sorted(path.stem for path in project.experiments.glob("*.yaml"))


def load(project: Project, argument: str) -> Experiment:
    """Read an experiment from a file, or by its name if it ships with the project.

    Raises `UserError` if there is no such file or it is not a valid experiment. The error names
    each key, its value and the choices.
    """
    path = Path(argument)
    if not path.is_file() and path.name == argument:
        path = project.experiments / f"{path.stem}.yaml"
    if not path.is_file():
        raise UserError(
            f"no experiment {argument!r}", f"Shipped ones: {', '.join(shipped(project))}."
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
        data: Any = yaml.safe_load(text)
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        raise UserError(f"{origin}, line {line}: {problem.problem or 'not YAML'}") from problem
    except yaml.YAMLError as problem:
        raise UserError(f"{origin} is not YAML: {problem}") from problem
    if not isinstance(data, dict):
        raise UserError(f"{origin} is not an experiment: expected keys such as name and threads")
    try:
        return Experiment.model_validate(data)
    except ValidationError as problem:
        errors = problem.errors()
        wrong = [error["loc"] for error in errors if error["type"] != "too_short"]
        lines = [
            f"  {_told(error)}"
            for error in errors
            # A list without its invalid values may be too short: do not report that too.
            if not (error["type"] == "too_short" and any(error["loc"] == one[:-1] for one in wrong))
        ]
        raise UserError("\n".join([f"{origin} is not a valid experiment:", *lines])) from problem


def _told(error: ErrorDetails) -> str:
    """Describe what is wrong with one key: its name, its value and the choices."""
    key = _key(error["loc"])
    value = error["input"]
    match error["type"]:
        case "missing":
            return f"{key}: missing"
        case "extra_forbidden":
            known = list(_known_keys(error["loc"][:-1]))
            near = difflib.get_close_matches(str(error["loc"][-1]), known, n=1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            return f"{key}: unknown key{meant}; choose from: {', '.join(known)}"
        case "literal_error":
            choices = error["ctx"]["expected"].replace(" or ", ", ").replace("'", "")
            return f"{key}: {value!r} is unknown; choose from: {choices}"
        case "value_error":
            message = str(error["ctx"]["error"])
            return f"{key}: {message}" if key else message
        case "union_tag_invalid":
            given = value.get("kind") if isinstance(value, dict) else value
            return f"{key}.kind: {given!r} is unknown; choose from: steps, ramp"
        case "union_tag_not_found":
            return f"{key}.kind: missing; choose from: steps, ramp"
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"{key}: {value!r} is not a set of keys"
        case "tuple_type":
            return f"{key}: {value!r} is not a list; write [{value}]"
        case "string_type":
            return f"{key}: {value!r} is not text; write it in quotes"
        case "string_pattern_mismatch":
            # Settings are the only names in capitals.
            letters = "capital letters, digits and underscores"
            if "A-Z" not in error["ctx"]["pattern"]:
                letters = "small letters, digits and hyphens, a letter first"
            return f"{key}: {value!r}: choose {letters}"
        case _:
            message = error["msg"][0].lower() + error["msg"][1:]
            return f"{key}: {value!r}: {message}"


def _key(location: tuple[int | str, ...]) -> str:
    text = ""
    if location[:1] == ("schedule",):
        # Pydantic adds the chosen kind, which is not a key.
        location = tuple(part for part in location if part not in ("steps", "ramp"))
    if "[key]" in location:
        location = location[:-1]
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


_PARTS: dict[str, tuple[type[BaseModel], ...]] = {
    "": (Experiment,),
    "warmup": (Warmup,),
    "blocks": (Blocks,),
    "systems": (SystemSpec,),
    "schedule": (Steps, Ramp),
    "precision": (Precision,),
    "slo": (Slo,),
    "search": (Search,),
    "disturb": (Disturb,),
    "local_ports": (LocalPorts,),
}


def _known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    first = str(location[0]) if location else ""
    models = _PARTS.get(first, (Experiment,))
    if first == "schedule":
        models = (Steps,) if "steps" in location else (Ramp,)
    fields = itertools.chain.from_iterable(model.model_fields.items() for model in models)
    return tuple(dict.fromkeys(field.alias or name for name, field in fields))

"""Declarations in YAML, such as ``systems/NAME/system.yaml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from testbed.model.errors import UserError


class Declared(BaseModel):
    """Base of the declarations: immutable; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _UniqueKeys(yaml.SafeLoader):
    """Refuses a key that is given twice, of which PyYAML takes the last."""

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        keys = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in keys:
                raise yaml.constructor.ConstructorError(
                    problem=f"key {key.value!r} is given twice", problem_mark=key.start_mark
                )
            keys.add(key.value)
        return node


def load(text: str) -> Any:
    """Read YAML like `yaml.safe_load`; raise `yaml.YAMLError` too if a key is given twice."""
    return yaml.load(text, Loader=_UniqueKeys)  # noqa: S506 (a SafeLoader)


Declaration = TypeVar("Declaration", bound=Declared)


def read(
    kind: type[Declaration], what: str, file: Path, context: Any = None, **given: Any
) -> Declaration:
    """Read a declaration; ``given`` are the values that its place among the files decides.

    Raises `UserError` naming the file, as a ``what``, and each wrong key. ``context`` is for
    Pydantic's validators.
    """
    try:
        return kind.model_validate({**_loaded(kind, file), **given}, context=context)
    except ValidationError as problem:
        lines = [f"  {_of_key(error)}" for error in problem.errors()]
        raise UserError("\n".join([f"{file} is not a valid {what}:", *lines])) from problem
    except RecursionError:
        raise UserError(f"{file} is not a valid {what}: extends leads back to it") from None
    except (yaml.YAMLError, OSError, ValueError, TypeError) as problem:
        raise UserError(f"{file} is not a valid {what}: {problem}") from problem


def _loaded(kind: type[Declared], file: Path) -> Any:
    """Read a file; where its kind has ``extends``, keys that it lacks are those of that file."""
    data = load(file.read_text(encoding="utf-8"))
    if "extends" in kind.model_fields and isinstance(data, dict) and "extends" in data:
        return {**_loaded(kind, file.parent / data["extends"]), **data}
    return data


def _of_key(error: ErrorDetails) -> str:
    """Describe what is wrong with one key."""
    key = ".".join(map(str, error["loc"]))
    match error["type"]:
        case "extra_forbidden" if error["loc"][-1] == "target":
            return f"{key}: a target stands under the systems of an experiment"
        case "extra_forbidden":
            return f"{key}: unknown key"
        case _:
            return of_value(key, error)


def of_value(key: str, error: ErrorDetails) -> str:
    """Describe what is wrong with the value of a key."""
    value = error["input"]
    if error["type"] == "value_error":
        parts = [key, str(error["ctx"]["error"])]
    else:
        message = error["msg"][0].lower() + error["msg"][1:]
        # A set of keys that lacks one, or has the wrong ones, is no value to show.
        parts = [key, "" if isinstance(value, dict) else repr(value), message]
    return ": ".join(part for part in parts if part)

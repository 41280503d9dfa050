"""Declarations in YAML, such as ``systems/NAME/system.yaml``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict

from testbed.model.errors import UserError


class Declared(BaseModel):
    """Base of the declarations: immutable; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Declaration = TypeVar("Declaration", bound=Declared)


def read(
    kind: type[Declaration], what: str, file: Path, context: Any = None, **given: Any
) -> Declaration:
    """Read a declaration; ``given`` are the values that its place among the files decides.

    Raises `UserError` naming the file, as a ``what``, and each wrong key. ``context`` is for
    Pydantic's validators.
    """
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        return kind.model_validate({**data, **given}, context=context)
    except (yaml.YAMLError, ValueError, TypeError) as problem:
        raise UserError(f"{file} is not a valid {what}: {problem}") from problem

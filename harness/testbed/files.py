"""Writes files whole or not at all, so that no reader ever sees half of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write(file: Path, content: bytes) -> None:
    """Write a file, and its folder if there is none; a file that is there is replaced at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_bytes(content)
    draft.replace(file)


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    """Write data as JSON for people to read."""
    write(file, (json.dumps(data, indent=2) + "\n").encode())

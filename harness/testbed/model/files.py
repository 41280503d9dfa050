"""Writes files atomically, so that no reader sees a partial file, and reads the ends of logs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LOG_TAIL = 15


def write(file: Path, content: bytes) -> None:
    """Write a file atomically, in place of an existing one; create its folder if needed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_bytes(content)
    draft.replace(file)


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    """Write data as indented JSON."""
    write(file, (json.dumps(data, indent=2) + "\n").encode())


def tail(log: Path, lines: int = LOG_TAIL) -> str:
    """Return the last lines of a log."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "(no log)"
    return "\n".join(text.splitlines()[-lines:]) or "(empty)"

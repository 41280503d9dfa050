"""Writes files whole or not at all, so that no reader sees half of one, and reads ends of logs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LOG_TAIL = 15


def write(file: Path, content: bytes) -> None:
    """Write a file, and its folder if there is none; a file that is there is replaced at once."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_bytes(content)
    draft.replace(file)


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    """Write data as JSON for people to read."""
    write(file, (json.dumps(data, indent=2) + "\n").encode())


def tail(log: Path, lines: int = LOG_TAIL) -> str:
    """Return the last lines of a log."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "(no log)"
    return "\n".join(text.splitlines()[-lines:]) or "(empty)"

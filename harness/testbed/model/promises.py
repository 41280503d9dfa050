"""Results of the fault checks: whether a system keeps its promises while a part of it fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from testbed.model import files

FILE = "promises.json"

Result = Literal["kept", "broken", "unchecked"]


@dataclass(frozen=True)
class Checked:
    """What the check of one promise on one system has found."""

    promise: str
    says: str
    """The promise in one sentence."""
    tested: str
    system: str
    backends: str
    short: bool
    """Whether it was checked with fewer operations and faults."""
    result: Result
    recorded: datetime
    """In UTC."""
    commit: str | None
    """Abbreviated; None outside a repository."""
    figures: Mapping[str, str] = field(default_factory=dict)
    """What was counted, by name."""
    why: str | None = None

    @property
    def figure(self) -> str:
        return "; ".join(f"{name} {value}" for name, value in self.figures.items())


_CHECKED = TypeAdapter(tuple[Checked, ...])


def write(file: Path, checked: Iterable[Checked]) -> None:
    files.write(file, _CHECKED.dump_json(tuple(checked), indent=2) + b"\n")


def read(file: Path) -> tuple[Checked, ...]:
    """Read what checks have found; nothing if there is no such file."""
    return _CHECKED.validate_json(file.read_bytes()) if file.is_file() else ()


def latest(checked: Iterable[Checked]) -> tuple[Checked, ...]:
    """Return the last finding for each promise, system and kind of backends."""
    newest = {(result.promise, result.system, result.backends): result for result in checked}
    return tuple(newest.values())

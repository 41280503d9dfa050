"""The stored record of the running stack, which later commands read."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from testbed.deploy import programs
from testbed.deploy.programs import ProcessId
from testbed.model import files
from testbed.model.errors import UserError
from testbed.model.project import Project


@dataclass(frozen=True)
class Running:
    name: str
    process: ProcessId
    ports: tuple[int, ...]
    """The TCP ports it serves, the one with its health first."""
    health: str | None
    """Its readiness path; None if open ports mean ready."""
    log: Path
    ready_s: float | None = None
    """Seconds from its start to ready; None before that."""
    groups: tuple[Path, ...] = ()
    """The folders of its control groups; empty without limits."""


@dataclass(frozen=True)
class Compose:
    """The files of a stack in containers, in order; `env_files` hold the variables."""

    files: tuple[Path, ...]
    env_files: tuple[Path, ...]
    project: str = ""
    """The name of one start, whose volumes go with its containers; empty for that of the files."""


@dataclass(frozen=True)
class StackRecord:
    """What was started, and by whom."""

    variant: str
    preset: str
    backends: str
    owner: ProcessId | None
    """The command that stops the stack when it ends; None for a stack left in the background."""
    running: tuple[Running, ...] = ()
    """Its processes, in start order."""
    compose: Compose | None = None
    start_s: float | None = None
    """Seconds from the first start to the first full answer; None before that."""

    def alive(self) -> tuple[Running, ...]:
        return tuple(running for running in self.running if running.process.find() is not None)

    @property
    def is_up(self) -> bool:
        """Whether something of it may run."""
        return bool(self.alive()) or self.compose is not None


_RECORD = TypeAdapter(StackRecord)


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def load(project: Project) -> StackRecord | None:
    """Return the record of the running stack; None if there is none.

    Raises `UserError` if the file is not a record.
    """
    try:
        return _RECORD.validate_json(project.stack_file.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as problem:
        raise UserError(
            f"{project.shown(project.stack_file)} is not a record of a stack "
            f"({problem.error_count()} faults)",
            "End what it may have left by hand, then delete it.",
        ) from problem


def save(project: Project, record: StackRecord) -> None:
    """Write the record atomically."""
    files.write(project.stack_file, _RECORD.dump_json(record, indent=2))


class StoredRecord:
    """The record of a stack and its file, which change together.

    Instances may be started and stopped beside each other: who changes what runs holds `changing`.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self.changing = threading.RLock()
        self._record: StackRecord | None = None

    @property
    def record(self) -> StackRecord:
        """What runs now; raises `RuntimeError` if the stack has not been started."""
        if self._record is None:
            raise RuntimeError("the stack has not been started")
        return self._record

    def begin(self, first: StackRecord) -> None:
        """Write the first record; raise `UserError` if another command did so meanwhile."""
        try:
            files.create(self._project.stack_file, _RECORD.dump_json(first, indent=2))
        except FileExistsError:
            raise UserError(
                "another command is starting a stack", "Try again when it has ended."
            ) from None
        self._record = first

    def change(self, **changes: Any) -> None:
        """Replace fields of the record."""
        self._record = replace(self.record, **changes)
        save(self._project, self._record)

    def set_running(self, running: Iterable[Running]) -> None:
        self.change(running=tuple(running))


def remove(project: Project) -> None:
    project.stack_file.unlink(missing_ok=True)


def owner_alive(record: StackRecord) -> bool:
    """Return whether the command that owns the stack still runs and is not this one."""
    return (
        record.owner is not None
        and record.owner != programs.own()
        and record.owner.find() is not None
    )

"""The written record of the running stack: what any later command knows of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from testbed.deploy import processes
from testbed.deploy.processes import ProcessId
from testbed.model import files
from testbed.model.errors import UserError
from testbed.model.project import Project


@dataclass(frozen=True)
class Running:
    """One started process.

    Parameters
    ----------
    name
        The service.
    process
        Which process it is.
    ports
        The TCP ports it serves, the one with its health first.
    health
        Its readiness path; None where open ports are the sign.
    log
        Where its output goes.
    ready_s
        Seconds from its start to ready; None before that.
    """

    name: str
    process: ProcessId
    ports: tuple[int, ...]
    health: str | None
    log: Path
    ready_s: float | None = None


@dataclass(frozen=True)
class Compose:
    """A stack that runs in containers.

    Parameters
    ----------
    files
        The compose files, in order.
    env_files
        Files with the variables that the compose files use.
    """

    files: tuple[Path, ...]
    env_files: tuple[Path, ...]


@dataclass(frozen=True)
class StackRecord:
    """What was started, and by whom.

    Parameters
    ----------
    variant, preset, backends, settings
        What this is a deployment of.
    front_port
        Where the front door answers.
    started
        When, in UTC.
    owner
        The command that ends the stack when it ends itself; None for one left in the background.
    running
        Its processes, in start order.
    compose
        Its containers, if it runs in such.
    start_s
        Seconds from the first start to the first full answer; None before that.
    """

    variant: str
    preset: str
    backends: str
    front_port: int
    settings: dict[str, str]
    started: datetime
    owner: ProcessId | None
    running: tuple[Running, ...] = ()
    compose: Compose | None = None
    start_s: float | None = None

    def alive(self) -> tuple[Running, ...]:
        """Return the processes that still run."""
        return tuple(one for one in self.running if one.process.find() is not None)

    def with_running(self, running: Iterable[Running]) -> StackRecord:
        """Return the record with other processes."""
        return replace(self, running=tuple(running))


_RECORD = TypeAdapter(StackRecord)


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


def load(project: Project) -> StackRecord | None:
    """Return the record of the running stack, or None when there is none.

    Raises
    ------
    UserError
        When the file is there and is no record.
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
    """Write the record down, whole or not at all."""
    files.write(project.stack_file, _RECORD.dump_json(record, indent=2))


def create(project: Project, record: StackRecord) -> None:
    """Write the first record of a stack.

    Raises
    ------
    UserError
        When another command has written one in the meantime.
    """
    project.state.mkdir(parents=True, exist_ok=True)
    try:
        with project.stack_file.open("xb") as file:
            file.write(_RECORD.dump_json(record, indent=2))
    except FileExistsError:
        raise UserError(
            "another command is starting a stack", "Try again when it has ended."
        ) from None


def remove(project: Project) -> None:
    """Forget the stack."""
    project.stack_file.unlink(missing_ok=True)


def owner_alive(record: StackRecord) -> bool:
    """Return whether the command that owns the stack still runs, and is not this one."""
    return (
        record.owner is not None
        and record.owner != processes.own()
        and record.owner.find() is not None
    )

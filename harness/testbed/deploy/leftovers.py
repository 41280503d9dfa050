"""Ends stacks by their records: those that are ended on purpose, and what killed commands left."""

from __future__ import annotations

from testbed.deploy import compose, processes, record
from testbed.deploy.processes import ProcessId
from testbed.deploy.record import StackRecord
from testbed.model.errors import UserError
from testbed.model.project import Project


def require_none(project: Project) -> None:
    """Check that no stack runs.

    Raises
    ------
    UserError
        Naming the variant that is up and how to end it.
    """
    known = record.load(project)
    if known is None:
        return
    if record.owner_alive(known):
        assert known.owner is not None
        raise UserError(
            f"variant {known.variant} is up, held by another command (pid {known.owner.pid})",
            "Wait for it, or interrupt it.",
        )
    if known.owner is None and (known.alive() or known.compose is not None):
        raise UserError(
            f"variant {known.variant} is already up (preset {known.preset}, "
            f"backends {known.backends})",
            "End it first: ./testbed down",
        )


def clear_all(project: Project) -> None:
    """End all that a command that was killed has left behind, of further stacks too.

    Raises
    ------
    UserError
        As `clear`.
    """
    for one in project.every_stack():
        clear(one)


def clear(project: Project) -> None:
    """End what a command that was killed has left behind.

    Raises
    ------
    UserError
        When the stack is not a leftover: it is in use or was left up on purpose.
    """
    require_none(project)
    known = record.load(project)
    if known is not None:
        end(project, known)


def end(project: Project, known: StackRecord, grace_s: float = processes.STOP_GRACE_S) -> list[str]:
    """End the processes of a record and forget it; return the names of those killed.

    The embedded backends end last, so that no service reports a lost one.
    """
    killed: list[ProcessId] = []
    backends = [one for one in known.running if one.name == "embedded-backends"]
    others = [one for one in known.running if one.name != "embedded-backends"]
    for group in (others, backends):
        killed += processes.stop((one.process for one in group), grace_s)
    if known.compose is not None:
        compose.down(known.compose)
    record.remove(project)
    return [one.name for one in known.running if one.process in killed]

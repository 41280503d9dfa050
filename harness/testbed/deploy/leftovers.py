"""Stops recorded stacks: on request, or because a killed command left them running."""

from __future__ import annotations

from testbed.deploy import cluster, compose, groups, processes, record
from testbed.deploy.processes import ProcessId
from testbed.deploy.record import StackRecord
from testbed.deploy.services import EMBEDDED
from testbed.model.errors import UserError
from testbed.model.project import Project


def require_none(project: Project) -> None:
    """Check that no stack runs; raise `UserError` with its variant and how to stop it."""
    known = record.load(project)
    if known is None:
        return
    if record.owner_alive(known):
        assert known.owner is not None
        raise UserError(
            f"variant {known.variant} is up, held by another command (pid {known.owner.pid})",
            "Wait for it, or interrupt it.",
        )
    if known.owner is None and known.is_up:
        raise UserError(
            f"variant {known.variant} is already up (preset {known.preset}, "
            f"backends {known.backends})",
            "End it first: ./testbed down",
        )


def clear_all(project: Project) -> None:
    """Stop what killed commands have left in all stacks; raise `UserError` like `clear`."""
    for one in project.every_stack():
        clear(one)


def clear(project: Project) -> None:
    """Stop what a killed command has left.

    Raises `UserError` if the stack is in use or was left up on purpose.
    """
    require_none(project)
    known = record.load(project)
    if known is not None:
        end(project, known)


def end(project: Project, known: StackRecord, grace_s: float = processes.STOP_GRACE_S) -> list[str]:
    """Stop a recorded stack and delete its record; return the names of killed processes.

    The embedded backends stop last, so that no service reports a lost one.
    """
    killed: list[ProcessId] = []
    for backends in (False, True):
        some = [one.process for one in known.running if (one.name == EMBEDDED) is backends]
        killed += processes.stop(some, grace_s)
    groups.remove(folder for one in known.running for folder in one.groups)
    if known.compose is not None:
        compose.down(known.compose)
    if known.cluster is not None:
        cluster.delete(known.cluster)
    record.remove(project)
    return [one.name for one in known.running if one.process in killed]

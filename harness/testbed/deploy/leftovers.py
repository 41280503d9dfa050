"""Stops recorded stacks: on request, or because a killed command left them running."""

from __future__ import annotations

from testbed.deploy import programs, record
from testbed.deploy.places import deployer
from testbed.deploy.record import StackRecord
from testbed.model.errors import UserError
from testbed.model.project import Project


def require_none(project: Project) -> None:
    """Check that no stack runs; raise `UserError` with its variant and how to stop it."""
    stack = record.load(project)
    if stack is None:
        return
    if record.owner_alive(stack):
        assert stack.owner is not None
        raise UserError(
            f"variant {stack.variant} is up, started by another command (pid {stack.owner.pid})",
            "Wait for it, or interrupt it.",
        )
    if stack.owner is None and stack.is_up:
        raise UserError(
            f"variant {stack.variant} is already up (preset {stack.preset}, "
            f"backends {stack.backends})",
            "End it first: ./testbed down",
        )


def clear_all(project: Project) -> None:
    """Stop what killed commands have left in all stacks; raise `UserError` like `clear`."""
    for stack_project in project.every_stack():
        clear(stack_project)


def clear(project: Project) -> None:
    """Stop what a killed command has left.

    Raises `UserError` if the stack is in use or was left up on purpose.
    """
    require_none(project)
    if (stack := record.load(project)) is not None:
        end(project, stack)


def end(project: Project, stack: StackRecord, grace_s: float = programs.STOP_GRACE_S) -> list[str]:
    """Stop a recorded stack and delete its record; return the names of killed processes."""
    killed = deployer(stack.backends).end(stack, grace_s)
    record.remove(project)
    return killed

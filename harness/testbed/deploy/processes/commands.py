"""Deploys a user's own system: a command, and the processes that it starts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from testbed.deploy import deployments
from testbed.deploy.deployments import Choice
from testbed.deploy.processes.deployer import ProcessDeployer
from testbed.deploy.services import Deployment, Service
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.model.systems import PORT


class CommandDeployer(ProcessDeployer):
    """Deploys one process of any kind, which is told its port and may start others."""

    from_jars = False

    @classmethod
    def describe(cls, choice: Choice, project: Project, environ: Mapping[str, str]) -> Deployment:
        return from_command(choice, project)

    def endpoints(self) -> dict[str, int]:
        """Return none: what it tells of itself is not known."""
        return {}


def from_command(choice: Choice, project: Project) -> Deployment:
    """Return how a user's own system is started.

    Raises `UserError` if there is no such program, or if neither the command nor its environment
    has `PORT`.
    """
    system, command = choice.system, choice.command or ""
    try:
        words = shlex.split(command)
    except ValueError as problem:
        raise UserError(f"the command {command!r} cannot be read: {problem}") from problem
    if not words:
        raise UserError(f"{choice.variant} has no command; give one")
    environ = {**system.environment, **choice.settings}
    if not any(PORT in text for text in (command, *environ.values())):
        raise UserError(
            f"the command {command!r} does not tell its port",
            f"Write {PORT} where the service takes its port, in the command or its environment: "
            "both systems are up together.",
        )
    port = system.front.port + choice.port_offset
    if port > 65_535:
        raise UserError(f"port {port} is out of range; choose a smaller port or --port-offset")

    def placed(text: str) -> str:
        return text.replace(PORT, str(port))

    program, *arguments = words
    if "/" in program:
        # Relative to the user's folder, in which it runs.
        program = str(project.folder / program)
        if not Path(program).is_file():
            raise UserError(f"the command {command!r} cannot be started: no {program}")
    service = Service(
        name=choice.variant,
        command=(program, *map(placed, arguments)),
        ports=(port,),
        environ={name: placed(text) for name, text in environ.items()},
        health=system.complete[0].get,
    )
    return Deployment(
        variant=choice.variant,
        preset=choice.preset,
        backends=choice.backends,
        phases=((service,),),
        converged=deployments.convergence(system, port),
        front_ports=(port,),
        mongodb_uri=None,
    )

"""Which deployer puts a system where its backends say."""

from __future__ import annotations

from collections.abc import Mapping

from testbed.deploy.containers.deployer import ContainerDeployer
from testbed.deploy.containers.own import OwnContainerDeployer
from testbed.deploy.deployer import Deployer
from testbed.deploy.processes.commands import CommandDeployer
from testbed.deploy.processes.deployer import ProcessDeployer
from testbed.deploy.services import ELSEWHERE

_DEPLOYERS: Mapping[str, type[Deployer]] = {
    "embedded": ProcessDeployer,
    "local": ProcessDeployer,
    "docker": ContainerDeployer,
    "command": CommandDeployer,
    "compose": OwnContainerDeployer,
    # It has no process to start.
    ELSEWHERE: ProcessDeployer,
}


def deployer(backends: str) -> type[Deployer]:
    """Return the deployer of systems with such backends."""
    return _DEPLOYERS[backends]

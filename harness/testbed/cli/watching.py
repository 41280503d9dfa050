"""The command that exports JMeter's progress: live."""

from __future__ import annotations

from typing import Annotated

import typer

from testbed.cli.console import console
from testbed.deploy import ports
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.watch import live


def live_command(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where to answer.")] = live.PORT,
) -> None:
    """Export JMeter's progress in results/ to Prometheus, until interrupted."""
    try:
        server = live.serve(live.Exporter(Project.find().results), ports.LOOPBACK, port)
    except OSError as problem:
        raise UserError(f"port {port}: {problem.strerror}", "Choose another one.") from problem
    with server:
        console.print(f"http://{ports.LOOPBACK}:{port}{live.PATH}")
        server.serve_forever()

"""The command that writes generated files: generate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from testbed.cli.console import console
from testbed.cli.preparing import build_changed
from testbed.deploy.building import jdk, manifests, settings_file
from testbed.model.project import Project


def generate(
    copy: Annotated[
        Path | None,
        typer.Option(
            "--manifests",
            metavar="COPY",
            help="Write only the manifests, into a copy of the folder kubernetes: with other "
            "images or settings, those of TESTBED_ENV_FILE.",
        ),
    ] = None,
) -> None:
    """Write the files that are made from others: plans, dashboards, manifests, settings."""
    project = Project.find()
    if copy is not None:
        manifests.write(project, copy, os.environ)
        return
    # Imported here: they need the packages of tests.
    from testbed.analysis.claims import ledger
    from testbed.measure import plans
    from testbed.model import files
    from testbed.watch.dashboards import files as dashboards

    claims = project.root / "docs" / "claims.md"
    text = ledger.page(project.root / "analysis" / "published")
    files.write(claims, text.encode())
    build_changed(project, jdk.for_services())
    for written in (
        plans.write(project),
        dashboards.write(project.root, project.root / "grafana" / "dashboards"),
        manifests.write(project, project.root / "kubernetes", os.environ),
        settings_file.write(project),
        [claims],
    ):
        folder = Path(os.path.commonpath(file.parent for file in written))
        console.print(f"Written in {escape(project.shown(folder))}: {len(written)}")

"""The dashboards as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from testbed.model.project import Project
from testbed.watch.dashboards.async_path import async_path
from testbed.watch.dashboards.jvm import jvm
from testbed.watch.dashboards.overview import overview
from testbed.watch.dashboards.rabbitmq import rabbitmq
from testbed.watch.dashboards.sync_path import sync_path


def folder(project: Project) -> Path:
    """Return the folder in which Grafana's provisioning looks for dashboards."""
    return project.root / "grafana" / "dashboards"


def contents() -> Mapping[str, str]:
    """Return the files' contents, as JSON, by file name."""
    encoder = JSONEncoder(indent=2, sort_keys=True)
    return {
        f"{made.uid}.json": encoder.encode(made) + "\n"
        for made in (overview(), sync_path(), async_path(), rabbitmq(), jvm())
    }


def write(to: Path) -> list[Path]:
    """Write all dashboards into a folder, delete its other JSON files; return their paths."""
    to.mkdir(parents=True, exist_ok=True)
    written = []
    for name, content in contents().items():
        path = to / name
        path.write_text(content)
        written.append(path)
    for left in set(to.glob("*.json")) - set(written):
        left.unlink()
    return written

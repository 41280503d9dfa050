"""The dashboards as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from testbed.model.systems import declarations
from testbed.watch.dashboards.declarations import declared
from testbed.watch.dashboards.drawing import drawn


def contents(root: Path) -> Mapping[str, str]:
    """Return the dashboards that a project declares as JSON, by file name.

    Raises `UserError` if a declaration is not valid.
    """
    encoder = JSONEncoder(indent=2, sort_keys=True)
    colors = {name: system.color for name, system in declarations(root).items()}
    return {
        f"{uid}.json": encoder.encode(drawn(uid, dashboard, colors)) + "\n"
        for uid, dashboard in declared(root, colors).items()
    }


def write(root: Path, to: Path) -> list[Path]:
    """Write a project's dashboards into a folder, delete its other JSON files; return their paths.

    Raises `UserError` like `contents`.
    """
    drawings = contents(root)
    to.mkdir(parents=True, exist_ok=True)
    for left in to.glob("*.json"):
        left.unlink()
    for name, content in drawings.items():
        (to / name).write_text(content, encoding="utf-8")
    return [to / name for name in drawings]

"""The names of settings: environment variables that Spring binds to properties of services."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from testbed.model.project import Project

NEAR = 0.8
"""The similarity, from 0 to 1, from which a name is a misspelling of a setting of ours."""


def file(project: Project) -> Path:
    """Return the file with the settings that our services define."""
    return project.root / "systems" / "settings.yaml"


@cache
def own() -> Mapping[str, str]:
    """Return the description of each setting that our services define, by name."""
    listed = file(Project.find())
    if not listed.is_file():
        return {}  # No service of ours is there.
    described: dict[str, str] = yaml.safe_load(listed.read_text(encoding="utf-8"))
    return described


def setting_name(name: str) -> str:
    """Return the name of a setting if a service may know it.

    Spring ignores unknown names, so an experiment with a misspelt factor would compare a system
    with itself. Raises `ValueError` if the name resembles a setting of ours (same prefix, or
    misspelt) but is none. Other Spring properties are named in the same way, and are not checked.
    """
    near = difflib.get_close_matches(name, own(), n=1, cutoff=NEAR)
    prefixes = tuple({_prefix(setting) for setting in own()})
    if name in own() or not (near or name.startswith(prefixes)):
        return name
    prefix = _prefix(near[0] if near else name)
    meant = f" (did you mean {near[0]}?)" if near else ""
    choices = ", ".join(setting for setting in own() if setting.startswith(prefix))
    raise ValueError(f"{name} cannot be set{meant}; choose from: {choices}")


def _prefix(name: str) -> str:
    return f"{name.partition('_')[0]}_"

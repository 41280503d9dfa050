"""False decisions: what published results decided where there can be no effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from testbed.analysis.grouping import grouped
from testbed.analysis.published import published_folders, published_tables
from testbed.analysis.statistics.intervals import Interval, exact
from testbed.model.project import Project


@dataclass(frozen=True)
class NullFamily:
    """The cells of one comparison by one figure in which there can be no effect."""

    folder: str
    reference: str
    system: str
    figure: str
    cells: int
    """Cells with an interval."""
    false: int
    """Cells that were decided to be better or worse."""


def null_families(project: Project) -> list[NullFamily]:
    """Return the null families of all published results.

    Results that are older than their declaration of ``nulls`` have those of the experiment of
    their name that ships.
    """
    published = project.root / "analysis" / "published"
    top = [path for path in sorted(published.iterdir()) if path.is_dir()]
    return [
        family
        for path in top
        for folder in published_folders(path)
        for family in _families(project, folder, str(folder.relative_to(published)))
    ]


def _families(project: Project, folder: Path, name: str) -> list[NullFamily]:
    tables = published_tables(folder)
    declared = tables.results.declared
    nulls = declared.get("nulls") or _shipped(project, str(declared.get("name"))).get("nulls")
    workloads = {null["system"]: null.get("workloads") for null in nulls or ()}
    of_null = [
        decision
        for decision in tables.decisions
        if decision.low is not None
        if decision.system in workloads
        if not workloads[decision.system] or decision.workload in workloads[decision.system]
    ]
    families = grouped(
        of_null, lambda decision: (decision.reference, decision.system, decision.figure)
    )
    return [
        NullFamily(
            name,
            *of_family,
            len(cells),
            sum(decision.decision in ("better", "worse") for decision in cells),
        )
        for of_family, cells in families.items()
    ]


def false_rate(families: Sequence[NullFamily]) -> Interval:
    """Return the share of families with a false decision, with Clopper and Pearson's interval."""
    wrong = sum(family.false > 0 for family in families)
    return exact(wrong, len(families))


def words(families: Sequence[NullFamily]) -> str:
    """Return the rate over all folders in words."""
    wrong = [family for family in families if family.false]
    rate = false_rate(families)
    where = ", ".join(
        f"{folder} ({len(part)})"
        for folder, part in grouped(wrong, lambda family: family.folder).items()
    )
    return (
        f"{len(wrong)} of {len(families)} null families have a false decision "
        f"({100 * rate.low:.0f} to {100 * rate.high:.0f} % with 95 % confidence; "
        f"{sum(family.false for family in families)} of "
        f"{sum(family.cells for family in families)} cells)" + (f": {where}" if where else "")
    )


def _shipped(project: Project, name: str) -> Mapping[str, Any]:
    file = project.experiments / f"{name}.yaml"
    return yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else {}

"""Dashboards as they are declared: one YAML file for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag, ValidationInfo

from testbed.model.declared import Declared, read
from testbed.model.systems import Variant


class State(Declared):
    """The meaning of one value in a state timeline; `color` is one of Grafana's."""

    value: int
    text: str
    color: str


class _Panel(Declared):
    """A panel; `queries` are PromQL by legend.

    In a legend, ``{{label}}`` stands for a label's value. In PromQL, ``$variant`` is the variant of
    the dashboard, or those that the user chose.
    """

    title: str
    description: str
    queries: Annotated[dict[str, str], Field(min_length=1, max_length=26)]


class Lines(_Panel):
    """Lines over time, from 0.

    `unit` is one of Grafana's. `max` is the top of the axis; None lets the data decide. `stacked`
    is for lines whose sum means something. `by_variant` gives each variant its colour; legends then
    begin with the variant. `repeated` draws the panel for each chosen variant, side by side.
    """

    unit: str
    max: int | float | None = None
    stacked: bool = False
    by_variant: bool = False
    repeated: bool = False


class Timeline(_Panel):
    """The state of each series over time; `empty` is shown where there is no series."""

    states: Annotated[tuple[State, ...], Field(min_length=1)]
    empty: str = "No data"


def _kind(panel: Any) -> str:
    return "timeline" if isinstance(panel, dict) and "states" in panel else "lines"


Panel = Annotated[
    Annotated[Timeline, Tag("timeline")] | Annotated[Lines, Tag("lines")], Discriminator(_kind)
]


class Row(Declared):
    """A titled part of a dashboard: lines of panels that share the width."""

    title: str
    lines: Annotated[tuple[tuple[Panel, ...], ...], Field(min_length=1)]


class SharedRow(Declared):
    """The name of a row that dashboards share, and panels to add to its last line."""

    shared: str
    more: tuple[Panel, ...] = ()


def _whole(row: Any, rows: ValidationInfo) -> Any:
    """Return the row that a shared row stands for; the context of `rows` has them by name."""
    if not isinstance(row, dict) or "shared" not in row:
        return row
    named = SharedRow.model_validate(row)
    choices: Mapping[str, Row] = rows.context or {}
    if named.shared not in choices:
        raise ValueError(f"{named.shared!r} is unknown; choose from: {', '.join(sorted(choices))}")
    row = choices[named.shared]
    *lines, last = row.lines
    return row.model_copy(update={"lines": (*lines, (*last, *named.more))})


class Dashboard(Declared):
    """A dashboard; its rows begin at the top.

    `description` is the question that it answers. `variant` is the only one that it shows; None
    lets the user choose.
    """

    title: str
    description: str
    variant: Variant | None = None
    rows: tuple[Annotated[Row, BeforeValidator(_whole)], ...]


def declared(root: Path, variants: Iterable[str]) -> Mapping[str, Dashboard]:
    """Return the dashboards of a project by uid.

    They are those of all variants, in ``grafana/declarations``, and those of single variants,
    ``systems/NAME/dashboard.yaml``. Raises `UserError` if one is not valid.
    """
    folder = root / "grafana" / "declarations"
    rows = {file.stem: read(Row, "row", file) for file in folder.glob("rows/*.yaml")}
    dashboards = {
        f"testbed-{file.stem}": read(Dashboard, "dashboard", file, rows)
        for file in sorted(folder.glob("*.yaml"))
    }
    for variant in variants:
        file = root / "systems" / variant / "dashboard.yaml"
        if file.is_file():
            of_variant = read(Dashboard, "dashboard", file, rows)
            dashboards[f"testbed-{variant}-path"] = of_variant.model_copy(
                update={"variant": variant}
            )
    return dashboards

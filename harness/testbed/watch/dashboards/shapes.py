"""The parts of every dashboard: queries, panels, rows and the dashboard around them.

A query with ``variant="sync"`` is for that variant alone. Any other query is for all variants that
its dashboard is tagged with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import TypeVar

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.statetimeline import Panel as StateTimeline
from grafana_foundation_sdk.builders.timeseries import Panel as TimeSeries
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as models

from testbed.watch import annotations as annotated

Panel = TimeSeries | StateTimeline
Drawn = TypeVar("Drawn", TimeSeries, StateTimeline)

#: The data source of grafana/provisioning/datasources, the same on every machine.
PROMETHEUS = common.DataSourceRef(type_val="prometheus", uid="prometheus")
#: Grafana's own store of annotations, built in.
ANNOTATIONS = common.DataSourceRef(type_val="grafana", uid="-- Grafana --")

#: The tag of every dashboard.
TAG = "testbed"

SYNC = 'variant="sync"'
ASYNC = 'variant="async"'
#: The Prometheus jobs of the product; all other jobs watch it.
PRODUCT = 'job=~"services|rabbitmq"'
WATCHING = 'job!~"services|rabbitmq"'
#: The variants chosen at the top of the dashboard.
CHOSEN = 'variant=~"$variant"'

PER_SECOND = "ops"
SECONDS = "s"
SHARE = "percentunit"
COUNT = "short"
BYTES = "bytes"
BYTES_PER_SECOND = "Bps"
CORES = "suffix:cores"

VARIANT_COLORS = {"sync": "blue", "async": "orange"}

GRID_WIDTH = 24
PANEL_HEIGHT = 8


@dataclass(frozen=True)
class Query:
    """One query of a panel: PromQL with Grafana's variables, and the name of each series.

    In `legend`, ``{{label}}`` stands for a label's value.
    """

    expr: str
    legend: str


@dataclass(frozen=True)
class State:
    """The meaning of one value in a state timeline."""

    value: int
    text: str
    color: str


@dataclass(frozen=True)
class Row:
    """A titled part of a dashboard: lines of panels that share the width."""

    title: str
    lines: Sequence[Sequence[Panel]]


def per_second(counter: str) -> str:
    """Return the rate of a counter over the window that fits the time range shown."""
    return f"rate({counter}[$__rate_interval])"


def lines(
    title: str,
    meaning: str,
    unit: str,
    *queries: Query,
    maximum: float | None = None,
    stacked: bool = False,
    by_variant: bool = False,
    repeated: bool = False,
) -> TimeSeries:
    """Return a panel of lines over time, from 0.

    Parameters
    ----------
    unit
        One of Grafana's units.
    maximum
        The top of the axis; None lets the data decide.
    stacked
        Whether to stack areas, because their sum means something.
    by_variant
        Whether each variant has its colour; legends then begin with the variant's name.
    repeated
        Whether to draw the panel once for each chosen variant, side by side.
    """
    panel = (
        _asking(TimeSeries(), queries)
        .title(title)
        .description(meaning)
        .unit(unit)
        .min(0)
        .color_scheme(builders.FieldColor().mode(models.FieldColorModeId.PALETTE_CLASSIC_BY_NAME))
        .line_width(1)
        .fill_opacity(60 if stacked else 8)
        .show_points(common.VisibilityMode.NEVER)
        .legend(_legend().calcs(["mean", "max"]))
        .tooltip(_tooltip())
    )
    if maximum is not None:
        panel.max(maximum)
    if stacked:
        panel.stacking(common_builders.StackingConfig().mode(common.StackingMode.NORMAL))
    if by_variant:
        for variant, color in VARIANT_COLORS.items():
            panel.override_by_regexp(f"/^{variant}\\b/", [_fixed(color)])
        panel.override_by_regexp("/ (offered|processors)$/", [_DASHED])
    if repeated:
        panel.repeat("variant").repeat_direction("h").max_per_row(2)
    return panel


def timeline(
    title: str, meaning: str, query: Query, states: Sequence[State], empty: str = "No data"
) -> StateTimeline:
    """Return a panel that shows the state of each series over time.

    `empty` is shown where there is no series.
    """
    return (
        _asking(StateTimeline(), [query])
        .title(title)
        .description(meaning)
        .unit(COUNT)
        .min(min(state.value for state in states))
        .max(max(state.value for state in states))
        .mappings(
            [
                models.ValueMap(
                    {
                        str(state.value): models.ValueMappingResult(
                            text=state.text, color=state.color, index=index
                        )
                        for index, state in enumerate(states)
                    }
                )
            ]
        )
        .no_value(empty)
        .fill_opacity(80)
        .line_width(0)
        .row_height(0.8)
        .merge_values(True)
        .show_value(common.VisibilityMode.NEVER)
        .legend(_legend())
        .tooltip(_tooltip())
    )


def dashboard(
    uid: str, title: str, meaning: str, variants: Sequence[str], rows: Sequence[Row]
) -> models.Dashboard:
    """Return a dashboard; `rows` begin at the top.

    `uid` is its name in URLs and files. `meaning` is the question that it answers. With more than
    one variant, the user can choose among them.
    """
    made = (
        builders.Dashboard(title)
        .uid(uid)
        .description(meaning)
        .tags([TAG, *(f"variant:{variant}" for variant in variants)])
        .readonly()
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .time("now-15m", "now")
        .refresh("5s")
        .link(
            builders.DashboardLink("Dashboards")
            .type(models.DashboardLinkType.DASHBOARDS)
            .tags([TAG])
            .as_dropdown(False)
            .keep_time(True)
        )
        .annotation(_runs())
    )
    if len(variants) > 1:
        made.with_variable(_variant_variable())
    number = 0
    for row in rows:
        made.with_row(builders.Row(row.title))
        for line in row.lines:
            for panel in line:
                number += 1
                made.with_panel(panel.id(number).span(GRID_WIDTH // len(line)).height(PANEL_HEIGHT))
    return _with_row_ids(made.build(), number)


def _runs() -> builders.AnnotationQuery:
    """Return the query for the runs that the harness marks."""
    target = builders.AnnotationTarget().type("tags").match_any(False).limit(100)
    return (
        builders.AnnotationQuery()
        .name("Runs")
        .datasource(ANNOTATIONS)
        .enable(True)
        .icon_color("purple")
        .target(target.tags([annotated.TAG, annotated.RUN]))
    )


def _asking(panel: Drawn, queries: Sequence[Query]) -> Drawn:
    panel.datasource(PROMETHEUS)
    for ref_id, query in zip(ascii_uppercase, queries, strict=False):
        panel.with_target(
            Dataquery()
            .datasource(PROMETHEUS)
            .expr(query.expr)
            .legend_format(query.legend)
            .range()
            .ref_id(ref_id)
        )
    return panel


def _legend() -> common_builders.VizLegendOptions:
    return (
        common_builders.VizLegendOptions()
        .show_legend(True)
        .display_mode(common.LegendDisplayMode.LIST)
        .placement(common.LegendPlacement.BOTTOM)
    )


def _tooltip() -> common_builders.VizTooltipOptions:
    return (
        common_builders.VizTooltipOptions()
        .mode(common.TooltipDisplayMode.MULTI)
        .sort(common.SortOrder.DESCENDING)
    )


def _fixed(color: str) -> models.DynamicConfigValue:
    return models.DynamicConfigValue(id_val="color", value={"mode": "fixed", "fixedColor": color})


_DASHED = models.DynamicConfigValue(
    id_val="custom.lineStyle", value={"fill": "dash", "dash": [8, 8]}
)


def _variant_variable() -> builders.QueryVariable:
    return (
        builders.QueryVariable("variant")
        .label("Variant")
        .description("The variants that Prometheus has seen")
        .datasource(PROMETHEUS)
        .query({"qryType": 1, "query": "label_values(up, variant)", "refId": "variants"})
        .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(models.VariableSort.ALPHABETICAL_DESC)
        .multi(True)
        .include_all(True)
        .current(models.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )


def _with_row_ids(made: models.Dashboard, used: int) -> models.Dashboard:
    for panel in made.panels or []:
        if isinstance(panel, models.RowPanel):
            used += 1
            panel.id_val = used
    return made

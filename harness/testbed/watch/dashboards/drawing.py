"""Draws declared dashboards as Grafana reads them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from string import ascii_uppercase

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.builders.statetimeline import Panel as StateTimeline
from grafana_foundation_sdk.builders.timeseries import Panel as TimeSeries
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as models

from testbed.watch import annotations as annotated
from testbed.watch.dashboards.declarations import Dashboard, Lines, Panel, Timeline

#: The data source of grafana/provisioning/datasources, the same on every machine.
PROMETHEUS = common.DataSourceRef(type_val="prometheus", uid="prometheus")
#: Grafana's own store of annotations, built in.
ANNOTATIONS = common.DataSourceRef(type_val="grafana", uid="-- Grafana --")

#: The tag of every dashboard.
TAG = "testbed"

GRID_WIDTH = 24
PANEL_HEIGHT = 8


def drawn(uid: str, declared: Dashboard, colors: Mapping[str, str | None]) -> models.Dashboard:
    """Return a dashboard as Grafana's model.

    `uid` is its name in URLs and files. `colors` has every variant; None lets Grafana choose.
    """
    variants = colors if declared.variant is None else [declared.variant]
    made = (
        builders.Dashboard(declared.title)
        .uid(uid)
        .description(declared.description)
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
    if declared.variant is None:
        made.with_variable(_variant_variable())
    # Rows come after panels, so that a further row does not renumber them.
    panels = count(1)
    rows = count(1 + sum(len(line) for row in declared.rows for line in row.lines))
    for row in declared.rows:
        made.with_row(builders.Row(row.title).id(next(rows)))
        for line in row.lines:
            width = GRID_WIDTH // len(line)
            for declaration in line:
                panel = _panel(declaration, declared.variant, colors).id(next(panels))
                made.with_panel(panel.span(width).height(PANEL_HEIGHT))
    return made.build()


def _panel(
    declared: Panel, variant: str | None, colors: Mapping[str, str | None]
) -> TimeSeries | StateTimeline:
    panel = _timeline(declared) if isinstance(declared, Timeline) else _lines(declared, colors)
    for ref_id, (legend, expr) in zip(ascii_uppercase, declared.queries.items(), strict=False):
        panel.with_target(
            Dataquery()
            .datasource(PROMETHEUS)
            .expr(expr if variant is None else expr.replace("$variant", variant))
            .legend_format(legend)
            .range()
            .ref_id(ref_id)
        )
    return (
        panel.title(declared.title)
        .description(declared.description)
        .datasource(PROMETHEUS)
        .tooltip(
            common_builders.VizTooltipOptions()
            .mode(common.TooltipDisplayMode.MULTI)
            .sort(common.SortOrder.DESCENDING)
        )
    )


def _lines(declared: Lines, colors: Mapping[str, str | None]) -> TimeSeries:
    panel = (
        TimeSeries()
        .unit(declared.unit)
        .min(0)
        .color_scheme(builders.FieldColor().mode(models.FieldColorModeId.PALETTE_CLASSIC_BY_NAME))
        .line_width(1)
        .fill_opacity(60 if declared.stacked else 8)
        .show_points(common.VisibilityMode.NEVER)
        .legend(_legend().calcs(["mean", "max"]))
    )
    if declared.max is not None:
        panel.max(declared.max)
    if declared.stacked:
        panel.stacking(common_builders.StackingConfig().mode(common.StackingMode.NORMAL))
    if declared.by_variant:
        for variant, color in colors.items():
            if color is not None:
                fixed = models.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": color})
                panel.override_by_regexp(f"/^{variant}\\b/", [fixed])
        dashed = models.DynamicConfigValue("custom.lineStyle", {"fill": "dash", "dash": [8, 8]})
        panel.override_by_regexp("/ (offered|processors)$/", [dashed])
    if declared.repeated:
        panel.repeat("variant").repeat_direction("h").max_per_row(2)
    return panel


def _timeline(declared: Timeline) -> StateTimeline:
    values = [state.value for state in declared.states]
    meanings = {
        str(state.value): models.ValueMappingResult(text=state.text, color=state.color, index=index)
        for index, state in enumerate(declared.states)
    }
    return (
        StateTimeline()
        .unit("short")
        .min(min(values))
        .max(max(values))
        .mappings([models.ValueMap(meanings)])
        .no_value(declared.empty)
        .fill_opacity(80)
        .line_width(0)
        .row_height(0.8)
        .merge_values(True)
        .show_value(common.VisibilityMode.NEVER)
        .legend(_legend())
    )


def _legend() -> common_builders.VizLegendOptions:
    return (
        common_builders.VizLegendOptions()
        .show_legend(True)
        .display_mode(common.LegendDisplayMode.LIST)
        .placement(common.LegendPlacement.BOTTOM)
    )


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

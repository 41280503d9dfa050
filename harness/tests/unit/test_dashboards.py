from __future__ import annotations

import importlib.util
import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from testbed.model.errors import UserError
from testbed.watch.dashboards import files

from .conftest import shop, write

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "grafana" / "dashboards"

Json = dict[str, Any]
DASHBOARDS = {name: json.loads(content) for name, content in files.contents(ROOT).items()}
#: The `schemaVersion` in @grafana/schema of each series of Grafana that .env may name.
SCHEMA_VERSIONS = {"12.4": 42}


@pytest.fixture(params=DASHBOARDS.values(), ids=DASHBOARDS)
def dashboard(request: pytest.FixtureRequest) -> Json:
    content: Json = request.param
    return content


def panels(dashboard: Json) -> Iterator[Json]:
    return (panel for panel in dashboard["panels"] if panel["type"] != "row")


def queries(dashboard: Json) -> Iterator[str]:
    return (target["expr"] for panel in panels(dashboard) for target in panel["targets"])


def test_the_files_are_what_is_generated() -> None:
    committed = {path.name: path.read_text() for path in FOLDER.iterdir()}

    assert committed == files.contents(ROOT), "write them: ./testbed generate"


def test_writing_leaves_no_dashboard_that_is_no_more(tmp_path: Path) -> None:
    (tmp_path / "renamed.json").write_text("{}")
    (tmp_path / "README.md").write_text("Not a dashboard.")

    written = files.write(ROOT, tmp_path)

    assert {*tmp_path.iterdir()} == {*written, tmp_path / "README.md"}


BOARD = """
title: Shop
description: What sells.
rows:
  - title: Sales
    lines:
      - - {title: Sold, description: Goods., unit: ops, queries: {sold: 'sold{variant="$variant"}'}}
  - shared: stock
    more:
      - {title: Lost, description: Goods., unit: ops, queries: {lost: lost}}
"""
STOCK = """
title: Stock
lines:
  - - {title: In, description: Goods., unit: short, queries: {in: in}}
    - title: Open
      description: Is it?
      states: [{value: 0, text: closed, color: red}, {value: 1, text: open, color: green}]
      queries: {open: open}
"""


def with_board(root: Path, board: str) -> Path:
    write(
        root,
        {
            "systems/shop/system.yaml": shop(),
            "systems/shop/dashboard.yaml": board,
            "grafana/declarations/rows/stock.yaml": STOCK,
        },
    )
    return root


def test_a_system_has_a_dashboard_by_one_file(tmp_path: Path) -> None:
    (drawn,) = files.contents(with_board(tmp_path, BOARD)).items()
    dashboard = json.loads(drawn[1])

    assert drawn[0] == "testbed-shop-path.json"
    assert dashboard["tags"] == ["testbed", "variant:shop"]
    assert [(panel["title"], panel["gridPos"]["w"]) for panel in dashboard["panels"]] == [
        *(("Sales", 24), ("Sold", 24), ("Stock", 24), ("In", 8), ("Open", 8), ("Lost", 8)),
    ]
    assert next(queries(dashboard)) == 'sold{variant="shop"}'


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("unit: ops, queries: {sold", "queries: {sold", "rows.0.lines.0.0.lines.unit"),
        ("unit: ops, queries: {sold", "units: ops, queries: {sold", "rows.0.lines.0.0.lines.units"),
        ("shared: stock", "shared: sock", "'sock' is unknown; choose from: stock"),
        ("What sells.", "What sells.\nvariant: ship", "'ship' is unknown; choose from: "),
        (BOARD, "just words", "not a mapping"),
    ],
)
def test_what_is_wrong_with_a_dashboard_is_named(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    with pytest.raises(UserError, match=r"dashboard\.yaml is not a valid dashboard") as problem:
        files.contents(with_board(tmp_path, BOARD.replace(right, wrong)))
    assert message in problem.value.message


def test_is_of_a_schema_that_the_pinned_grafana_reads(dashboard: Json) -> None:
    """It brings older ones up to date itself, and cannot read newer ones."""
    pinned = re.search(r"^GRAFANA_IMAGE=.*:(\d+\.\d+)", (ROOT / ".env").read_text(), re.MULTILINE)

    assert pinned is not None
    assert dashboard["schemaVersion"] <= SCHEMA_VERSIONS[pinned[1]]


def test_nothing_that_the_newer_schema_changes_is_used(dashboard: Json) -> None:
    """From 41 to 42: what is hidden in a panel is hidden in its tooltip too."""
    assert "hideFrom" not in json.dumps(dashboard)


def test_grafanas_own_types_know_all_of_it(dashboard: Json) -> None:
    register_default_plugins()

    read = Dashboard.from_json(dashboard)

    assert json.loads(JSONEncoder().encode(read)) == dashboard


def test_a_query_refers_to_the_provisioned_data_source(dashboard: Json) -> None:
    provisioned = yaml.safe_load(
        (ROOT / "grafana" / "provisioning" / "datasources" / "prometheus.yml").read_text()
    )
    uids = {source["uid"] for source in provisioned["datasources"]}
    asking = [
        *panels(dashboard),
        *itertools.chain.from_iterable(panel["targets"] for panel in panels(dashboard)),
        *dashboard.get("templating", {}).get("list", []),
    ]

    assert {asks["datasource"]["uid"] for asks in asking} <= uids


def test_ids_are_unique(dashboard: Json) -> None:
    ids = [panel["id"] for panel in dashboard["panels"]]

    assert len(ids) == len(set(ids))
    assert min(ids) > 0


def test_no_panel_lies_over_another(dashboard: Json) -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24, panel["title"]
        for cell in itertools.product(
            range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        ):
            assert cell not in taken, f"{panel['title']} lies over {taken[cell]}"
            taken[cell] = panel["title"]


def test_every_panel_says_what_it_shows(dashboard: Json) -> None:
    for panel in panels(dashboard):
        assert panel["title"]
        assert len(panel["description"]) > 20, panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["fieldConfig"]["defaults"]["min"] == 0 or panel["type"] == "state-timeline"
        assert panel["targets"], panel["title"]
        assert all(target["legendFormat"] for target in panel["targets"]), panel["title"]


def test_titles_of_panels_are_unique(dashboard: Json) -> None:
    titles = [panel["title"] for panel in panels(dashboard)]

    assert len(titles) == len(set(titles))


def test_every_query_says_which_variant_it_is_of(dashboard: Json) -> None:
    tagged = {tag.removeprefix("variant:") for tag in dashboard["tags"] if ":" in tag}
    for query in queries(dashboard):
        named = set(re.findall(r'variant="([\w-]+)"', query))
        assert named or 'variant=~"$variant"' in query, query
        assert named <= tagged, query


def test_only_a_choice_of_variants_is_a_variable(dashboard: Json) -> None:
    declared = {variable["name"] for variable in dashboard.get("templating", {}).get("list", [])}
    used = set(re.findall(r"\$(?!__)(\w+)", json.dumps(dashboard)))

    assert used == declared
    assert declared <= {"variant"}


def test_a_recorded_series_is_recorded() -> None:
    rules = yaml.safe_load((ROOT / "prometheus" / "rules" / "recording.yml").read_text())
    recorded = {rule["record"] for group in rules["groups"] for rule in group["rules"]}
    used = {
        name
        for dashboard in DASHBOARDS.values()
        for query in queries(dashboard)
        for name in re.findall(r"\w+:\w+:\w+", query)
    }

    assert used
    assert used <= recorded


# The check of .ci that asks the real Prometheus.


@pytest.fixture(scope="module")
def probe() -> ModuleType:
    spec = importlib.util.spec_from_file_location("probe", ROOT / ".ci" / "probe.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def prometheus(
    probe: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[str], list[str]]], None]:
    """Answer queries: with the values of one series, or with no series."""

    def answering(values: Callable[[str], list[str]]) -> None:
        def get(url: str) -> tuple[int, dict[str, str], str]:
            asked = probe.urllib.parse.parse_qs(url.partition("?")[2])["query"][0]
            points = [[0, value] for value in values(asked)]
            result = [{"metric": {}, "values": points}] if points else []
            return 200, {}, json.dumps({"data": {"result": result}})

        monkeypatch.setattr(probe, "get", get)

    return answering


@pytest.mark.parametrize("variant", ["sync", "async"])
def test_the_check_is_content_with_data(
    probe: ModuleType, prometheus: Callable[..., None], variant: str
) -> None:
    prometheus(lambda asked: ["NaN", "0"])

    assert not probe.wrong_dashboards("http://prometheus", variant, 0, FOLDER)


def test_the_check_names_panel_and_query_without_data(
    probe: ModuleType, prometheus: Callable[..., None]
) -> None:
    prometheus(lambda asked: [] if "application_ready" in asked else ["1"])

    wrong = probe.wrong_dashboards("http://prometheus", "sync", 0, FOLDER)

    assert wrong.startswith("Testbed overview / Services: no data: (up{")
    assert len(wrong.splitlines()) == 1


def test_what_cannot_be_drawn_is_no_data(
    probe: ModuleType, prometheus: Callable[..., None]
) -> None:
    prometheus(lambda asked: ["NaN"])

    wrong = probe.wrong_dashboards("http://prometheus", "sync", 0, FOLDER)

    queries = [query[:2] for query in probe.panel_queries(FOLDER, "sync")]
    never_empty = [query for query in queries if query not in probe.RIGHTLY_EMPTY]
    assert len(wrong.splitlines()) == len(never_empty) < len(queries)


def test_grafanas_variables_are_filled_in(
    probe: ModuleType, prometheus: Callable[..., None]
) -> None:
    asked: list[str] = []
    prometheus(lambda query: asked.append(query) or ["1"])

    probe.wrong_dashboards("http://prometheus", "async", 0, FOLDER)

    assert asked
    assert not [query for query in asked if "$" in query]


def test_a_variant_is_asked_for_what_is_meant_for_it(probe: ModuleType) -> None:
    asked = {
        variant: {query.dashboard for query in probe.panel_queries(FOLDER, variant)}
        for variant in ("sync", "async")
    }

    assert asked == {
        "sync": {"Testbed overview", "Sync path", "JVM"},
        "async": {"Testbed overview", "Async path", "RabbitMQ", "JVM"},
    }
    queued = ("Testbed overview", "Work held in queues")
    assert queued in {query[:2] for query in probe.panel_queries(FOLDER, "async")}
    assert queued not in {query[:2] for query in probe.panel_queries(FOLDER, "sync")}


def test_what_is_rightly_empty_is_there(probe: ModuleType) -> None:
    there = {
        (dashboard["title"], panel["title"])
        for dashboard in DASHBOARDS.values()
        for panel in panels(dashboard)
    }

    assert there >= probe.RIGHTLY_EMPTY


def test_a_variant_without_dashboards_is_wrong(probe: ModuleType) -> None:
    assert "monolith" in probe.wrong_dashboards("http://prometheus", "monolith", 0, FOLDER)

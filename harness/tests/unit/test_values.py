"""Values of a user's CSV file, in the requests of a plan and in those of the harness."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from testbed.measure import plans
from testbed.model import systems, values
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.model.systems import OwnSystem

ITEMS = '\ufeffid,client\n1,"Ann, and more"\n2,Bob\n'


@pytest.fixture
def items(tmp_path: Path) -> Path:
    (tmp_path / "items.csv").write_text(ITEMS, encoding="utf-8")
    return tmp_path / "items.csv"


def shop(**keys: object) -> OwnSystem:
    workload = {"post": "/items/{id}?n={n}", "body": '{"a": "{client}"}', **keys}
    return OwnSystem.model_validate({"health": "/health", "workloads": {"buy": workload}})


def test_columns_stand_for_their_values() -> None:
    assert values.fill('{"a": {b}, "c": {}}', {"b": "1"}) == '{"a": 1, "c": {}}'


def test_the_first_line_names_the_columns(items: Path) -> None:
    read = values.read(items)

    assert read.first == {"id": "1", "client": "Ann, and more"}
    assert read.references == {"id": "${csv_id}", "client": "${csv_client}"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no values"),
        ("id\n", "has no values"),
        ("a b\n1\n", "column 'a b'"),
        ("a,a\n1,2\n", "two columns of one name"),
        ("a,b\n1,2\n3\n", "line 3: 1 values for 2 columns (a, b)"),
        ('a\n"1\n', "is not a CSV file in UTF-8"),
    ],
)
def test_what_is_no_file_of_values_is_refused(items: Path, text: str, words: str) -> None:
    items.write_text(text)
    with pytest.raises(UserError) as refused:
        values.read(items)
    assert words in refused.value.message


def test_a_misspelt_column_is_refused(items: Path) -> None:
    read = values.read(items)
    values.require_used(read, "/a", ["{client}"])

    with pytest.raises(UserError, match=r"has no column 'ids'; choose from: \{id\}"):
        values.require_used(read, "/a/{ids}", [])
    with pytest.raises(UserError, match=r"no value of items\.csv is sent"):
        values.require_used(read, "/a", ["{Client}"])


def test_a_plan_takes_the_next_row_for_each_operation(own: Project, items: Path) -> None:
    text = "id,client,n\n1,Ann,5\n"
    items.write_text(text)
    systems.declare({"shop": shop(csv="items.csv", headers={"X-Client": "{client}"})})
    plans.write_own(own, ["shop"])
    plan = ET.parse(own.plan("shop", "buy"))

    (rows,) = (each for each in plan.iter("CSVDataSet") if each.get("testname") == "next values")
    texts = {each.get("name"): each.text for each in rows}
    assert texts["filename"] == str(items)
    assert texts["variableNames"] == "csv_id,csv_client,csv_n"
    assert texts["ignoreFirstLine"] == texts["recycle"] == "true"
    (request,) = plan.iter("HTTPSamplerProxy")
    path = request.findtext("stringProp[@name='HTTPSampler.path']")
    assert path == "${prefix}/items/${csv_id}?n=${csv_n}"
    assert request.findtext(".//stringProp[@name='Argument.value']") == '{"a": "${csv_client}"}'
    headers = [each.text for each in plan.iterfind(".//stringProp[@name='Header.value']")]
    assert headers == ["${csv_client}"]


def test_the_first_row_tells_whether_a_version_is_ready(own: Project, items: Path) -> None:
    workloads = {
        "look": {"get": "/items/{id}", "csv": "items.csv"},
        "all": {"get": "/items/all"},
    }
    systems.declare({"shop": OwnSystem.model_validate({"workloads": workloads})})
    declared = systems.declaration("shop")

    assert declared.complete[0].get == "/items/1"
    # The longer beginning first: it is the more special one.
    assert [each.request for each in declared.reference] == ["GET /items/all", "GET /items/"]


def test_results_can_be_read_without_the_file(own: Project, items: Path) -> None:
    items.unlink()
    workload = {"get": "/items/{id}", "csv": "items.csv", "noun": "items"}
    systems.declare({"shop": OwnSystem.model_validate({"workloads": {"look": workload}})})

    assert systems.noun("look") == "items"


def test_a_file_is_sent_as_it_is() -> None:
    with pytest.raises(ValueError, match="csv and file exclude each other"):
        shop(csv="a.csv", file="b.json", body="")

"""The plans are made from one template and the declarations of workloads and systems."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from testbed.measure import plans
from testbed.measure.plans import WorkloadDeclaration
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.model.workloads import RESERVED

from .conftest import shop, write

BODY = """{"text":"<b> & 'c'"}"""


def plan_of(root: Path, system: str, workload: Mapping[str, Any]) -> str:
    """Return the plan of a system with the workload `buy`."""
    declared = yaml.safe_dump({"description": "Orders", **workload})
    write(root, {"systems/shop/system.yaml": system, "jmeter/workloads/buy.yaml": declared})
    shutil.copy(Project.find().plans / "template.jmx.j2", root / "jmeter")
    ((path, text),) = plans.contents(Project(root, root)).items()
    assert path == root / "jmeter" / "shop-buy.jmx"
    return text


def test_the_files_are_what_is_generated() -> None:
    made = plans.contents(Project.find())
    committed = {path: path.read_text(encoding="utf-8") for path in made}
    assert committed == made, "write them: ./testbed generate"


@pytest.mark.parametrize(
    ("system", "workload", "is_session"),
    [
        ("market-monolith", "read", True),
        ("market-services", "write", True),
        ("market-monolith", "page", False),
        ("async", "reserve", False),
    ],
)
def test_an_operation_is_a_session_or_not(system: str, workload: str, is_session: bool) -> None:
    assert plans.is_session(Project.find(), system, workload) is is_session


@pytest.mark.parametrize("protocol", ["direct", "acknowledged"])
def test_what_xml_reserves_is_sent_as_declared(tmp_path: Path, protocol: str) -> None:
    text = plan_of(
        tmp_path,
        shop(protocol, 'buy: "/buy?from=a&to=b"'),
        {"method": "PUT", "body": BODY, "contains": [BODY]},
    )
    plan = ET.fromstring(text)
    request = next(plan.iter("HTTPSamplerProxy"))
    assert request.findtext("stringProp[@name='HTTPSampler.path']") == "/buy?from=a&to=b"
    assert request.findtext(".//stringProp[@name='Argument.value']") == BODY
    assert BODY in [property_.text for property_ in plan.iterfind(".//collectionProp/stringProp")]


def test_a_file_is_sent_as_the_body(tmp_path: Path) -> None:
    text = plan_of(tmp_path, shop(), {"method": "POST", "file": "images/one.jpg"})

    (file,) = ET.fromstring(text).iterfind(".//elementProp[@elementType='HTTPFileArg']")
    assert file.findtext("stringProp[@name='File.paramname']") == ""
    assert file.findtext("stringProp[@name='File.path']") == "images/one.jpg"


@pytest.mark.parametrize("asks", [True, False])
def test_only_a_system_that_may_ask_for_an_account_is_sent_one(tmp_path: Path, asks: bool) -> None:
    text = plan_of(tmp_path, shop() + (f"accounts: {str(asks).lower()}\n"), {"method": "GET"})

    assert ("credentials" in text) == ("Authorization" in text) == asks


def test_header_lines_are_checked_as_a_whole() -> None:
    workload = WorkloadDeclaration(description="Orders", headers_match=("Paid: (yes|no)",))
    (right,) = map(re.compile, workload.header_patterns)

    assert right.search("HTTP/1.1 200 \nPAID: yes\nDate: today\n")
    assert right.search("HTTP/1.1 200 \r\nPaid: no\r\n")
    assert not right.search("HTTP/1.1 200 \nPaid: yesterday\n")
    assert not right.search("HTTP/1.1 200 \nUnpaid: yes\n")


def test_a_polled_answer_is_checked_for_the_same() -> None:
    workload = WorkloadDeclaration(
        description="Orders",
        contains=('"paid":[1.5]', '"name":"${n}.shop"'),
        matches=(r'"amount":(30|31)\D', "open|closed"),
    )
    wrong = [re.compile(pattern.replace("${n}", "7")) for pattern in workload.absences]
    right = '{"name":"7.shop",\n"amount":31,\n"paid":[1.5],"state":"closed"}'

    def lacking(answer: str) -> list[int]:
        return [index for index, pattern in enumerate(wrong) if pattern.search(answer)]

    assert lacking(right) == []
    assert lacking(right.replace("1.5", "1,5")) == [0]
    assert lacking(right.replace("7.shop", "7-shop")) == [1]
    assert lacking(right.replace("31", "310")) == [2]
    assert lacking(right.replace("closed", "lost")) == [3]


ASKED = {"exchange": "list", "path": "/items"}
LISTED = {**ASKED, "items": "$[*].id"}


def session(*steps: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"session": steps}


@pytest.mark.parametrize(
    ("workload", "refusal"),
    [
        (session(), "session: []: tuple should have at least 1 item"),
        (session({**ASKED, "choose": "item"}), "list: choose: give items, a JSONPath"),
        (session({**LISTED, "each": "item"}), "list: each and then: give both or neither"),
        (session({**LISTED, "then": [{**ASKED, "exchange": "one"}]}), "each and then: give both"),
        (session({**LISTED, "pages": "short"}), "list: pages and page_size: give both or neither"),
        (session({**LISTED, "pages": "long", "page_size": 10}), "'short' or 'empty'"),
        (session({**LISTED, "pages": "short", "page_size": 0}), "greater than or equal to 1"),
        (session(ASKED, ASKED), "exchange: list is given more than once"),
        (session({**ASKED, "exchange": "two words"}), "should match pattern"),
        (session({**ASKED, "draw": {"kind": []}}), "at least 1 item"),
        (session({"times": 0, "steps": [ASKED]}), "greater than or equal to 1"),
        (session({"times": 2, "steps": []}), "at least 1 item"),
        (
            session({"times": 2, "until": "it", "steps": [{**LISTED, "choose": "item"}]}),
            "until: 'it': choose from: item",
        ),
        (session({"times": 2, "until": "it", "steps": [ASKED]}), "until: 'it': choose from: none"),
        (session({**LISTED, "choose": "host"}), "host: variables of the plan itself"),
        (session({**ASKED, "draw": {"port": ["1"]}}), "port: variables of the plan itself"),
        ({**session(ASKED), "method": "POST"}, "method: unknown key"),
    ],
)
def test_a_session_that_cannot_be_is_refused(
    tmp_path: Path, workload: Mapping[str, Any], refusal: str
) -> None:
    with pytest.raises(UserError, match=re.escape(refusal)):
        plan_of(tmp_path, shop(), {**workload})


def test_what_no_session_may_set_are_the_variables_of_the_plans() -> None:
    template = (Project.find().plans / "template.jmx.j2").read_text(encoding="utf-8")
    names = re.findall(r'argument\((?:ours ~ )?"([a-z][a-zA-Z]*)"\)', template)
    assert {"page", *names} == RESERVED


def test_a_session_has_a_label_for_each_exchange_and_paths_below_that_of_the_workload(
    tmp_path: Path,
) -> None:
    then = {"exchange": "one", "path": "/items/${item}"}
    steps = session({**LISTED, "each": "item", "then": [then]}, {**ASKED, "exchange": "last"})
    plan = ET.fromstring(plan_of(tmp_path, shop(), steps))

    paths = {
        sampler.get("testname"): sampler.findtext("stringProp[@name='HTTPSampler.path']")
        for sampler in plan.iter("HTTPSamplerProxy")
    }
    assert paths == {
        "${phase}buy list": "/buy/items",
        "${phase}buy one": "/buy/items/${item}",
        "${phase}buy last": "/buy/items",
    }

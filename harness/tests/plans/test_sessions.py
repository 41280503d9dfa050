"""Sessions: several exchanges that are one operation, and what they choose."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from testbed.model import systems

from .conftest import Outcome, Row, RunPlan, succeeded
from .fake_product import BEANS, COUNTRIES, RIGHT, Change, Request, Script, body, problem, status

ONE_USER = {"threads": 1, "ramp": 0, "responseTimeout": 6000}
PLANS = ("market-services-read", "market-monolith-write")


def asked(request: Request) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(request.path).query))


def exchanges(operation: list[Row]) -> list[str]:
    """Return what each exchange of an operation is called, without the workload."""
    return [row["label"].partition(" ")[2] for row in operation[:-1]]


def sent(outcome: Outcome) -> list[tuple[str, bytes]]:
    return [(request.path, request.body) for request in outcome.requests]


@pytest.mark.parametrize(("pages", "fewest"), [(None, 10), ("short", 10), ("empty", 1)])
def test_a_reading_session_has_five_rounds_and_every_page_of_each(
    run_plan: RunPlan, pages: str | None, fewest: int
) -> None:
    given = {} if pages is None else {"pages": pages}
    outcome = run_plan(PLANS[0], properties={**ONE_USER, "loops": 4, **given})

    operations = outcome.operations("read")
    assert len(operations) == 4
    assert all(succeeded(operation) for operation in operations)
    for operation in operations:
        made = exchanges(operation)
        rounds = " ".join(made).split("countries ")[1:]
        assert len(rounds) == 5
        of_ten, left = divmod(BEANS, 10)
        full = ["page", *["details"] * 10] * of_ten + ["page", *["details"] * left]
        whole = ["regions", *full, *["page"] * (fewest == 1)]
        assert {tuple(each.split()) for each in rounds} <= {tuple(whole), ("regions", "page")}
    pages_asked = [asked(request) for request in outcome.requests if "pageNumber" in request.path]
    assert {each["countryName"] for each in pages_asked} == set(COUNTRIES)
    assert {each["varietyType"] for each in pages_asked} == {"ARABICA", "ROBUSTA"}
    assert {each["pageSize"] for each in pages_asked} == {"10"}
    assert all(each["regionName"].startswith(each["countryName"]) for each in pages_asked)


def test_a_reading_session_asks_for_the_details_of_each_bean_of_its_pages(
    run_plan: RunPlan,
) -> None:
    outcome = run_plan(PLANS[0], properties={**ONE_USER, "loops": 2})

    details = [path for path, _ in sent(outcome) if re.fullmatch(r"/api/beans/\d+", path)]
    of_one_list = [f"/api/beans/{bean}" for bean in range(1, BEANS + 1)]
    lists, left = divmod(len(details), BEANS)
    assert (lists > 0, left) == (True, 0)
    assert details == of_one_list * lists


def test_a_writing_session_looks_for_beans_until_it_has_ordered_one(run_plan: RunPlan) -> None:
    outcome = run_plan(PLANS[1], properties={**ONE_USER, "loops": 12})

    operations = outcome.operations("write")
    assert all(succeeded(operation) for operation in operations)
    lengths = Counter(len(exchanges(operation)) for operation in operations)
    assert set(lengths) <= {4, 7, 10, 13, 16, 19, 22, 25}
    assert len(lengths) > 1
    for operation in operations:
        made = exchanges(operation)
        assert made == ["countries", "regions", "page"] * (len(made) // 3) + ["order"]
    orders = [request for request in outcome.requests if request.method == "POST"]
    assert len(orders) == 12
    assert len({request.body for request in orders}) > 1


@pytest.mark.parametrize("plan", PLANS)
def test_the_number_of_an_arrival_decides_what_its_session_chooses(
    run_plan: RunPlan, plan: str, tmp_path: Path
) -> None:
    file = tmp_path / "arrivals.csv"
    file.write_text("0,111\n1,4294967295\n2,111\n3,0\n4,4294967295\n", encoding="ascii")
    opened = {"arrivals": file, "sample_variables": "intended", "lead": 100}
    outcome = run_plan(plan, properties={**ONE_USER, **opened})

    requests = iter(sent(outcome))
    operations = outcome.operations(plan.rpartition("-")[2])
    sessions = [[next(requests) for _ in exchanges(operation)] for operation in operations]
    assert len(sessions) == 5
    assert sessions[0] == sessions[2]
    assert sessions[1] == sessions[4]
    assert sessions[0] != sessions[1] != sessions[3] != sessions[0]
    assert outcome.rows[-1]["intended"].isdecimal()


@pytest.mark.parametrize("plan", PLANS)
def test_without_arrivals_users_and_a_number_decide_what_sessions_choose(
    run_plan: RunPlan, plan: str
) -> None:
    closed = {"threads": 2, "ramp": 0, "loops": 3}
    first, same, other = (
        run_plan(plan, properties={**closed, "choices": choices}) for choices in (7, 7, 8)
    )

    assert Counter(sent(first)) == Counter(sent(same))
    assert Counter(sent(first)) != Counter(sent(other))


WRONG: dict[str, tuple[int, Change]] = {
    "refused": (0, problem(503, "unavailable")),
    "no countries": (0, body(lambda _: [])),
    "no regions": (1, body(lambda _: [])),
    "regions failed": (1, status(500)),
    "of another type": (2, body(lambda _: [{"id": 1, "varietyType": "LIBERICA"}])),
    "of two types": (
        2,
        body(lambda _: [{"id": 1, "varietyType": "ARABICA"}, {"id": 2, "varietyType": "ROBUSTA"}]),
    ),
    "no list": (2, body(lambda _: {"id": 1})),
    "a page failed": (2, status(404)),
}


@pytest.mark.parametrize("plan", PLANS)
def test_a_session_ends_with_its_first_wrong_answer_and_has_failed(
    run_plan: RunPlan, plan: str
) -> None:
    for name, (before, wrong) in WRONG.items():
        scripts = [*[RIGHT] * before, Script(request=wrong)]
        outcome = run_plan(plan, scripts, {**ONE_USER, "loops": 2})

        failed, after = outcome.operations(plan.rpartition("-")[2])
        assert not succeeded(failed), name
        assert [row["success"] for row in failed] == ["true"] * before + ["false"] * 2, name
        assert succeeded(after), name


@pytest.mark.parametrize(
    "wrong",
    [
        status(200),
        problem(409, "stock-short"),
        body(lambda order: {**order, "status": "CANCELED"}),
        body(lambda order: {**order, "items": [{"beanId": 0, "quantity": 1}]}),
        body(lambda order: {**order, "items": [{**order["items"][0], "quantity": 10}]}),
    ],
)
def test_a_wrong_order_fails_its_session(run_plan: RunPlan, wrong: Change) -> None:
    first = run_plan(PLANS[1], properties={**ONE_USER, "loops": 1})
    scripts = [*[RIGHT] * (len(first.requests) - 1), Script(request=wrong)]
    outcome = run_plan(PLANS[1], scripts, {**ONE_USER, "loops": 1})

    [operation] = outcome.operations("write")
    assert exchanges(operation)[-1] == "order"
    assert not succeeded(operation)


def test_an_order_of_another_quantity_is_wrong(run_plan: RunPlan) -> None:
    ten = body(lambda order: {**order, "items": [{**order["items"][0], "quantity": 10}]})
    outcome = run_plan("market-monolith-order", [Script(request=ten)], {**ONE_USER, "loops": 2})

    assert [succeeded(operation) for operation in outcome.operations("order")] == [False, True]


def test_a_session_that_finds_nothing_ends(run_plan: RunPlan) -> None:
    """Nothing is ordered by chance: the order is of no bean, and the market refuses it."""
    nothing = Script(request=body(lambda rows: [] if rows and "varietyType" in rows[0] else rows))
    scripts = [*[RIGHT, RIGHT, nothing] * 100, Script(request=status(400))]
    outcome = run_plan(PLANS[1], scripts, {**ONE_USER, "loops": 1})

    [operation] = outcome.operations("write")
    assert len(operation) == 302
    assert not succeeded(operation)


def test_a_warm_up_has_the_same_sessions_under_other_labels(run_plan: RunPlan) -> None:
    outcome = run_plan(PLANS[1], properties={**ONE_USER, "loops": 2, "warmup": 1})

    labels = {row["label"] for row in outcome.rows}
    every = {"write", *(f"write {name}" for name in ("countries", "regions", "page", "order"))}
    assert labels == every | {f"warm-up {label}" for label in every}


def test_an_unknown_end_of_pages_is_refused(run_plan: RunPlan) -> None:
    outcome = run_plan(PLANS[0], properties={**ONE_USER, "loops": 1, "pages": "long"}, stock=True)

    assert "unknown pages 'long'; choose from: short, empty" in outcome.terminal
    assert outcome.requests == []


@pytest.mark.parametrize("pages", ["short", "empty"])
@pytest.mark.parametrize("plan", [PLANS[0], "market-services-write"])
def test_sessions_succeed_and_end_on_the_reference_server(
    run_plan: RunPlan, plan: str, pages: str
) -> None:
    given = {"pages": pages} if plan.endswith("read") else {}
    declared = systems.declaration("market-services")
    served = declared.model_dump_json(include={"protocol", "reference"})
    command = (sys.executable, "-m", "testbed.measure.reference_server", served)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        outcome = run_plan(plan, properties={**ONE_USER, "loops": 20, "port": port, **given})

    operations = outcome.operations(plan.rpartition("-")[2])
    assert len(operations) == 20
    assert all(succeeded(operation) for operation in operations)

"""The plans of tickets fetch the PDF of the reservation that was made, and look at its bytes."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from .conftest import RunPlan, succeeded
from .fake_product import RIGHT, Change, Script, body, problem, status, text

OTHER = str(uuid4()).encode()

WRONG_ORDERS: dict[str, Change] = {
    "refused": problem(503, "tickets-refused"),
    "not created": status(200),
    "no id": body(lambda made: {name: value for name, value in made.items() if name != "id"}),
    "a foreign id": body(lambda made: {**made, "id": "7"}),
}
WRONG_TICKETS: dict[str, Change] = {
    "gone": problem(410, "ticket-gone"),
    "unknown": problem(404, "ticket-unknown"),
    "nothing": text(b""),
    "cut off": lambda right: replace(right, body=right.body[:40]),
    "of another": lambda right: replace(
        right, body=b"%PDF-1.4 (Ticket " + OTHER + b") startxref 9 %%EOF"
    ),
    "no PDF": lambda right: replace(right, body=right.body.replace(b"%PDF", b"%XML")),
}
FETCHES = ("wait", "immediate", "poll")


@pytest.mark.parametrize("fetch", FETCHES)
def test_a_wrong_order_or_ticket_is_a_failure(run_plan: RunPlan, fetch: str) -> None:
    scripts = {
        "right": RIGHT,
        **{f"order: {name}": Script(request=wrong) for name, wrong in WRONG_ORDERS.items()},
        **{f"ticket: {name}": Script(fetch=wrong) for name, wrong in WRONG_TICKETS.items()},
        "right again": RIGHT,
    }
    outcome = run_plan(
        "ticket-queue-ticket",
        scripts.values(),
        {"threads": 1, "ramp": 0, "loops": len(scripts), "fetch": fetch, "wait": 1},
    )

    passed = dict(zip(scripts, map(succeeded, outcome.operations("ticket")), strict=True))
    assert [name for name, success in passed.items() if success] == ["right", "right again"]
    asked = [request.method for request in outcome.requests]
    assert asked.count("POST") == len(scripts)
    # Nothing is fetched where nothing was ordered.
    assert asked.count("GET") == len(scripts) - len(WRONG_ORDERS)
    waits = {
        request.headers.get("prefer") for request in outcome.requests if request.method == "GET"
    }
    assert waits == ({"wait=1"} if fetch == "wait" else {None})


def test_polls_until_the_ticket_is_there_or_the_wait_is_over(run_plan: RunPlan) -> None:
    scripts = [Script(pending=3), Script(pending=None), Script(pending=0)]
    outcome = run_plan(
        "ticket-composite-ticket",
        scripts,
        {"threads": 1, "ramp": 0, "loops": 3, "fetch": "poll", "wait": 1, "pollInterval": 50},
    )

    there, never, at_once = outcome.operations("ticket")
    assert [succeeded(operation) for operation in (there, never, at_once)] == [True, False, True]
    assert [row["responseCode"] for row in there[:-1]] == ["201", "202", "202", "202", "200"]
    assert never[-2]["responseCode"] == "202"
    assert [row["label"] for row in at_once] == ["ticket request", "ticket fetch", "ticket"]


def test_a_reservation_alone_is_one_sample(run_plan: RunPlan) -> None:
    outcome = run_plan("ticket-direct-reserve", [], {"threads": 1, "ramp": 0, "loops": 3})

    assert [row["label"] for row in outcome.rows] == 3 * ["reserve"]
    assert {request.method for request in outcome.requests} == {"POST"}

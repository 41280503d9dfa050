"""The plans call right answers successes and wrong answers failures."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable
from functools import cache

import pytest

from .conftest import Outcome, Row, RunPlan, spans_ms, succeeded
from .fake_product import RIGHT, Request, Script
from .wrong_answers import ACKNOWLEDGEMENTS, RESULTS, async_scripts, sync_scripts

ONE_USER = {"threads": 1, "ramp": 0, "responseTimeout": 6000}
"""The time-out is longer than a machine that tests share stands still."""
WAIT_S = 6
WORKLOADS = ("list", "reserve")
FETCHES = ("wait", "immediate", "poll")

SyncOutcomes = Callable[[str], dict[str, bool]]
AsyncOutcomes = Callable[[str, str], tuple[dict[str, list[Row]], list[Request]]]


@pytest.fixture(scope="session")
def sync_outcomes(run_plan: RunPlan) -> SyncOutcomes:
    """Return the operations of one run per workload: a right one, every wrong one, a right one."""

    @cache
    def outcomes(workload: str) -> dict[str, bool]:
        scripts = {"right at first": RIGHT, **sync_scripts(workload), "right again": RIGHT}
        outcome = run_plan(
            f"sync-{workload}", scripts.values(), {**ONE_USER, "loops": len(scripts)}
        )
        operations = outcome.operations(workload)
        assert {len(operation) for operation in operations} == {1}
        return dict(zip(scripts, map(succeeded, operations), strict=True))

    return outcomes


@pytest.fixture(scope="session")
def async_outcomes(run_plan: RunPlan) -> AsyncOutcomes:
    """Return the operations of one run per workload and way to fetch, and what was asked."""

    @cache
    def outcomes(workload: str, fetch: str) -> tuple[dict[str, list[Row]], list[Request]]:
        scripts = {"right at first": RIGHT, **async_scripts(workload, fetch), "right again": RIGHT}
        outcome = run_plan(
            f"async-{workload}",
            scripts.values(),
            {**ONE_USER, "loops": len(scripts), "fetch": fetch, "wait": WAIT_S},
        )
        operations = dict(zip(scripts, outcome.operations(workload), strict=True))
        return operations, outcome.requests

    return outcomes


@pytest.mark.parametrize("plan", ["sync-list", "sync-reserve", "async-list", "async-reserve"])
@pytest.mark.parametrize(("user", "password"), [(None, None), ("john", "a:b, ${c}")])
def test_every_request_has_the_credentials(
    run_plan: RunPlan, plan: str, user: str | None, password: str | None
) -> None:
    given = {} if user is None else {"user": user, "password": password}
    outcome = run_plan(plan, properties={**ONE_USER, "loops": 2, **given}, stock=True)

    account = f"{user or 'testbed'}:{password or 'testbed'}".encode()
    assert len(outcome.requests) >= 2
    assert {request.headers.get("authorization") for request in outcome.requests} == {
        f"Basic {base64.b64encode(account).decode()}"
    }


@pytest.mark.parametrize("plan", ["market-services-page", "market-monolith-write"])
@pytest.mark.parametrize("token", [None, "a.b-c_d"])
def test_markets_are_sent_a_token_in_place_of_an_account(
    run_plan: RunPlan, plan: str, token: str | None
) -> None:
    given = {} if token is None else {"token": token}
    outcome = run_plan(plan, properties={**ONE_USER, "loops": 2, **given}, stock=True)

    account = f"Basic {base64.b64encode(b'testbed:testbed').decode()}"
    assert len(outcome.requests) >= 2
    assert {request.headers.get("authorization") for request in outcome.requests} == {
        f"Bearer {token}" if token else account
    }


SYNC_CASES = [(w, name) for w in WORKLOADS for name in sync_scripts(w)]
ASYNC_CASES = [(w, f, name) for w in WORKLOADS for f in FETCHES for name in async_scripts(w, f)]


@pytest.mark.parametrize(("workload", "wrong"), SYNC_CASES)
def test_sync_wrong_answer_is_a_failure(
    sync_outcomes: SyncOutcomes, workload: str, wrong: str
) -> None:
    assert sync_outcomes(workload)[wrong] is False


@pytest.mark.parametrize("workload", WORKLOADS)
def test_sync_right_answer_is_a_success(sync_outcomes: SyncOutcomes, workload: str) -> None:
    outcomes = sync_outcomes(workload)
    assert [name for name, success in outcomes.items() if success] == [
        "right at first",
        "right again",
    ]


@pytest.mark.parametrize(
    ("workload", "reason", "problem"),
    [
        ("list", "open circuit", "circuit-open"),
        ("reserve", "open circuit", "circuit-open"),
        ("list", "no local port", "ports-exhausted"),
    ],
)
def test_reason_of_a_503_is_told_from_a_refusal(
    run_plan: RunPlan, workload: str, reason: str, problem: str
) -> None:
    wrong = sync_scripts(workload)
    scripts = [wrong[reason], wrong["right body under 503"]]
    outcome = run_plan(f"sync-{workload}", scripts, {**ONE_USER, "loops": len(scripts)})
    [[unavailable], [refused]] = outcome.operations(workload)
    assert {unavailable["responseCode"], refused["responseCode"]} == {"503"}
    assert problem in unavailable["failureMessage"]
    assert problem not in refused["failureMessage"]


@pytest.mark.parametrize(("workload", "fetch", "wrong"), ASYNC_CASES)
def test_async_wrong_answer_is_a_failure(
    async_outcomes: AsyncOutcomes, workload: str, fetch: str, wrong: str
) -> None:
    operation = async_outcomes(workload, fetch)[0][wrong]
    assert not succeeded(operation)
    labels = [row["label"] for row in operation]
    if wrong in ACKNOWLEDGEMENTS:
        assert labels == [f"{workload} request", workload]
    elif wrong == "pending with a body" and fetch == "poll":
        # Pending it says, so it is asked until the wait is over.
        assert len(labels) > 3
    else:
        assert labels == [f"{workload} request", f"{workload} fetch", workload]


@pytest.mark.parametrize("fetch", FETCHES)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_async_right_answer_is_a_success(
    async_outcomes: AsyncOutcomes, workload: str, fetch: str
) -> None:
    operations, requests = async_outcomes(workload, fetch)
    right = {name: rows for name, rows in operations.items() if succeeded(rows)}
    assert list(right) == ["right at first", "right again"]
    for operation in right.values():
        assert [row["label"] for row in operation] == [
            f"{workload} request",
            f"{workload} fetch",
            workload,
        ]
        assert [row["responseCode"] for row in operation] == ["202", "200", "200"]
    assert requests[0].headers.get("prefer") is None
    assert requests[1].headers.get("prefer") == (f"wait={WAIT_S}" if fetch == "wait" else None)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_request_that_waits_is_the_whole_operation(run_plan: RunPlan, workload: str) -> None:
    wrong = [Script(fetch=change) for change in RESULTS[workload].values()]
    scripts = [RIGHT, *wrong, Script(pending=1), RIGHT]
    outcome = run_plan(
        f"async-{workload}",
        scripts,
        {**ONE_USER, "loops": len(scripts), "fetch": "request", "wait": 1},
    )

    operations = outcome.operations(workload)
    assert [succeeded(operation) for operation in operations] == [
        True,
        *[False for _ in wrong],
        False,
        True,
    ]
    for operation in operations:
        assert [row["label"] for row in operation] == [f"{workload} request", workload]
    assert [request.headers.get("prefer") for request in outcome.requests] == ["wait=1"] * len(
        scripts
    )


@pytest.mark.parametrize("workload", WORKLOADS)
def test_polls_until_the_answer_is_there_or_the_wait_is_over(
    run_plan: RunPlan, workload: str
) -> None:
    interval_ms = 300

    def run(wait_s: int, *scripts: Script) -> Outcome:
        limits = {"loops": len(scripts), "pollInterval": interval_ms, "wait": wait_s}
        return run_plan(f"async-{workload}", scripts, {**ONE_USER, "fetch": "poll", **limits})

    outcome = run(60, Script(pending=3), *[RIGHT] * 10)
    polled, *at_once = outcome.operations(workload)
    assert succeeded(polled)
    assert [row["responseCode"] for row in polled] == ["202"] * 4 + ["200"] * 2
    arrivals = [request.at for request in outcome.requests[1:5]]
    gaps = [after - before for before, after in itertools.pairwise(arrivals)]
    assert min(gaps) >= interval_ms / 1000 - 0.001
    # The operation's time includes the waits between the polls; a right answer costs none.
    assert int(polled[-1]["elapsed"]) >= 3 * interval_ms
    assert all(succeeded(operation) and len(operation) == 3 for operation in at_once)
    # The best of many on a busy machine.
    assert min(int(operation[-1]["elapsed"]) for operation in at_once) < interval_ms

    never, after = run(1, Script(pending=None), RIGHT).operations(workload)
    assert not succeeded(never)
    assert {row["responseCode"] for row in never[:-1]} == {"202"}
    assert int(never[-1]["elapsed"]) >= 1000
    # The request, a fetch at once and one after each interval that began within the wait.
    assert len(never[:-1]) <= 2 + 1000 // interval_ms + 1
    assert succeeded(after)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_pause_comes_before_the_fetch_and_counts(run_plan: RunPlan, workload: str) -> None:
    outcome = run_plan(
        f"async-{workload}", (), {**ONE_USER, "loops": 2, "fetch": "immediate", "pause": 120}
    )
    for operation in outcome.operations(workload):
        assert succeeded(operation)
        assert int(operation[-1]["elapsed"]) >= 120
    request, fetch = outcome.requests[:2]
    assert fetch.at - request.at >= 0.119


@pytest.mark.parametrize(
    ("plan", "name", "value", "choices"),
    [
        ("async-list", "fetch", "guess", "choose from: wait, immediate, poll, request"),
        ("async-reserve", "fetch", "guess", "choose from: wait, immediate, poll, request"),
        ("sync-list", "warmup", "soon", "choose a whole number of seconds"),
        ("async-reserve", "warmup", "-1", "choose a whole number of seconds"),
        ("async-list", "warmup", "1.5", "choose a whole number of seconds"),
        ("sync-reserve", "keys", "yes", "choose from: on, off"),
    ],
)
def test_a_wrong_property_asks_for_nothing(
    run_plan: RunPlan, plan: str, name: str, value: str, choices: str
) -> None:
    outcome = run_plan(plan, (), {**ONE_USER, "loops": 5, name: value}, stock=True)
    message = f"unknown {name} '{value}'; {choices}"
    assert message in outcome.terminal
    assert outcome.requests == []
    (row,) = outcome.rows
    assert (row["label"], row["responseMessage"], row["success"]) == (
        "wrong property",
        message,
        "false",
    )


def test_users_that_would_begin_after_the_end_are_refused(run_plan: RunPlan) -> None:
    """JMeter lets each of them send one sample after the end."""
    asked = {**ONE_USER, "loops": -1, "ramp": 3, "duration": 2}
    outcome = run_plan("sync-list", (), asked, stock=True)

    message = "ramp 3 is more than duration 2; the last users would begin after the end"
    assert message in outcome.terminal
    assert outcome.requests == []
    assert [row["label"] for row in outcome.rows] == ["wrong property"]


@pytest.mark.parametrize("plan", ["sync-reserve", "async-reserve"])
def test_a_reservation_has_a_key_of_its_own_only_if_told(run_plan: RunPlan, plan: str) -> None:
    def sent(**properties: str) -> list[Request]:
        outcome = run_plan(plan, properties={**ONE_USER, "loops": 20, **properties}, stock=True)
        assert {row["success"] for row in outcome.rows} == {"true"}
        return [request for request in outcome.requests if request.method == "POST"]

    assert not any("idempotency-key" in request.headers for request in sent())
    assert len({request.headers["idempotency-key"] for request in sent(keys="on")}) == 20


@pytest.mark.parametrize("plan", ["sync-reserve", "async-reserve"])
def test_reservations_are_for_one_day_unless_told_otherwise(run_plan: RunPlan, plan: str) -> None:
    def days(**properties: str) -> set[str]:
        outcome = run_plan(plan, properties={**ONE_USER, "loops": 50, **properties}, stock=True)
        assert {row["success"] for row in outcome.rows} == {"true"}
        return {json.loads(request.body)["date"] for request in outcome.requests if request.body}

    assert days() == {"2022-04-15"}
    spread = days(until="2032-04-15")
    assert len(spread) > 40
    assert min(spread) >= "2022-04-15"
    assert max(spread) < "2032-04-15"


@pytest.mark.parametrize("plan", ["sync-list", "sync-reserve", "async-list", "async-reserve"])
def test_each_user_keeps_one_connection_and_is_not_like_another(
    run_plan: RunPlan, plan: str
) -> None:
    outcome = run_plan(plan, (), {"threads": 4, "ramp": 0, "loops": 50})
    assert outcome.connections == 4
    assert len(outcome.of(plan)) == 200
    assert all(row["success"] == "true" for row in outcome.rows)
    bodies = [json.loads(request.body) for request in outcome.requests if request.body]
    if plan.endswith("reserve"):
        emails = {body.pop("clientEmail") for body in bodies}
        assert len(emails) == 200
        assert not [email for email in emails if "$" in email]
        # The thesis's payload (listing 4.14), but for the e-mail.
        assert bodies[0] == {
            "clientName": "Jane Doe",
            "movieId": "CNW001",
            "date": "2022-04-15",
            "showTime": "18:00",
            "tickets": 2,
            "ticketType": "Gold",
            "amount": 30.00,
        }


def test_without_properties_ten_users_run_a_thousand_times(run_plan: RunPlan) -> None:
    outcome = run_plan("sync-list", stock=True)
    assert len(outcome.of("sync-list")) == 10_000
    assert len({row["threadName"] for row in outcome.rows}) == 10
    assert all(row["success"] == "true" for row in outcome.rows)


@pytest.mark.parametrize("loops", [{}, {"loops": -1}], ids=["loops not given", "loops=-1"])
def test_duration_bounds_the_run(run_plan: RunPlan, loops: dict[str, int]) -> None:
    limits = {"threads": 1, "ramp": 0, "duration": 3, **loops}
    # Were the thousand loops still the bound, they would be done earlier, or later if it is slow.
    assert any(2000 <= span < 10_000 for span in spans_ms(run_plan, "sync-list", limits))


def test_loops_bound_a_run_with_a_duration_too(run_plan: RunPlan) -> None:
    outcome = run_plan("sync-list", (), {"threads": 2, "ramp": 0, "duration": 60, "loops": 5})
    assert len(outcome.of("sync-list")) == 10

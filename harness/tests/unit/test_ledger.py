"""Accounts by id for the work that a system accepted."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from testbed.deploy import database, services
from testbed.deploy.meter import Usage
from testbed.measure import ledger
from testbed.measure.ledger import Accounting, WorkReport, account, number_in
from testbed.model.errors import UserError
from testbed.model.systems import Accepted, Ledger

from .conftest import serving

DECLARED = Ledger(
    service="builder",
    path="/actuator/work",
    accepted=Accepted(databases="x-", collection="orders", number="email"),
    places={"LENGTH": 100},
    held={"PREFETCH": 10, "CONSUMERS": 2},
)


BUILT_MS = 1_760_000_000_000


def answer(waiting: int = 0, **ids: list[str]) -> dict[str, Any]:
    """Return what a service tells; ids are those of each outcome, built one after another."""
    built = ids.get("built", [])
    settled = sum(len(ids.get(name, ())) for name in ledger.OUTCOMES)
    at = [BUILT_MS + number for number in range(len(built))]
    return {**ids, "builtAt": at, "settled": settled, "waiting": waiting}


def report(waiting: int = 0, **ids: list[str]) -> WorkReport:
    return WorkReport.of(answer(waiting, **ids))


def test_everything_accepted_has_one_outcome() -> None:
    order = {f"id-{number}": number for number in range(1, 10)}
    outcome = account(
        order, report(2, built=["id-1", "id-5"], dropped=["id-2"], failed=["id-3"], other=["id-4"])
    )

    assert outcome.outcomes == {
        "id-1": "built",
        "id-2": "dropped",
        "id-3": "dead-lettered",
        "id-4": "lost",
        "id-5": "built",
        "id-6": "lost",
        "id-7": "lost",
        "id-8": "queued",
        "id-9": "queued",
    }
    assert (outcome.twice, outcome.strangers) == (0, 0)
    assert outcome.lost_by_third == [1, 2, 1]


def test_outcomes_that_contradict_or_belong_to_nothing_accepted_are_counted() -> None:
    outcome = account({"a": 1}, report(built=["a", "b"], failed=["a"]))

    assert (outcome.twice, outcome.strangers) == (1, 1)
    assert outcome.count("built", "dead-lettered") == 1


def test_an_unknown_number_of_waiting_is_none() -> None:
    assert account({"a": 1}, report(-1)).outcomes == {"a": "lost"}


def test_nothing_accepted_is_an_account_too() -> None:
    assert account({}, report()).lost_by_third == [0, 0, 0]


def test_work_of_earlier_runs_is_left_out() -> None:
    before = report(3, built=["a"], refused=["x"])
    now = report(1, built=["a", "b"], refused=["x", "y"])

    since = now.since(before)
    assert since.ids["built"] == {"b"}
    assert since.built_s == {"b": (BUILT_MS + 1) / 1000}
    assert (since.refused, since.settled, since.waiting) == (1, 1, 1)


@pytest.mark.parametrize(
    ("text", "number"), [("user-17@run-2026.example.org", 17), ("", 0), ("nobody", 0)]
)
def test_the_first_number_is_the_place_in_the_run(text: str, number: int) -> None:
    assert number_in(text) == number


def test_places_are_the_length_and_what_consumers_hold() -> None:
    assert DECLARED.capacity({}, "docker") == 120
    assert DECLARED.capacity({"LENGTH": "50", "CONSUMERS": "1", "OTHER": "x"}, "docker") == 60
    assert DECLARED.capacity({"LENGTH": "0"}, "docker") == float("inf")
    counting = DECLARED.model_copy(update={"embedded_counts_held": True})
    assert counting.capacity({}, "docker") == 120
    assert counting.capacity({}, "embedded") == 100


@contextmanager
def answering(answers: list[dict[str, Any]], late_s: float = 0) -> Iterator[int]:
    """Serve the answers in turn, the last one for good; the first one late.

    Those without ids go on to the next; those with ids are as of the last without.
    """
    delays, current = [late_s], [answers[0]]

    def report(request: BaseHTTPRequestHandler, _: bytes) -> tuple[int, bytes]:
        path, _, query = request.path.partition("?")
        assert (path, query) in ((DECLARED.path, ""), (DECLARED.path, "ids=false"))
        if delays:
            time.sleep(delays.pop())
        if query:
            current[0] = answers.pop(0) if answers[1:] else answers[0]
        content = current[0]
        if query:
            content = content | {name: [] for name in content if isinstance(content[name], list)}
        return 200, json.dumps(content).encode()

    with serving(report) as port:
        yield port


def test_a_run_is_accounted_for_when_its_work_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "POLL_S", 0.01)
    # Longer than a machine stands still between two answers.
    monkeypatch.setattr(ledger, "QUIET_S", 6)
    withdrawn = ""
    stored = {"a": "user-1@x", "b": "user-2@x", "c": "user-10@x", "d": withdrawn}
    monkeypatch.setattr(database, "stored", lambda *_: stored)
    answers = [
        answer(2, built=["old"]),
        # A consumer still holds one, which RabbitMQ no longer counts as waiting.
        answer(0, built=["old"]),
        answer(0, built=["old", "older"]),
        answer(0, built=["old", "older"]),
        answer(1, built=["old", "older", "b"]),
        answer(0, built=["old", "older", "b", "c"], refused=["z"]),
    ]
    # One is built during the load, one after it.
    answers[-1]["builtAt"] = [0, 0, 0, round(1000 * (time.time() + 60))]
    cpu_s = iter((1.0, 3.5))
    with answering(answers) as port:
        stack = SimpleNamespace(
            endpoints=lambda: {"builder": port},
            deployment=SimpleNamespace(mongodb_uri="x"),
            meter=lambda: SimpleNamespace(read=lambda: {"builder": Usage(next(cpu_s), 1.0)}),
        )
        accounting = Accounting(DECLARED, stack, tmp_path, 5)  # type: ignore[arg-type]
        accounting.begin()
        recorded = accounting.record()["ledger"]

    expected = {
        "accepted": 3,
        "built": 2,
        "dropped": 0,
        "dead-lettered": 0,
        "queued": 0,
        "lost": 1,
        "refused": 1,
        "twice": 0,
        "strangers": 0,
        "lost_by_third": [1, 0, 0],
        "built_later": 1,
        "cpu_s": {"builder": 2.5},
        "peak_mb": {},
    }
    assert expected.items() <= recorded.items()
    drained_s = (answers[-1]["builtAt"][-1] - recorded["load_ended_ms"]) / 1000
    assert recorded["drained_s"] == pytest.approx(drained_s, abs=0.002)
    assert recorded["built_per_s"] == pytest.approx(1 / drained_s, rel=0.01)
    with (tmp_path / "ledger.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["number"], row["id"], row["outcome"]) for row in rows] == [
        ("1", "a", "lost"),
        ("2", "b", "built"),
        ("10", "c", "built"),
    ]
    assert (rows[0]["built_s"], rows[1]["built_s"]) == ("", "0.000")
    assert float(rows[2]["built_s"]) > recorded["load_ended_ms"] / 1000


def test_a_busy_service_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "client", lambda: httpx.Client(timeout=0.1))
    with answering([answer(built=["a"])], late_s=0.5) as port:
        stack = SimpleNamespace(endpoints=lambda: {"builder": port})
        accounting = Accounting(DECLARED, stack, tmp_path, 5)  # type: ignore[arg-type]
        accounting.begin()

        assert accounting.before == report(built=["a"])

        monkeypatch.setattr(ledger, "ANSWER_LIMIT_S", 0)
    with (
        answering([answer()], late_s=0.5) as port,
        pytest.raises(UserError, match="builder does not report its work"),
    ):
        accounting.begin()

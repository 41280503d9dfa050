"""The accounts of operations that are sent while something fails (``tests/faults``)."""

from __future__ import annotations

import threading

import pytest

from faults import accounting
from faults.accounting import Account, Entry, Load, Outcome, evenly

MADE = Outcome(202, "an-id", 200)
PENDING = Outcome(202, "an-id", 504, "no-answer")
REFUSED = Outcome(202, "an-id", 422, "movie-unknown")
UNCONFIRMED = Outcome(503, None, 503, "unavailable")
SILENT = Outcome(None, why="ConnectError")


def entry(key: str, outcome: Outcome, due_s: float = 0.0, took_s: float = 0.1) -> Entry:
    return Entry(key, due_s, took_s, outcome)


def keys(entries: list[Entry]) -> str:
    return " ".join(operation.key for operation in entries)


def test_account_tells_lost_from_refused_and_unanswered() -> None:
    entries = tuple(
        entry(key, outcome)
        for key, outcome in {
            "made": MADE,
            "late": PENDING,
            "lost": PENDING,
            "vanished": MADE,
            "refused": REFUSED,
            "unconfirmed": UNCONFIRMED,
            "silent": SILENT,
            "silent-but-stored": SILENT,
        }.items()
    )

    account = Account(entries, {"made": 1, "late": 1, "silent-but-stored": 1})

    assert keys(account.lost) == "lost vanished"
    assert keys(account.unanswered) == "silent silent-but-stored"
    assert keys(account.acknowledged) == "made late lost vanished refused"
    assert account.doubled == account.unwanted == []


def test_account_names_what_is_stored_twice_or_against_its_word() -> None:
    outcomes = {"made": MADE, "refused": REFUSED, "unconfirmed": UNCONFIRMED, "silent": SILENT}
    entries = tuple(entry(key, outcome) for key, outcome in outcomes.items())

    account = Account(entries, {"made": 2, "refused": 1, "unconfirmed": 1, "silent": 2})

    assert keys(account.doubled) == "made silent"
    assert keys(account.unwanted) == "refused unconfirmed"
    assert account.lost == []


@pytest.mark.parametrize(
    ("outcome", "served"),
    [
        (MADE, True),
        (Outcome(201, "an-id", 201), True),
        (Outcome(202, "an-id", 202), False),
        (Outcome(202, "an-id"), False),
        (PENDING, False),
        (SILENT, False),
    ],
)
def test_only_a_result_is_served(outcome: Outcome, served: bool) -> None:
    assert outcome.served is served


def test_every_operation_is_sent_once_and_accounted_for() -> None:
    sent: list[str] = []

    def send(key: str) -> Outcome:
        sent.append(key)
        return MADE

    with Load(send, evenly(1000, 100), workers=7) as load:
        pass

    assert len(set(sent)) == len(sent) == 100
    assert sorted(sent) == sorted(operation.key for operation in load.entries)
    assert [operation.due_s for operation in load.entries] == evenly(1000, 100)


def test_no_more_operations_are_in_flight_than_workers() -> None:
    release, full = threading.Event(), threading.Event()
    in_flight: list[str] = []

    def send(key: str) -> Outcome:
        in_flight.append(key)
        if len(in_flight) == 3:
            full.set()
        release.wait(60)
        return MADE

    with Load(send, [0.0] * 20, workers=3) as load:
        assert full.wait(60)
        assert len(in_flight) == 3
        held_s = load.elapsed_s
        release.set()

    # One that waited for a worker was due before.
    assert min(operation.took_s for operation in load.entries) >= held_s


def test_the_body_runs_while_operations_go_on(progress: list[str]) -> None:
    with Load(lambda _: MADE, evenly(500, 50), notice=progress.append) as load:
        load.await_share(0.1)
        assert len(load.entries) >= 5
        load.await_due(1)
    assert progress[-1] == "50 of 50 operations"


def test_a_load_that_is_ended_sends_nothing_more() -> None:
    with Load(lambda _: MADE, [0.0] * 5 + [3600.0] * 5) as load:
        load.await_ended(5)
        load.end()
    assert len(load.entries) == 5


def test_an_error_in_the_body_lets_no_further_operation_begin() -> None:
    with (
        pytest.raises(KeyError, match="body"),
        Load(lambda _: MADE, [0.0] * 5 + [3600.0] * 5) as load,
    ):
        load.await_ended(5)
        raise KeyError("body")
    assert len(load.entries) == 5


def test_what_keeps_an_operation_from_being_sent_is_raised() -> None:
    def send(_: str) -> Outcome:
        raise RuntimeError("a fault of the client")

    with pytest.raises(RuntimeError, match="a fault of the client"), Load(send, [0.0, 0.0]):
        pass


def test_a_load_that_stalls_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounting, "STALLED_S", 0.05)
    release = threading.Event()

    def send(_: str) -> Outcome:
        release.wait(60)
        return MADE

    try:
        with pytest.raises(TimeoutError, match="no operation has ended"), Load(send, [0.0]):
            pass
    finally:
        release.set()


def test_failed_seconds_count_by_when_operations_were_due() -> None:
    entries = [
        entry("a", MADE, 0.2),
        entry("b", SILENT, 1.1),
        entry("c", PENDING, 1.9),
        entry("d", SILENT, 4.0),
    ]
    assert accounting.failed_seconds(entries) == 2


@pytest.mark.parametrize(("share", "expected"), [(0.5, 2.0), (0.99, 4.0), (1.0, 4.0), (0.0, 1.0)])
def test_quantile_is_one_of_the_times(share: float, expected: float) -> None:
    entries = [entry(str(took), MADE, took_s=took) for took in (3.0, 1.0, 4.0, 2.0)]
    assert accounting.quantile(entries, share) == expected


def test_statuses_are_counted_by_the_last_answer() -> None:
    entries = [
        entry(str(n), outcome) for n, outcome in enumerate((MADE, MADE, UNCONFIRMED, SILENT))
    ]
    assert accounting.statuses(entries) == "200: 2, 503: 1, none: 1"


@pytest.mark.parametrize(("part", "text"), [([], "0 of 10,000"), (3, "3 of 10,000")])
def test_a_count_is_told_with_its_whole(part: list[int] | int, text: str) -> None:
    assert accounting.of(part, range(10_000)) == text


@pytest.fixture
def progress() -> list[str]:
    return []

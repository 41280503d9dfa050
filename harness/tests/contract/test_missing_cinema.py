"""A cinema that stops is named as missing; when it is back, so is its part of the list."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from testbed.deploy.stack import Stack

from .conftest import CONVERGED_LIMIT_S, Eventually
from .product import RUN, Asynchronous, Product, problem, reservation

STOPPED = "dundrum"
SERVICE = f"cinema-{STOPPED}-service"
AT_STOPPED = {"movieId": "MAD001", "showTime": "10:30"}


@pytest.fixture(scope="module")
def without_one(running: Stack | None) -> Iterator[Stack]:
    """The variant, one cinema of it stopped."""
    if running is None:
        pytest.skip("TESTBED_BASE_URL: services of a running system are not stopped")
    running.stop_service(SERVICE)
    yield running
    if SERVICE not in {service.name for service in running.record.running}:
        running.start_service(SERVICE)
        running.await_converged(lambda _: None, CONVERGED_LIMIT_S)


def names(answer: httpx.Response) -> list[str]:
    """Return the names of the listed cinemas."""
    return [cinema["cinemaName"] for cinema in answer.json()]


def test_every_list_names_it_from_the_first_on(without_one: Stack, product: Product) -> None:
    for _ in range(5):
        answer = product.list_movies()
        assert answer.status_code == httpx.codes.OK, answer.text
        assert names(answer) == ["cineworld", "ucd"]
        assert answer.headers["Cinemas-Missing"] == STOPPED


def test_others_take_reservations(without_one: Stack, product: Product) -> None:
    assert product.reserve("cineworld", json=reservation()).status_code == product.made


def test_it_takes_no_reservation_and_says_why(
    without_one: Stack, product: Product, variant: str
) -> None:
    answer = product.reserve(STOPPED, json=reservation(**AT_STOPPED))
    if variant == "sync":
        content = problem(answer, 503, "circuit-open")
        assert content["detail"] == f"Fallback: Circuit broken in {SERVICE}!"
    else:
        # Its queue has taken the request.
        problem(answer, 504, "no-answer")


@pytest.mark.variant("async")
@pytest.mark.usefixtures("without_one")
class TestFetchWhilePending:
    @pytest.fixture
    def request_(self, product: Asynchronous) -> httpx.Response:
        answer = product.http.get(product.list_path(STOPPED))
        assert answer.status_code == httpx.codes.ACCEPTED
        return answer

    @pytest.mark.parametrize(
        "preferences",
        [
            (),
            ("wait=0",),
            ("wait=abc",),
            ("wait=-1",),
            ("wait=1.5",),
            ("wait=",),
            ("wait",),
            ("respond-async",),
            ("waiting=3",),
            ('handling="wait=3"',),
            ("wait=0, wait=3",),
            ("wait=0", "wait=3"),
            ("",),
        ],
        ids=repr,
    )
    def test_is_told_at_once(
        self, product: Asynchronous, request_: httpx.Response, preferences: tuple[str, ...]
    ) -> None:
        answers = [product.fetch(request_, *preferences) for _ in range(3)]
        # No wait that can be asked for is shorter than a second, and none of them had to wait.
        assert min(answer.elapsed.total_seconds() for answer in answers) < 1
        assert answers[0].status_code == httpx.codes.ACCEPTED
        assert answers[0].headers["Retry-After"] == "1"
        assert answers[0].content == b""

    @pytest.mark.parametrize(
        "preferences",
        [
            ("wait=1",),
            ("WAIT=1",),
            ('wait="1"',),
            ("wait = 1",),
            ("respond-async, wait=1",),
            ("respond-async", "wait=1"),
            ("wait=1; foo=bar, handling=lenient",),
            ("wait=1, wait=4",),
        ],
        ids=repr,
    )
    def test_is_told_after_the_wait(
        self, product: Asynchronous, request_: httpx.Response, preferences: tuple[str, ...]
    ) -> None:
        def waited_s() -> float:
            began = time.monotonic()
            answer = product.fetch(request_, *preferences)
            assert answer.status_code == httpx.codes.ACCEPTED
            assert answer.headers["Preference-Applied"] == "wait=1"
            return time.monotonic() - began

        shortest = min(waited_s() for _ in range(2))
        # Less than the other wait that one of them names.
        assert 0.95 <= shortest < 4

    def test_becomes_no_answer_at_the_deadline(
        self, product: Asynchronous, request_: httpx.Response
    ) -> None:
        began = time.monotonic()
        answer = product.fetch(request_, "wait=30")
        # The broker's deadline ends the wait.
        assert time.monotonic() - began < 30
        content = problem(answer, 504, "no-answer")
        assert product.fetch(request_).json() == content


def test_it_is_back_after_its_start_and_nothing_else_has_to_be(
    without_one: Stack, product: Product, variant: str, eventually: Eventually
) -> None:
    sent = reservation(**AT_STOPPED, clientEmail=f"early@late.{RUN}")
    request = product.http.post(product.make_path(STOPPED), json=sent)
    others = [service for service in without_one.record.running if service.name != SERVICE]
    without_one.start_service(SERVICE)
    eventually(lambda: "Cinemas-Missing" not in product.list_movies().headers)
    assert names(product.list_movies()) == ["cineworld", "dundrum", "ucd"]
    eventually(
        lambda: (
            product.reserve(STOPPED, json=reservation(**AT_STOPPED)).status_code == product.made
        ),
    )
    assert [service for service in without_one.record.running if service.name != SERVICE] == others
    without_one.require_alive()
    made = [
        booked
        for booked in product.reservations(STOPPED)
        if booked["clientEmail"] == sent["clientEmail"]
    ]
    if variant == "sync":
        assert made == []
    else:
        # Accepted is accepted: it is made now, even if nobody waits any more, and made once.
        assert made == [{"id": request.text, **sent}]

"""The gateway's circuit breakers, seen from outside."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from testbed.deploy.stack import Stack

from .conftest import DEADLINE_S, Eventually
from .product import Product, problem, reservation

pytestmark = pytest.mark.variant("sync")

LONGEST_S = 30
"""The longest time for which a cinema can be asked to answer late."""


@pytest.mark.parametrize("kind", ["movie", "reservation"])
def test_answer_within_the_time_limit_comes_through(product: Product, kind: str) -> None:
    answer = product.http.get(f"/cinema/cineworld/{kind}/delay/1")
    assert answer.status_code == httpx.codes.OK
    assert answer.json() == {"seconds": 1}
    assert answer.elapsed.total_seconds() >= 1


@pytest.mark.parametrize("kind", ["movie", "reservation"])
def test_fallback_answers_at_the_time_limit(product: Product, kind: str) -> None:
    began = time.monotonic()
    answer = product.http.get(f"/cinema/cineworld/{kind}/delay/{LONGEST_S}")
    # The cinema's answer is not waited for.
    assert DEADLINE_S - 0.1 <= time.monotonic() - began < LONGEST_S
    content = problem(answer, 504, "time-limit")
    assert content["detail"] == "Fallback: Circuit broken in cinema-cineworld-service!"


@pytest.mark.parametrize("seconds", ["-1", "31", "many", "1.5", "99999999999"])
def test_impossible_delay_is_refused(product: Product, seconds: str) -> None:
    problem(product.http.get(f"/cinema/cineworld/movie/delay/{seconds}"), 400, "invalid-request")


def test_circuit_opens_for_one_cinema_alone_and_closes_again(
    stack: Stack, product: Product, eventually: Eventually
) -> None:
    def ask() -> httpx.Response:
        return product.http.get("/cinema/ucd/movie/list")

    refused: list[httpx.Response] = []

    def is_refused() -> bool:
        answer = ask()
        if answer.is_error:
            refused.append(answer)
        return answer.is_error

    with ThreadPoolExecutor(120) as clients:
        # More at once than any breaker's window holds.
        late = [
            clients.submit(lambda: product.http.get(f"/cinema/ucd/reservation/delay/{LONGEST_S}"))
            for _ in range(120)
        ]
        eventually(is_refused)
        content = problem(refused[0], 503, "circuit-open")
        assert content["detail"] == "Fallback: Circuit broken in cinema-ucd-service!"
        # It does not wait for the time limit.
        assert refused[0].elapsed.total_seconds() < DEADLINE_S
        # The breakers are apart, and the aggregator has a way of its own.
        assert product.reserve("cineworld", json=reservation()).status_code == product.made
        assert len(product.list_movies().json()) == 3
        assert {future.result().status_code for future in late} <= {503, 504}

    def is_closed() -> bool:
        return all(ask().status_code == httpx.codes.OK for _ in range(20))

    eventually(is_closed)

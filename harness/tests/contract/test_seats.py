"""A showing of so many seats takes so many reservations, and not one more."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import httpx
import pytest

from .conftest import BASE_URL, started
from .product import PRODUCTS, Product, problem, reservation

PORT_OFFSET = 5000
"""Not that of the stacks of other tests."""

SEATS = 100
BUYERS = 500
TRIES = 5


@pytest.fixture(scope="module", params=PRODUCTS)
def limited(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Product]:
    """A running variant whose showings have few seats."""
    if BASE_URL:
        pytest.skip("TESTBED_BASE_URL: how many seats a running system has is its own matter")
    folder = tmp_path_factory.mktemp(f"seats-{request.param}")
    with started(request.param, {"CINEMA_SEATS": str(SEATS)}, folder, PORT_OFFSET) as stack:
        product = PRODUCTS[request.param](f"http://127.0.0.1:{stack.deployment.front_port}")
        with closing(product):
            yield product


def buy(product: Product, key: str, **changes: Any) -> httpx.Response:
    """Ask for seats, again as long as no answer comes in time: a cold system is slow at first."""
    for _ in range(TRIES):
        answer = product.reserve(
            "cineworld",
            json=reservation(**({"tickets": 1} | changes)),
            headers={"Idempotency-Key": key},
        )
        if answer.status_code not in (503, 504):
            break
    return answer


def test_as_many_are_booked_as_there_are_seats(limited: Product) -> None:
    keys = [str(uuid.uuid4()) for _ in range(BUYERS)]
    with ThreadPoolExecutor(100) as buyers:
        answers = list(buyers.map(lambda key: buy(limited, key), keys))
    assert Counter(answer.status_code for answer in answers) == {
        limited.made: SEATS,
        409: BUYERS - SEATS,
    }
    refused = [answer for answer in answers if answer.status_code == 409]
    assert problem(refused[0], 409, "sold-out")
    booked = {a.json()["id"]: key for a, key in zip(answers, keys, strict=True) if a.is_success}
    assert {one["id"] for one in limited.reservations("cineworld")} == set(booked)
    # A replay takes no seat and is not refused for lack of one.
    for id_, key in list(booked.items())[:10]:
        assert buy(limited, key).json()["id"] == id_
    assert len(limited.reservations("cineworld")) == SEATS


def test_every_ticket_is_a_seat_of_its_own_showing(limited: Product) -> None:
    def party(tickets: int) -> int:
        return buy(limited, str(uuid.uuid4()), tickets=tickets, date="2022-04-16").status_code

    taken = [party(20) for _ in range(4)] + [party(19)]
    assert set(taken) == {limited.made}
    assert party(2) == 409
    assert party(1) == limited.made
    assert party(1) == 409

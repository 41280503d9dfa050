"""A request with an Idempotency-Key has one effect, however often it is sent."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from testbed.deploy.stack import Stack

from .accounts import ADMINISTRATOR, OTHER
from .conftest import CONVERGED_LIMIT_S, Eventually
from .product import RUN, Product, problem, reservation

CINEMA = "ucd"
SERVICE = "cinema-ucd-service"


class Client:
    """One client with one key."""

    def __init__(self, product: Product) -> None:
        self.product = product
        self.key = str(uuid.uuid4())
        self.email = f"{self.key}@{RUN}"

    def reserve(self, key: str | None = None, **changes: Any) -> httpx.Response:
        """Ask for the same reservation as ever, some fields changed."""
        asked = {"movieId": "UCD001", "showTime": "10:15", "clientEmail": self.email, **changes}
        return self.product.reserve(
            CINEMA,
            json=reservation(**asked),
            headers={"Idempotency-Key": self.key if key is None else key},
        )

    def stored(self) -> list[dict[str, Any]]:
        """Return this client's reservations."""
        every = self.product.reservations(CINEMA)
        return [booked for booked in every if booked["clientEmail"] == self.email]


@pytest.fixture
def client(product: Product) -> Client:
    return Client(product)


def test_replay_is_answered_with_the_first_reservation(client: Client, product: Product) -> None:
    first = client.reserve()
    assert first.status_code == product.made, first.text
    for key in (client.key, f'"{client.key}"'):
        again = client.reserve(key)
        assert again.status_code == product.made, again.text
        assert again.json() == first.json()
    assert client.stored() == [first.json()]


def test_replays_at_once_are_one_reservation(client: Client, product: Product) -> None:
    with ThreadPoolExecutor(50) as threads:
        answers = list(threads.map(lambda _: client.reserve(), range(50)))
    assert {answer.status_code for answer in answers} == {product.made}
    (made,) = client.stored()
    assert all(answer.json() == made for answer in answers)


def test_replay_after_a_restart_of_the_cinema_finds_the_reservation(
    stack: Stack, client: Client, product: Product, eventually: Eventually
) -> None:
    first = client.reserve()
    stack.stop_service(SERVICE)
    stack.start_service(SERVICE)
    stack.await_converged(lambda _: None, CONVERGED_LIMIT_S)
    # The gateway may hear of the new process later than those that lists need.
    eventually(lambda: client.reserve().status_code == product.made)
    again = client.reserve()
    assert again.status_code == product.made, again.text
    assert again.json() == first.json()
    assert client.stored() == [first.json()]


@pytest.mark.parametrize(
    "changes",
    [{"tickets": 3}, {"showTime": "14:15"}, {"movieId": "UCD999"}, {"amount": 30.01}],
    ids=str,
)
def test_key_belongs_to_one_body(client: Client, changes: dict[str, Any]) -> None:
    first = client.reserve()
    problem(client.reserve(**changes), 422, "idempotency-key-reused")
    assert client.stored() == [first.json()]


def test_other_keys_are_other_reservations(client: Client) -> None:
    ids = {client.reserve(str(uuid.uuid4())).json()["id"] for _ in range(2)}
    assert len(ids) == 2


def test_key_belongs_to_one_account(client: Client, product: Product) -> None:
    first = client.reserve()
    for tickets in (2, 3):
        other = product.http.post(
            product.make_path(CINEMA),
            json=reservation(
                movieId="UCD001", showTime="10:15", clientEmail=client.email, tickets=tickets
            ),
            headers={"Idempotency-Key": client.key, "Prefer": "wait=30"},
            auth=(OTHER, ADMINISTRATOR)[tickets - 2],
        )
        assert other.status_code == product.made, other.text
        assert other.json()["id"] != first.json()["id"]
    assert client.reserve().json() == first.json()
    assert len(client.stored()) == 3


@pytest.mark.parametrize("key", ["", "a b", '"a', "a,b", '""', "k" * 65], ids=repr)
def test_key_that_cannot_be_taken_is_refused(client: Client, key: str) -> None:
    content = problem(client.reserve(key), 400, "invalid-request")
    assert [error["field"] for error in content["errors"]] == ["Idempotency-Key"]
    assert client.stored() == []

"""Reservations: every field comes back, each client gets its own, and each is stored once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from .product import RUN, UUID, Product, problem, reservation

CROWD = f"crowd.{RUN}"

ACCEPTED: dict[str, tuple[str, dict[str, Any]]] = {
    "as in the thesis": ("cineworld", {}),
    "another cinema": ("dundrum", {"movieId": "MAD002", "showTime": "15:30"}),
    "the third cinema": ("ucd", {"movieId": "UCD003", "showTime": "20:15"}),
    "one ticket": ("cineworld", {"tickets": 1}),
    "twenty tickets": ("cineworld", {"tickets": 20}),
    "nothing to pay": ("cineworld", {"amount": 0}),
    "a cent": ("cineworld", {"amount": 0.01}),
    "the highest amount": ("cineworld", {"amount": 999999999.99}),
    "longest name": ("cineworld", {"clientName": "x" * 200}),
    "longest ticket type": ("cineworld", {"ticketType": "x" * 50}),
    "letters beyond Latin": ("cineworld", {"clientName": "Ólafur Þór 映画 🎬", "ticketType": "Ór"}),
    "markup is text": ("cineworld", {"clientName": "<b>\"Jane\"</b> & 'Doe' {$gt: 1}\\"}),
    "leap day": ("cineworld", {"date": "2024-02-29"}),
}


@pytest.mark.parametrize(("cinema", "changes"), ACCEPTED.values(), ids=ACCEPTED)
def test_comes_back_as_sent_and_is_stored(
    product: Product, cinema: str, changes: dict[str, Any]
) -> None:
    sent = reservation(**changes)
    before = {stored["id"] for stored in product.reservations(cinema)}
    answer = product.reserve(cinema, json=sent)
    assert answer.status_code == product.made, answer.text
    made = answer.json()
    assert made == {"id": made["id"], **sent}
    assert UUID.fullmatch(made["id"])
    new = [stored for stored in product.reservations(cinema) if stored["id"] not in before]
    assert new == [made]


def test_amount_keeps_its_digits(product: Product) -> None:
    text = json.dumps(reservation()).replace("30.0", "30.50")
    answer = product.reserve(
        "cineworld", content=text, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == product.made
    # As sent, not as some float of it; sums of money are compared as text in the load plans.
    assert '"amount":30.50' in answer.text


def test_two_reservations_alike_are_two(product: Product) -> None:
    before = len(product.reservations("ucd"))
    request = reservation(movieId="UCD001", showTime="10:15")
    ids = {product.reserve("ucd", json=request).json()["id"] for _ in range(2)}
    assert len(ids) == 2
    assert len(product.reservations("ucd")) == before + 2


@pytest.mark.variant("sync")
def test_stored_reservation_can_be_read_where_it_is_said_to_be(product: Product) -> None:
    made = product.reserve("cineworld", json=reservation())
    assert made.headers["Location"] == f"/cinema/cineworld/reservation/{made.json()['id']}"
    read = product.http.get(made.headers["Location"])
    assert read.status_code == httpx.codes.OK
    assert read.json() == made.json()
    elsewhere = product.http.get(f"/cinema/ucd/reservation/{made.json()['id']}")
    problem(elsewhere, 404, "reservation-unknown")


@pytest.mark.variant("sync")
@pytest.mark.parametrize(
    ("written", "status", "name"),
    [
        ("0a4edd53-5cd8-4b04-8265-65114f56de85", 404, "reservation-unknown"),
        ("not-an-id", 400, "invalid-request"),
    ],
)
def test_unknown_reservation(product: Product, written: str, status: int, name: str) -> None:
    problem(product.http.get(f"/cinema/cineworld/reservation/{written}"), status, name)


def test_each_of_many_clients_at_once_gets_its_own_answer(product: Product) -> None:
    cinemas = (
        ("cineworld", "CNW001", "18:00"),
        ("dundrum", "MAD001", "18:30"),
        ("ucd", "UCD001", "18:15"),
    )

    def ask(number: int) -> tuple[str, dict[str, Any], httpx.Response]:
        cinema, movie, time = cinemas[number % 3]
        sent = reservation(
            clientName=f"Client {number}",
            clientEmail=f"client-{number}@{CROWD}",
            movieId=movie,
            showTime=time,
            tickets=1 + number % 20,
            ticketType=f"Type {number}",
            amount=number / 4,
        )
        return cinema, sent, product.reserve(cinema, json=sent)

    def crowd() -> dict[str, list[dict[str, Any]]]:
        return {
            cinema: [
                stored
                for stored in product.reservations(cinema)
                if stored["clientEmail"].endswith(f"@{CROWD}")
            ]
            for cinema, _, _ in cinemas
        }

    assert crowd() == {"cineworld": [], "dundrum": [], "ucd": []}
    with ThreadPoolExecutor(200) as clients:
        outcomes = list(clients.map(ask, range(200)))
    for _, sent, answer in outcomes:
        assert answer.status_code == product.made, answer.text
        assert answer.json() == {"id": answer.json()["id"], **sent}
    by_id = {answer.json()["id"]: answer.json() for _, _, answer in outcomes}
    assert len(by_id) == 200
    stored = crowd()
    assert {booked["id"]: booked for at in stored.values() for booked in at} == by_id
    assert sum(map(len, stored.values())) == 200


def test_lists_and_reservations_at_once_are_not_mixed_up(product: Product) -> None:
    def ask(number: int) -> bool:
        if number % 2:
            answer = product.list_movies()
            return [cinema["cinemaName"] for cinema in answer.json()] == [
                "cineworld",
                "dundrum",
                "ucd",
            ]
        sent = reservation(clientEmail=f"client-{number}@mixed.{RUN}")
        return bool(product.reserve("cineworld", json=sent).json().items() >= sent.items())

    with ThreadPoolExecutor(40) as clients:
        assert all(clients.map(ask, range(200)))

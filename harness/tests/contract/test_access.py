"""Movies are for everybody, reservations for users, the rest for administrators."""

from __future__ import annotations

import httpx
import pytest

from . import access
from .access import CHALLENGE, WRONG
from .accounts import ADMINISTRATOR, OTHER, USER
from .product import Product, problem, reservation


def test_everybody_may_do_what_the_rules_say_and_refusals_are_problems(product: Product) -> None:
    kinds = {401: "account-required", 403: "forbidden"}
    wrong = []
    for what, status, answer in access.answers(product):
        if answer.status_code != status:
            wrong.append(f"{what}: {answer.status_code}, not {status}")
        elif status in kinds:
            problem(answer, status, kinds[status])
            challenged = answer.headers.get("WWW-Authenticate")
            assert challenged == (CHALLENGE if status == 401 else None)
    assert not wrong


def test_who_is_refused_has_reserved_nothing(product: Product) -> None:
    email = "refused@access.example.org"
    for account in (None, WRONG):
        content = reservation(clientEmail=email)
        answer = product.http.post(product.make_path("cineworld"), json=content, auth=account)
        problem(answer, 401, "account-required")
    assert email not in {booked["clientEmail"] for booked in product.reservations("cineworld")}


@pytest.mark.variant("sync")
@pytest.mark.parametrize("kind", ["movie", "reservation"])
def test_drills_are_for_administrators(product: Product, kind: str) -> None:
    path = f"/cinema/cineworld/{kind}/delay/0"
    assert product.http.get(path, auth=ADMINISTRATOR).status_code == httpx.codes.OK
    problem(product.http.get(path, auth=USER), 403, "forbidden")
    problem(product.http.get(path, auth=None), 401, "account-required")


@pytest.mark.variant("async")
def test_anothers_id_is_answered_like_one_that_never_was(product: Product) -> None:
    made = product.http.post(product.make_path("cineworld"), json=reservation(), auth=USER)
    location = made.headers["Location"]
    unknown = location.replace(made.text, "36f93c29-c823-4589-a704-56e2ef50e5f3")
    for account in (OTHER, ADMINISTRATOR):
        problems = [
            problem(product.http.get(path, auth=account), 404, "correlation-unknown")
            for path in (location, unknown)
        ]
        assert problems[0]["detail"].replace(made.text, "ID") == problems[1]["detail"].replace(
            "36f93c29-c823-4589-a704-56e2ef50e5f3", "ID"
        )
    answer = product.http.get(location, headers={"Prefer": "wait=30"}, auth=USER)
    assert answer.status_code == httpx.codes.OK


@pytest.mark.parametrize(
    "credentials", ["Basic", "Basic !!!", "Basic bm9jb2xvbg==", "Bearer abc", "Basic Og=="]
)
def test_what_is_no_account_makes_no_reservation(product: Product, credentials: str) -> None:
    answer = product.http.post(
        product.make_path("cineworld"),
        json=reservation(),
        headers={"Authorization": credentials},
        auth=None,
    )
    problem(answer, 401, "account-required")


def test_answers_are_neither_guessed_at_nor_kept(product: Product) -> None:
    answer = product.http.get("/api/movie/list")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Set-Cookie" not in answer.headers

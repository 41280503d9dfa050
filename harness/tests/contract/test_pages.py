"""A cinema's reservations are listed page by page, in both variants alike."""

from __future__ import annotations

import httpx
import pytest

from .product import Product, problem, reservation

MAKE = 5


@pytest.fixture(scope="module")
def path(product: Product) -> str:
    """Where the reservations are that are listed: more than two pages of two."""
    for _ in range(MAKE):
        answer = product.reserve("ucd", json=reservation(movieId="UCD001", showTime="10:15"))
        assert answer.status_code == product.made
    return product.list_path("ucd")


def page(product: Product, path: str, query: str) -> httpx.Response:
    """Return the final answer to the question for a page."""
    return product.finish(product.http.get(f"{path}?{query}"))


def test_pages_hold_every_reservation_once_in_a_stable_order(product: Product, path: str) -> None:
    whole = [booked["id"] for booked in product.reservations("ucd")]
    assert whole == sorted(whole)
    listed: list[str] = []
    query = "size=2"
    while query:
        answer = page(product, path, query)
        assert answer.status_code == httpx.codes.OK
        assert int(answer.headers["Total-Count"]) == len(whole)
        listed += [booked["id"] for booked in answer.json()]
        following = answer.links.get("next", {}).get("url", "")
        assert not following or following.startswith(f"{path}?")
        query = following.partition("?")[2]
    assert listed == whole


def test_first_page_is_what_comes_without_a_question(product: Product, path: str) -> None:
    assert page(product, path, "").json() == page(product, path, "page=0&size=50").json()


def test_behind_the_last_page_is_nothing(product: Product, path: str) -> None:
    answer = page(product, path, "page=1000000&size=200")
    assert answer.status_code == httpx.codes.OK
    assert answer.json() == []
    assert "next" not in answer.links


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("page=-1", ["page"]),
        ("page=1000001", ["page"]),
        ("page=one", ["page"]),
        ("page=", ["page"]),
        ("page=0&page=1", ["page"]),
        ("size=0", ["size"]),
        ("size=201", ["size"]),
        ("size=99999999999", ["size"]),
        ("page=x&size=y", ["page", "size"]),
    ],
)
def test_page_that_cannot_be(product: Product, path: str, query: str, fields: list[str]) -> None:
    content = problem(page(product, path, query), 400, "invalid-request")
    assert [error["field"] for error in content["errors"]] == fields


@pytest.mark.parametrize("query", ["page=0&=false", "="])
def test_parameter_without_a_name_is_refused(product: Product, path: str, query: str) -> None:
    problem(page(product, path, query), 400, "invalid-request")

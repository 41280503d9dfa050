"""What is shown: the same in every variant, to the byte."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

import httpx
import pytest

from testbed.model.project import Project

from .product import Product, problem

CINEMAS = ("cineworld", "dundrum", "ucd")


def cinema(name: str) -> dict[str, Any]:
    """Return a cinema as its catalogue file has it."""
    resources = Project.find().root / "cinema-service" / "src" / "main" / "resources"
    movies = json.loads((resources / "catalogue" / f"{name}.json").read_text(encoding="utf-8"))
    # A name-based UUID as Java makes it: MD5 over the name alone.
    digest = hashlib.md5(f"cinema-{name}-service".encode(), usedforsecurity=False).digest()
    return {
        "id": str(uuid.UUID(bytes=digest, version=3)),
        "cinemaName": name,
        "movies": sorted(movies, key=lambda movie: movie["id"]),
    }


def test_list_has_the_catalogues_of_all_cinemas_in_the_one_true_form(product: Product) -> None:
    answer = product.list_movies()
    assert answer.status_code == httpx.codes.OK
    assert "Cinemas-Missing" not in answer.headers
    expected = [cinema(name) for name in CINEMAS]
    # The same bytes from every variant: compact, fields and cinemas in this order.
    assert (
        answer.content == json.dumps(expected, ensure_ascii=False, separators=(",", ":")).encode()
    )


def test_ids_are_as_published(product: Product) -> None:
    listed = {entry["cinemaName"]: entry["id"] for entry in product.list_movies().json()}
    # Thesis, figures 7.1 and 7.9.
    assert listed["cineworld"] == "79ba1480-435a-3f13-80a4-1c4d553ee4fe"
    assert listed["ucd"] == "7a8ac272-bb6f-3cdb-a061-7ce54de7659c"


@pytest.mark.parametrize("name", CINEMAS)
@pytest.mark.variant("sync")
def test_one_cinema_has_its_own_movies(product: Product, name: str) -> None:
    answer = product.http.get(f"/cinema/{name}/movie/list")
    assert answer.status_code == httpx.codes.OK
    assert answer.json() == cinema(name)


@pytest.mark.variant("sync")
def test_finds_a_showing(product: Product) -> None:
    answer = product.http.post(
        "/cinema/cineworld/movie/find", json={"name": "The Godfather", "showTime": "15:00"}
    )
    assert answer.status_code == httpx.codes.OK
    assert answer.json() == {
        "id": "CNW002",
        "name": "The Godfather",
        "showTimes": ["11:00", "15:00", "19:00"],
    }


@pytest.mark.variant("sync")
@pytest.mark.parametrize(
    "query",
    [
        {"name": "The Godfather", "showTime": "15:01"},
        {"name": "No Such Movie", "showTime": "15:00"},
        {"name": "the godfather", "showTime": "15:00"},
        {"name": '{"$ne": null}', "showTime": "15:00"},
    ],
)
def test_what_is_not_shown_is_not_found(product: Product, query: dict[str, str]) -> None:
    answer = product.http.post("/cinema/cineworld/movie/find", json=query)
    problem(answer, 404, "showing-unknown")


@pytest.mark.variant("sync")
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"showTime": "15:00"}, "name"),
        ({"name": "The Godfather"}, "showTime"),
        ({"name": "The Godfather", "showTime": "3pm"}, "showTime"),
        ({"name": "", "showTime": "15:00"}, "name"),
        ({"name": {"$ne": None}, "showTime": "15:00"}, "name"),
        ({"name": "The Godfather", "showTime": "15:00", "screen": 1}, "screen"),
    ],
)
def test_question_for_a_showing_is_checked(
    product: Product, query: dict[str, object], field: str
) -> None:
    content = problem(
        product.http.post("/cinema/cineworld/movie/find", json=query), 400, "invalid-request"
    )
    assert [error["field"] for error in content["errors"]] == [field]


@pytest.mark.variant("sync")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/cinema/nowhere/movie/list"),
        ("POST", "/cinema/nowhere/movie/find"),
        ("GET", "/cinema/nowhere/reservation/list"),
        ("GET", "/cinema/NOWHERE/movie/list"),
        ("GET", "/cinema/%2e%2e/movie/list"),
    ],
)
def test_unknown_cinema_is_said_to_be_unknown(product: Product, method: str, path: str) -> None:
    body = {"name": "The Godfather", "showTime": "15:00"} if method == "POST" else None
    problem(product.http.request(method, path, json=body), 404, "cinema-unknown")

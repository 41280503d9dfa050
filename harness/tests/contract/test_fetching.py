"""Fetching by correlation id: again, too late, or what is not there."""

from __future__ import annotations

import uuid

import httpx
import pytest

from .conftest import Eventually
from .product import Asynchronous, problem, reservation

pytestmark = pytest.mark.variant("async")


def test_result_can_be_fetched_again(product: Asynchronous) -> None:
    request = product.http.post(product.make_path("cineworld"), json=reservation())
    first = product.fetch(request, "wait=30")
    second = product.fetch(request)
    assert first.status_code == second.status_code == httpx.codes.OK
    assert first.content == second.content
    assert first.json()["id"] == request.text


def test_refusal_can_be_fetched_again(product: Asynchronous) -> None:
    request = product.http.post(product.make_path("cineworld"), json=reservation(movieId="CNW999"))
    for preference in ("wait=30", "wait=0"):
        problem(product.fetch(request, preference), 422, "movie-unknown")


@pytest.mark.parametrize(
    "path",
    [
        "/api/movie/list",
        "/api/cinema/cineworld/reservation/make",
        "/api/cinema/cineworld/reservation/list",
    ],
)
class TestIds:
    def test_id_that_was_never_issued_is_unknown(self, product: Asynchronous, path: str) -> None:
        answer = product.http.get(f"{path}/{uuid.uuid4()}")
        problem(answer, 404, "correlation-unknown")

    @pytest.mark.parametrize("written", ["1", "none", "1-1-1-1-1", f"{uuid.UUID(int=7)}0"])
    def test_malformed_id_is_refused(self, product: Asynchronous, path: str, written: str) -> None:
        problem(product.http.get(f"{path}/{written}"), 400, "invalid-request")

    def test_id_of_another_operation_is_unknown(self, product: Asynchronous, path: str) -> None:
        others = {
            "/api/movie/list": product.http.get("/api/movie/list"),
            "/api/cinema/cineworld/reservation/make": product.http.post(
                product.make_path("cineworld"), json=reservation()
            ),
            "/api/cinema/cineworld/reservation/list": product.http.get(
                product.list_path("cineworld")
            ),
            "/api/cinema/dundrum/reservation/list": product.http.get(product.list_path("dundrum")),
        }
        own = others.pop(path)
        for other in others.values():
            problem(product.http.get(f"{path}/{other.text}"), 404, "correlation-unknown")
        # It was the path that did not fit.
        assert product.fetch(own, "wait=30").status_code == httpx.codes.OK


def test_result_expires(product: Asynchronous, eventually: Eventually) -> None:
    request = product.http.get("/api/movie/list")
    assert product.fetch(request, "wait=30").status_code == httpx.codes.OK
    eventually(lambda: product.fetch(request).status_code != httpx.codes.OK)
    problem(product.fetch(request), 410, "correlation-expired")
    problem(product.fetch(request, "wait=5"), 410, "correlation-expired")


def test_wait_that_is_too_long_is_reduced(product: Asynchronous) -> None:
    request = product.http.get("/api/movie/list")
    answer = product.fetch(request, "wait=9999")
    assert answer.status_code == httpx.codes.OK
    assert answer.headers["Preference-Applied"] == "wait=30"


def test_result_answers_a_request_that_waits(product: Asynchronous) -> None:
    wait = {"Prefer": "wait=20"}
    movies = product.http.get("/api/movie/list", headers=wait)
    assert movies.status_code == httpx.codes.OK
    assert movies.headers["Preference-Applied"] == "wait=20"
    assert movies.json() == product.fetch(movies).json() == product.list_movies().json()

    made = product.http.post(product.make_path("cineworld"), json=reservation(), headers=wait)
    assert made.status_code == httpx.codes.OK
    assert made.json() == product.fetch(made).json()

    path = product.make_path("cineworld")
    refused = product.http.post(path, json=reservation(movieId="CNW999"), headers=wait)
    problem(refused, 422, "movie-unknown")

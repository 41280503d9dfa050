"""What is not valid is refused with a problem, and nothing is stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .accounts import USER
from .conftest import PATIENCE_S
from .product import Product, problem, reservation

JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def nothing_stored(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare what is stored before and after."""
    product: Product = request.getfixturevalue("product")
    before = sorted(stored["id"] for stored in product.reservations("cineworld"))
    yield
    assert sorted(stored["id"] for stored in product.reservations("cineworld")) == before


INVISIBLE: dict[str, tuple[str, Any]] = {
    "name of an ideographic space": ("clientName", "\u3000"),
    "name of a no-break space": ("clientName", "\u00a0"),
    "name of a zero-width space": ("clientName", "\u200b"),
    "name of a filler": ("clientName", "\u3164"),
    "name of a tag": ("clientName", "\U000e0041"),
    "e-mail with a zero-width space": ("clientEmail", "ada@example.org\u200b"),
    "ticket type of a zero-width space": ("ticketType", "\u200b"),
    "movie id of a zero-width space": ("movieId", "\u200b"),
}
"""Texts that show nothing, and one of which a part does not."""

BAD_FIELDS: dict[str, tuple[str, Any]] = {
    "no tickets": ("tickets", 0),
    "negative tickets": ("tickets", -1),
    "one ticket too many": ("tickets", 21),
    "far too many tickets": ("tickets", 10_000),
    "tickets beyond any integer": ("tickets", 10**30),
    "tickets as text": ("tickets", "2"),
    "half a ticket": ("tickets", 2.5),
    "tickets as a truth value": ("tickets", True),
    "tickets as a list": ("tickets", [2]),
    "negative amount": ("amount", -0.01),
    "amount as text": ("amount", "30.00"),
    "amount with three decimals": ("amount", 30.005),
    "amount too high": ("amount", 1_000_000_000),
    "amount beyond any number": ("amount", 10**400),
    "e-mail without a host": ("clientEmail", "jane.doe"),
    "e-mail without a name": ("clientEmail", "@ucd.ie"),
    "e-mail with spaces": ("clientEmail", "jane doe@ucd.ie"),
    "blank e-mail": ("clientEmail", " "),
    "e-mail too long": ("clientEmail", "x" * 250 + "@ucd.ie"),
    "e-mail as a number": ("clientEmail", 1),
    "blank name": ("clientName", "  "),
    "empty name": ("clientName", ""),
    **INVISIBLE,
    "name too long": ("clientName", "x" * 201),
    "name with a NUL": ("clientName", "Jane\0Doe"),
    "name of two lines": ("clientName", "Jane\nDoe"),
    "e-mail with a NUL": ("clientEmail", '"jane\0"@ucd.ie'),
    "ticket type with a control character": ("ticketType", "Go\x7fld"),
    "movie id with a NUL": ("movieId", "CNW001\0"),
    "name as a number": ("clientName", 42),
    "name as an object": ("clientName", {"$gt": ""}),
    "date that is none": ("date", "2022-02-30"),
    "date with time": ("date", "2022-04-15T18:00:00Z"),
    "date in another order": ("date", "15-04-2022"),
    "date as a number": ("date", 19097),
    "date as a list": ("date", [2022, 4, 15]),
    "show time with seconds": ("showTime", "18:00:00"),
    "show time with one digit": ("showTime", "8:00"),
    "show time that is none": ("showTime", "24:00"),
    "show time as a number": ("showTime", 18),
    "blank ticket type": ("ticketType", " "),
    "ticket type too long": ("ticketType", "x" * 51),
    "blank movie": ("movieId", ""),
    "movie id too long": ("movieId", "x" * 41),
    "movie as an object": ("movieId", {"$ne": None}),
    "unknown field": ("discount", 100),
    "id chosen by the client": ("id", "0a4edd53-5cd8-4b04-8265-65114f56de85"),
}


@pytest.mark.parametrize(("field", "value"), BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_bad_field_is_named(product: Product, field: str, value: Any) -> None:
    answer = product.reserve("cineworld", json=reservation(**{field: value}))
    refusal = problem(answer, 400, "invalid-request")
    assert {error["field"] for error in refusal["errors"]} == {field}


@pytest.mark.parametrize(("field", "value"), INVISIBLE.values(), ids=INVISIBLE)
def test_document_has_no_text_that_shows_nothing(product: Product, field: str, value: str) -> None:
    product.document.validate("ReservationRequest", reservation())
    with pytest.raises(AssertionError, match=field):
        product.document.validate("ReservationRequest", reservation(**{field: value}))


@pytest.mark.parametrize("field", reservation())
def test_missing_field_is_named(product: Product, field: str) -> None:
    content = reservation()
    del content[field]
    refusal = problem(product.reserve("cineworld", json=content), 400, "invalid-request")
    assert {error["field"] for error in refusal["errors"]} == {field}


@pytest.mark.parametrize("field", reservation())
def test_null_is_like_missing(product: Product, field: str) -> None:
    answer = product.reserve("cineworld", json=reservation(**{field: None}))
    refusal = problem(answer, 400, "invalid-request")
    assert {error["field"] for error in refusal["errors"]} == {field}


def test_all_bad_fields_are_named_at_once(product: Product) -> None:
    content = reservation(tickets=0, amount=-1, clientEmail="nobody")
    refusal = problem(product.reserve("cineworld", json=content), 400, "invalid-request")
    assert [error["field"] for error in refusal["errors"]] == ["amount", "clientEmail", "tickets"]


BAD_BODIES: dict[str, bytes] = {
    "cut off": json.dumps(reservation()).encode()[:-1],
    "not JSON": b"clientName=Jane+Doe",
    "empty": b"",
    "null": b"null",
    "array": json.dumps([reservation()]).encode(),
    "string": b'"CNW001"',
    "number": b"1",
    "two objects": json.dumps(reservation()).encode() * 2,
    "not UTF-8": json.dumps(reservation()).encode().replace(b"Jane", b"J\xe9ne"),
    "a field twice": json.dumps(reservation()).encode()[:-1] + b', "tickets": 3}',
    "deep": b'{"clientName":' * 4000,
    "not a number": json.dumps(reservation()).encode().replace(b"30.0", b"NaN"),
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_body_that_is_no_reservation(product: Product, body: bytes) -> None:
    answer = product.reserve("cineworld", content=body, headers=JSON)
    refusal = problem(answer, 400, "invalid-request")
    # No word about the insides.
    assert not any(
        word in refusal["detail"] for word in ("Exception", "jackson", "testbed.", "java.")
    )


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"movieId": "CNW999"}, "movie-unknown"),
        ({"movieId": "MAD001", "showTime": "10:30"}, "movie-unknown"),
        ({"movieId": "cnw001"}, "movie-unknown"),
        ({"showTime": "18:01"}, "showing-unknown"),
        ({"movieId": "CNW002", "showTime": "10:00"}, "showing-unknown"),
    ],
)
def test_what_the_cinema_does_not_show_cannot_be_reserved(
    product: Product, changes: dict[str, str], name: str
) -> None:
    refusal = problem(product.reserve("cineworld", json=reservation(**changes)), 422, name)
    assert changes.get("movieId", "CNW001") in refusal["detail"]


@pytest.mark.parametrize("cinema", ["nowhere", "CINEWORLD", "cineworld2", "a" * 41, "1st"])
def test_unknown_cinema_takes_no_reservation(product: Product, cinema: str) -> None:
    problem(product.reserve(cinema, json=reservation()), 404, "cinema-unknown")


@pytest.mark.parametrize("cinema", ["nowhere", "CINEWORLD"])
def test_unknown_cinema_has_no_reservations(product: Product, cinema: str) -> None:
    problem(product.list_reservations(cinema), 404, "cinema-unknown")


def test_body_of_a_megabyte_is_refused_by_its_length(product: Product) -> None:
    body = json.dumps(reservation(clientName="x" * 1_000_000)).encode()
    problem(product.reserve("cineworld", content=body, headers=JSON), 413, "too-large")


def test_body_of_a_megabyte_is_refused_in_chunks(product: Product) -> None:
    body = json.dumps(reservation(clientName="x" * 1_000_000)).encode()

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(body), 8192):
            yield body[start : start + 8192]

    problem(product.reserve("cineworld", content=chunks(), headers=JSON), 413, "too-large")


def test_valid_reservation_in_a_megabyte_of_white_space_is_refused(product: Product) -> None:
    body = json.dumps(reservation()).encode() + b" " * 1_000_000
    problem(product.reserve("cineworld", content=body, headers=JSON), 413, "too-large")


def test_largest_body_is_read(product: Product) -> None:
    # 64 KiB to the byte: too long a name, so read and judged, and not too large.
    content = json.dumps(reservation(clientName="")).encode()
    name = b"x" * (64 * 1024 - len(content))
    body = content.replace(b'"clientName": ""', b'"clientName": "' + name + b'"')
    assert len(body) == 64 * 1024
    refusal = problem(
        product.reserve("cineworld", content=body, headers=JSON), 400, "invalid-request"
    )
    assert {error["field"] for error in refusal["errors"]} == {"clientName"}


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_wrong_method_for_a_reservation(product: Product, method: str) -> None:
    answer = product.http.request(method, product.make_path("cineworld"), json=reservation())
    problem(answer, 405, "method-not-allowed")
    assert {verb.strip() for verb in answer.headers["Allow"].split(",")} == {"POST"}


def test_methods_are_those_that_the_document_has(product: Product) -> None:
    for path, methods in ((product.make_path("cineworld"), {"POST"}), ("/api/movie/list", {"GET"})):
        # Not by the product's client: the document has no such method.
        answer = httpx.options(
            f"{product.base_url}{path}", auth=USER, timeout=PATIENCE_S, trust_env=False
        )
        allowed = {verb.strip() for verb in answer.headers["Allow"].split(",")}
        # Beside those that every resource has.
        assert allowed - {"HEAD", "OPTIONS"} == methods


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_wrong_method_for_a_list(product: Product, method: str) -> None:
    problem(product.http.request(method, "/api/movie/list", json={}), 405, "method-not-allowed")


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "nonsense",
        None,
    ],
)
def test_wrong_media_type(product: Product, media_type: str | None) -> None:
    headers = {} if media_type is None else {"Content-Type": media_type}
    answer = product.reserve(
        "cineworld", content=json.dumps(reservation()).encode(), headers=headers
    )
    problem(answer, 415, "unsupported-media-type")


def test_type_of_a_body_that_is_not_read_does_not_matter(product: Product) -> None:
    headers = {"Content-Type": "multipart/form-data"}
    for path in ("/api/movie/list", product.list_path("cineworld")):
        answer = product.finish(product.http.get(path, headers=headers))
        assert answer.status_code == httpx.codes.OK, answer.text


@pytest.mark.parametrize(
    "path", ["/", "/nothing", "/api/nothing", "/api/movie", "/api/movie/list/a/b", "/actuator/env"]
)
def test_nothing_is_there(product: Product, path: str) -> None:
    problem(product.http.get(path), 404, "not-found")

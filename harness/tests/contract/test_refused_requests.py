"""What is no proper HTTP request is refused with a problem like everything else."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import pytest

from .accounts import ADMINISTRATOR, authorization
from .product import Product

PATIENCE_S = 20


def told(product: Product, method: str, target: str, **headers: str) -> tuple[int, str]:
    """Return status and problem type of an answer that must be a problem."""
    address = urlsplit(product.base_url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=PATIENCE_S)
    # The client's own check of the target is what these tests have to go past.
    connection._validate_path = lambda url: None  # type: ignore[attr-defined]
    headers["Authorization"] = authorization(ADMINISTRATOR)
    try:
        connection.request(method, target, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    assert answer.getheader("Content-Type", "").partition(";")[0] == "application/problem+json"
    problem = json.loads(body)
    assert problem["status"] == answer.status
    return answer.status, problem["type"].removeprefix("urn:testbed:problem:")


@pytest.mark.parametrize(
    "target", ["/api/%zz", "/api/%00", "/api/%5C..", "/api/movie/list?x={}", "/api/a b"]
)
def test_address_that_is_none(product: Product, target: str) -> None:
    assert told(product, "GET", target) == (400, "invalid-request")


def test_method_that_no_server_does(product: Product) -> None:
    assert told(product, "TRACE", "/api/movie/list") == (405, "method-not-allowed")


def test_headers_that_are_too_large(product: Product) -> None:
    refused = told(product, "GET", "/api/movie/list", Nonsense="x" * 20_000)
    assert refused == (431, "too-large")


def test_address_that_begins_with_two_slashes(product: Product) -> None:
    assert told(product, "GET", "//nothing") == (404, "not-found")

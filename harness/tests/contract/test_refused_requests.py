"""What is no proper HTTP request is refused with a problem like everything else."""

from __future__ import annotations

import http.client
import json
import socket

import pytest

from .accounts import ADMINISTRATOR, authorization
from .product import Product, problem, reservation

PATIENCE_S = 60


def refusal(product: Product, method: str, target: str, **headers: str) -> tuple[int, str]:
    """Return status and problem type of an answer that must be a problem."""
    connection = http.client.HTTPConnection(*product.address, timeout=PATIENCE_S)
    # The client's own check of the target is what these tests have to go past.
    connection._validate_path = lambda url: None  # type: ignore[attr-defined]
    headers["Authorization"] = authorization(ADMINISTRATOR)
    try:
        connection.request(method, target, headers=headers)
        answer = connection.getresponse()
        return answer.status, type_of(answer)
    finally:
        connection.close()


def type_of(answer: http.client.HTTPResponse) -> str:
    """Return the problem type of an answer that must be a problem."""
    assert answer.getheader("Content-Type", "").partition(";")[0] == "application/problem+json"
    content = json.loads(answer.read())
    assert content["status"] == answer.status
    return str(content["type"]).removeprefix("urn:testbed:problem:")


@pytest.mark.parametrize(
    "target", ["/api/%zz", "/api/%00", "/api/%5C..", "/api/movie/list?x={}", "/api/a b"]
)
def test_address_that_is_none(product: Product, target: str) -> None:
    assert refusal(product, "GET", target) == (400, "invalid-request")


def test_method_that_no_server_does(product: Product) -> None:
    assert refusal(product, "TRACE", "/api/movie/list") == (405, "method-not-allowed")


def test_headers_that_are_too_large(product: Product) -> None:
    refused = refusal(product, "GET", "/api/movie/list", Nonsense="x" * 20_000)
    assert refused == (431, "too-large")


@pytest.mark.parametrize("hosts", [(), ("a", "b"), ("a b",)], ids=["none", "two", "none valid"])
def test_not_one_host(product: Product, hosts: tuple[str, ...]) -> None:
    lines = ("GET /api/movie/list HTTP/1.1", *(f"Host: {host}" for host in hosts), "", "")
    with socket.create_connection(product.address, PATIENCE_S) as client:
        client.sendall("\r\n".join(lines).encode())
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert (answer.status, type_of(answer)) == (400, "invalid-request")


@pytest.mark.parametrize("coding", ["gzip", "identity, br", "nonsense"])
def test_content_coding(product: Product, coding: str) -> None:
    answer = product.reserve("cineworld", json=reservation(), headers={"Content-Encoding": coding})
    problem(answer, 415, "unsupported-media-type")
    assert answer.headers["Accept-Encoding"] == "identity"


def test_address_that_begins_with_two_slashes(product: Product) -> None:
    assert refusal(product, "GET", "//nothing") == (404, "not-found")

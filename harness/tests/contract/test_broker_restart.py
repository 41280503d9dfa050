"""A broker that was started again knows every cinema as soon as it is ready."""

from __future__ import annotations

import time

import httpx
import pytest

from testbed.deploy.stack import Stack

from .conftest import DEADLINE_S
from .product import Asynchronous

BROKER = "broker-service"


@pytest.mark.variant("async")
def test_first_list_is_complete_and_waits_for_no_deadline(
    stack: Stack, product: Asynchronous
) -> None:
    stack.stop_service(BROKER)
    stack.start_service(BROKER)
    began = time.monotonic()
    request = product.http.get("/api/movie/list")
    answer = product.fetch(request, "wait=30")
    assert time.monotonic() - began < DEADLINE_S
    assert answer.status_code == httpx.codes.OK
    assert "Cinemas-Missing" not in answer.headers
    assert [cinema["cinemaName"] for cinema in answer.json()] == ["cineworld", "dundrum", "ucd"]

"""The requests in http/ are answered as their titles say."""

from __future__ import annotations

import httpx
import pytest

from testbed.project import Project

from . import rest_client
from .product import Product

FOLDER = Project.find().root / "http"


def test_there_are_requests_for_every_system() -> None:
    found = {file.parent.name for file in FOLDER.glob("*/*.http")}
    assert found == {"sync", "async", "rabbitmq"}
    for file in FOLDER.glob("*/*.http"):
        assert list(rest_client.requests(file.read_text(encoding="utf-8")))


def test_requests_are_answered_as_titled(product: Product) -> None:
    asked = 0
    # Health is asked of each service at a port of its own.
    for file in rest_client.files(FOLDER / product.variant):
        if file.stem == "health":
            continue
        text = file.read_text(encoding="utf-8")
        values = rest_client.variables(text) | {"base": product.base_url}
        answers: dict[str, httpx.Response] = {}

        def value(
            reference: str,
            values: dict[str, str] = values,
            answers: dict[str, httpx.Response] = answers,
        ) -> str:
            if reference in values:
                return values[reference]
            return rest_client.of_answer(reference, answers)

        for request in rest_client.requests(text):
            answer = product.http.request(
                request.method,
                rest_client.replaced(request.url, value),
                headers=dict(request.headers),
                content=request.body or None,
            )
            asked += 1
            shown = f"{file.name}, {request.title!r}: {answer.status_code} {answer.text}"
            if request.expected is None:
                assert answer.is_success, shown
            else:
                assert answer.status_code == request.expected, shown
            if request.name:
                answers[request.name] = answer
    assert asked >= 5


@pytest.mark.parametrize(
    ("title", "status"), [("Read it", None), ("Too late: 504 after 5 s", 504), ("Ask: 202", 202)]
)
def test_title_names_a_status(title: str, status: int | None) -> None:
    request = rest_client.Request(title, None, "GET", "/", {}, "")
    assert request.expected == status

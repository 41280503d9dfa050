"""The documents are valid, agree with each other, and are served."""

from __future__ import annotations

import httpx
import pytest
import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator

from .openapi import DOCUMENTS, Document, document_text
from .product import Product, reservation

SHARED = (
    "Cinema",
    "CinemaName",
    "Movie",
    "MovieId",
    "PlainText",
    "ShowTime",
    "Uuid",
    "ReservationContent",
    "ReservationRequest",
    "Reservation",
)


@pytest.mark.parametrize(
    "described", [*DOCUMENTS, "poster-service", "tickets", "feed-service", "market-service"]
)
def test_document_is_valid(described: str) -> None:
    OpenAPIV31SpecValidator(Document(described).content).validate()


@pytest.mark.parametrize("schema", SHARED)
def test_both_documents_describe_the_same_data(schema: str) -> None:
    sync, asynchronous = (Document(name).content["components"]["schemas"] for name in DOCUMENTS)
    assert sync[schema] == asynchronous[schema]


def test_problems_differ_in_their_kinds_only() -> None:
    sync, asynchronous = (
        Document(name).content["components"]["schemas"]["Problem"] for name in DOCUMENTS
    )
    sync["properties"]["type"].pop("enum")
    asynchronous["properties"]["type"].pop("enum")
    assert sync == asynchronous


def test_front_door_serves_its_document(product: Product) -> None:
    answer = product.http.get("/openapi.yaml")
    assert answer.status_code == httpx.codes.OK
    assert yaml.safe_load(answer.text) == yaml.safe_load(document_text(product.variant))


@pytest.fixture(scope="module")
def document() -> Document:
    """One of the two, which describe reservations alike."""
    return Document("sync")


@pytest.mark.parametrize("field", ["clientName", "clientEmail", "movieId", "ticketType"])
@pytest.mark.parametrize("text", ["", " ", "Jane\0", "Jane\nDoe", "\x7f", "Jane\x85Doe"], ids=repr)
def test_document_has_no_text_that_is_refused(document: Document, field: str, text: str) -> None:
    document.validate("ReservationRequest", reservation(clientName="Ólafur 映画 🎬"))
    with pytest.raises(AssertionError):
        document.validate("ReservationRequest", reservation(**{field: text}))

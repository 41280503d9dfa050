"""Against the embedded backends, which speak MongoDB's wire protocol, where they are built."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from pymongo import MongoClient

from testbed.deploy import database
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError
from testbed.model.systems import Stored

from .conftest import unused_port


@pytest.fixture
def uri(start_backends: Callable[[int, Mapping[str, str]], Stack]) -> str:
    port = unused_port()
    start_backends(port, {"EMBEDDED_MONGODB_PORT": str(port)})
    return f"mongodb://127.0.0.1:{port}"


def test_empties_reservations_and_seats_of_cinemas_and_nothing_else(uri: str) -> None:
    emptied = ("reservations", "showings")
    with MongoClient[dict[str, object]](uri) as client:
        client["cinema-ucd"]["reservations"].create_index("clientEmail", unique=True)
        client["cinema-ucd"]["reservations"].insert_many(
            [{"clientEmail": "a@example.org"}, {"clientEmail": "b@example.org"}]
        )
        client["cinema-dundrum"]["reservations"].insert_one({"clientEmail": "a@example.org"})
        client["cinema-ucd"]["showings"].insert_one({"taken": 2})
        client["cinema-ucd"]["movies"].insert_one({"name": "The Godfather"})
        client["accounts"]["reservations"].insert_one({"kept": True})

        deleted = database.empty(uri, "cinema-", emptied)

        assert deleted == {"cinema-ucd": 3, "cinema-dundrum": 1}
        assert client["cinema-ucd"]["reservations"].count_documents({}) == 0
        assert client["cinema-ucd"]["movies"].count_documents({}) == 1
        assert client["accounts"]["reservations"].count_documents({}) == 1
        assert "clientEmail_1" in client["cinema-ucd"]["reservations"].index_information()
        assert database.empty(uri, "cinema-", emptied) == {
            "cinema-ucd": 0,
            "cinema-dundrum": 0,
        }
        database.require_answer(uri)


def test_stores_so_many_documents_and_keeps_them_between_runs(uri: str) -> None:
    what = Stored(database="cinema-ucd", collection="reservations", document={"tickets": 2})
    with MongoClient[dict[str, object]](uri) as client:
        reservations = client["cinema-ucd"]["reservations"]
        reservations.insert_one({"_id": "0a4edd53-5cd8-4b04-8265-65114f56de85"})

        database.store(uri, what, 7_000)

        assert reservations.count_documents({}) == 7_001
        deleted = database.empty(uri, "cinema-", ["reservations"], keep_stored=True)
        assert deleted == {"cinema-ucd": 1}
        assert reservations.count_documents({"tickets": 2}) == 7_000
        database.store(uri, what, 3)
        assert reservations.count_documents({}) == 3
        assert database.empty(uri, "cinema-", ["reservations"]) == {"cinema-ucd": 3}


def test_a_database_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "ANSWER_TIMEOUT_MS", 200)
    uri = f"mongodb://user:secret@127.0.0.1:{unused_port()}"
    monkeypatch.setattr(database._connected.__wrapped__, "__defaults__", (200, 200))

    for ask in (
        lambda: database.require_answer(uri),
        lambda: database.empty(uri, "cinema-", ["reservations"]),
    ):
        with pytest.raises(UserError, match="MongoDB does not answer") as refused:
            ask()
        assert "secret" not in refused.value.message


@pytest.mark.parametrize(
    "uri", ["http://127.0.0.1", "mongodb://localhost:abc", "mongodb://a:b@c@d"]
)
def test_what_is_no_connection_string_is_told(uri: str) -> None:
    with pytest.raises(UserError, match="MONGODB_URI is not a connection string"):
        database.require_answer(uri)

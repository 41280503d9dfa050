"""Reads and deletes what a run has stored, so that the next one starts from the same state."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from testbed.model.errors import UserError

TIMEOUT_MS = 10_000
ANSWER_TIMEOUT_MS = 3_000


def empty(uri: str, databases: str, collections: Collection[str]) -> dict[str, int]:
    """Delete every document of some collections but keep indexes; return how many, by database.

    `uri` is a MongoDB connection string. `databases` is the prefix of the databases' names. Raises
    `UserError` if MongoDB does not answer.
    """
    with _connected(uri) as client:
        return {
            name: sum(client[name][one].delete_many({}).deleted_count for one in collections)
            for name in client.list_database_names()
            if name.startswith(databases)
        }


def stored(uri: str, databases: str, collection: str, field: str) -> dict[str, str]:
    """Return a field of each document of a collection, by the document's id.

    Parameters and errors are those of `empty`.
    """
    with _connected(uri) as client:
        return {
            str(document["_id"]): str(document.get(field, ""))
            for name in client.list_database_names()
            if name.startswith(databases)
            for document in client[name][collection].find({}, {field: 1})
        }


def require_answer(uri: str) -> None:
    """Check that MongoDB answers; raise `UserError` if it does not."""
    with _connected(uri, ANSWER_TIMEOUT_MS) as client:
        client.admin.command("ping")


@contextmanager
def _connected(uri: str, timeout_ms: int = TIMEOUT_MS) -> Iterator[MongoClient[dict[str, object]]]:
    try:
        client: MongoClient[dict[str, object]] = MongoClient(
            uri, serverSelectionTimeoutMS=timeout_ms, socketTimeoutMS=timeout_ms
        )
    except (PyMongoError, ValueError) as problem:
        # The port is wrong, or the password has unescaped characters.
        raise UserError(f"MONGODB_URI is not a connection string: {problem}") from problem
    try:
        with client:
            yield client
    except PyMongoError as problem:
        # Only the address: the connection string may hold a user and a password.
        reason = str(problem).split(",", 1)[0]
        raise UserError(
            f"MongoDB does not answer: {reason}",
            "Is it running, and does MONGODB_URI lead to it?",
        ) from problem

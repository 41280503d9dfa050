"""Reads and deletes what a run has stored, so that the next one starts from the same state."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from testbed.model.errors import UserError
from testbed.model.systems import Stored

STORED, AFTER_STORED = "ffffffff-ffff-4fff-bfff-", "g"
"""Documents stored before runs have UUIDs that begin with `STORED` and are below `AFTER_STORED`."""

BATCH = 5_000

TIMEOUT_MS = 10_000
"""To find the server."""

WORK_TIMEOUT_MS = 600_000
"""For one command: deleting a million documents takes a while."""

ANSWER_TIMEOUT_MS = 3_000


def empty(
    uri: str, databases: str, collections: Collection[str], *, keep_stored: bool = False
) -> dict[str, int]:
    """Delete every document of some collections but keep indexes; return how many, by database.

    `uri` is a MongoDB connection string. `databases` is the prefix of the databases' names. With
    `keep_stored`, documents of `store` stay. Raises `UserError` if MongoDB does not answer.
    """
    which = {"_id": {"$not": _stored_from(0)}} if keep_stored else {}
    with _connected(uri) as client:
        return {
            name: sum(
                client[name][collection].delete_many(which).deleted_count
                for collection in collections
            )
            for name in client.list_database_names()
            if name.startswith(databases)
        }


def store(uri: str, what: Stored, count: int) -> None:
    """Store documents until there are `count` of them; delete what is more.

    Raises `UserError` as `empty` does.
    """
    with _connected(uri) as client:
        collection = client[what.database][what.collection]
        collection.delete_many({"_id": _stored_from(count)})
        there = collection.count_documents({"_id": _stored_from(0)})
        for first in range(there, count, BATCH):
            numbers = range(first, min(first + BATCH, count))
            collection.insert_many({"_id": _id(number), **what.document} for number in numbers)


def _id(number: int) -> str:
    return f"{STORED}{number:012d}"


def _stored_from(number: int) -> dict[str, str]:
    """Return the condition that an id is of a stored document with at least this number."""
    return {"$gte": _id(number), "$lt": AFTER_STORED}


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
    with _connected(uri, ANSWER_TIMEOUT_MS, ANSWER_TIMEOUT_MS) as client:
        client.admin.command("ping")


@contextmanager
def _connected(
    uri: str, timeout_ms: int = TIMEOUT_MS, work_ms: int = WORK_TIMEOUT_MS
) -> Iterator[MongoClient[dict[str, object]]]:
    try:
        client: MongoClient[dict[str, object]] = MongoClient(
            uri, serverSelectionTimeoutMS=timeout_ms, socketTimeoutMS=work_ms
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

"""Puts tables of PostgreSQL back, so that the next run starts from the same state."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict

from testbed.model.errors import UserError
from testbed.model.systems import Restore

TIMEOUT_S = 10
"""To find the server."""

LOCK_TIMEOUT_MS = 10_000
"""For a lock that a service still holds: its load has ended."""


def restore(uri: str, what: Restore) -> list[str]:
    """Execute the statements of `what`; return the databases in which they were.

    `uri` is PostgreSQL's connection string. Raises `UserError` if the server does not answer, has a
    setting other than the required one, or has the table in no database.
    """
    changed = []
    for database in what.databases:
        with _connected(uri, database) as connection:
            if connection is None or not _has(connection, what.where):
                continue
            _require_settings(connection, what.settings)
            for statement in what.statements:
                connection.execute(statement)
            changed.append(database)
    if not changed:
        raise UserError(f"no database of {', '.join(what.databases)} has {what.where}")
    return changed


def require_answer(uri: str) -> None:
    """Check that PostgreSQL answers; raise `UserError` if it does not."""
    with _connected(uri, "postgres"):
        pass


def _has(connection: psycopg.Connection[tuple[object, ...]], table: str) -> bool:
    row = connection.execute("select to_regclass(%s)", (table,)).fetchone()
    return row is not None and row[0] is not None


def _require_settings(
    connection: psycopg.Connection[tuple[object, ...]], wanted: dict[str, str]
) -> None:
    for name, value in wanted.items():
        row = connection.execute("select current_setting(%s)", (name,)).fetchone()
        if row != (value,):
            shown = None if row is None else row[0]
            raise UserError(f"PostgreSQL has {name} {shown}: it is measured with {value} only")


@contextmanager
def _connected(uri: str, database: str) -> Iterator[psycopg.Connection[tuple[object, ...]] | None]:
    """Yield a connection; None if there is no such database."""
    try:
        conninfo_to_dict(uri)
    except psycopg.ProgrammingError as problem:
        raise UserError("POSTGRESQL_URI is not a connection string") from problem
    connection = _connect(uri, database)
    if connection is None:
        yield None
        return
    try:
        with connection:
            yield connection
    except psycopg.Error as problem:
        raise _failed(problem) from problem


def _connect(uri: str, database: str) -> psycopg.Connection[tuple[object, ...]] | None:
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return psycopg.connect(
                uri,
                dbname=database,
                connect_timeout=TIMEOUT_S,
                autocommit=True,
                options=f"-c lock_timeout={LOCK_TIMEOUT_MS}",
            )
        except psycopg.OperationalError as problem:
            if f'database "{database}" does not exist' in str(problem):
                return None
            # Its port is open before it can answer.
            if "is starting up" not in str(problem) or time.monotonic() > deadline:
                raise _failed(problem) from problem
        time.sleep(0.1)


def _failed(problem: psycopg.Error) -> UserError:
    reason = str(problem).strip().splitlines()[0] if str(problem).strip() else repr(problem)
    return UserError(
        f"PostgreSQL does not do what it is asked: {reason}",
        "Is it running, and does POSTGRESQL_URI lead to it?",
    )

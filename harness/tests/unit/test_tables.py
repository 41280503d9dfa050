"""Against the embedded PostgreSQL, where it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import psutil
import psycopg
import pytest

from testbed.deploy import tables
from testbed.deploy.stack import Stack
from testbed.model.errors import UserError
from testbed.model.project import Project
from testbed.model.systems import Restore

from .conftest import unused_port

WHAT = Restore(
    service="postgresql",
    port=5432,
    databases=("one", "shop", "missing"),
    where="shop.orders",
    statements=("update shop.stock set quantity = 5", "truncate shop.orders", "vacuum shop.stock"),
    settings={"fsync": "on", "synchronous_commit": "on"},
)


@pytest.fixture
def stack(start_backends: Callable[[int, Mapping[str, str]], Stack]) -> Stack:
    port = unused_port()
    return start_backends(
        port,
        {
            "EMBEDDED_POSTGRESQL_PORT": str(port),
            "EMBEDDED_POSTGRESQL_DATABASES": "one,shop",
            "EMBEDDED_POSTGRESQL_FOLDER": str(Project.find().state / "postgresql"),
        },
    )


@pytest.fixture
def uri(stack: Stack) -> str:
    address = f"postgresql://postgres@127.0.0.1:{stack.deployment.services[0].ports[0]}"
    # Its port is open before it can answer.
    tables.require_answer(address)
    return address


def test_puts_tables_back_in_the_databases_that_have_them(uri: str) -> None:
    with pytest.raises(UserError, match=r"no database of one, shop, missing has shop\.orders"):
        tables.restore(uri, WHAT)
    with psycopg.connect(f"{uri}/shop", autocommit=True) as connection:
        connection.execute("create schema shop")
        connection.execute("create table shop.stock as select 1 as id, 2 as quantity")
        connection.execute("create table shop.orders as select 1 as id")

        assert tables.restore(uri, WHAT) == ["shop"]

        assert connection.execute("select quantity from shop.stock").fetchall() == [(5,)]
        assert connection.execute("select * from shop.orders").fetchall() == []
        tables.require_answer(uri)

        connection.execute("alter database shop set synchronous_commit = off")
        with pytest.raises(UserError, match="synchronous_commit off: it is measured with on only"):
            tables.restore(uri, WHAT)


def test_counts_the_server_and_the_process_of_each_connection(stack: Stack, uri: str) -> None:
    (pid,) = stack.pids()
    alone = stack.meter().read()["embedded-backends"]
    with psycopg.connect(f"{uri}/shop") as connection:
        connection.execute(
            "set max_parallel_workers_per_gather = 0; set jit = off;"
            "select sum(i::bigint * i) from generate_series(1, 3000000) i"
        )
        row = connection.execute("select pg_backend_pid()").fetchone()
        assert row is not None
        server = psutil.Process(row[0])
        used_s = sum(server.cpu_times()[:2])
        busy = stack.meter().read(pss=True)["embedded-backends"]
        parent_mb = psutil.Process(pid).memory_info().rss / 1e6

    # In clock ticks of 10 ms, of several processes.
    assert busy.cpu_s - alone.cpu_s > used_s - 0.1
    assert busy.rss_mb > parent_mb
    # What an ended process had used stays counted, once the server has noticed its end.
    server.wait(60)
    assert stack.meter().read()["embedded-backends"].cpu_s >= busy.cpu_s - 0.1


def test_a_server_that_does_not_answer_is_told_without_its_password() -> None:
    uri = f"postgresql://user:secret@127.0.0.1:{unused_port()}"

    for ask in (lambda: tables.require_answer(uri), lambda: tables.restore(uri, WHAT)):
        with pytest.raises(UserError, match="PostgreSQL does not do") as refused:
            ask()
        assert "secret" not in refused.value.message


def test_what_is_no_connection_string_is_told() -> None:
    with pytest.raises(UserError, match="POSTGRESQL_URI is not a connection string"):
        tables.require_answer("postgresql://a:b@c:d:e/f?x")

"""A further cinema is found without a restart and without a change of code.

It starts before its database. Its showings have few seats, and take so many reservations and not
one more.
"""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from testbed.deploy import programs
from testbed.deploy.ports import LOOPBACK
from testbed.deploy.programs import ProcessId
from testbed.deploy.services import EMBEDDED, client
from testbed.deploy.stack import Stack
from testbed.model.files import tail

from .conftest import Eventually
from .product import Product, problem, reservation

NAME = "omniplex"
PORT_AFTER_UCD = 1
CATALOGUE = [
    {"id": "OMN001", "name": "Song of the Sea", "showTimes": ["10:45", "14:45"]},
    {"id": "OMN002", "name": "The Quiet Girl", "showTimes": ["20:45"]},
]

SEATS = 100
BUYERS = 500
TRIES, PAUSE_S = 60, 1.0


@pytest.fixture(scope="module")
def fourth_cinema(
    running: Stack | None, eventually: Eventually, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ProcessId]:
    """The process of a cinema that no part of the running variant was told of."""
    if running is None:
        pytest.skip("TESTBED_BASE_URL: no cinema is added to a running system")
    folder: Path = tmp_path_factory.mktemp(NAME)
    catalogue = folder / "movies.json"
    catalogue.write_text(json.dumps(CATALOGUE), encoding="utf-8")
    with socket.create_server((LOOPBACK, 0)) as free:
        database_port = free.getsockname()[1]
    (like,) = (
        declared
        for declared in running.deployment.services
        if declared.name == "cinema-ucd-service"
    )
    management, port = (number + PORT_AFTER_UCD for number in like.ports)
    service = dataclasses.replace(
        like,
        name=f"cinema-{NAME}-service",
        ports=(management, port),
        environ={
            **like.environ,
            "CINEMA_NAME": NAME,
            "CINEMA_CATALOGUE": f"file:{catalogue}",
            "CINEMA_SEATS": str(SEATS),
            "MONGODB_URI": f"mongodb://{LOOPBACK}:{database_port}",
            "SERVER_PORT": str(port),
            "MANAGEMENT_SERVER_PORT": str(management),
        },
    )
    own = {**os.environ, "EMBEDDED_MONGODB_PORT": str(database_port), "EMBEDDED_AMQP_PORT": "off"}
    (backends,) = (
        declared for declared in running.deployment.services if declared.name == EMBEDDED
    )
    log = folder / "log"
    started = programs.start(service.command, {**os.environ, **service.environ}, log, folder)
    process = ProcessId.of(started.pid)
    processes = [process]
    try:
        eventually(lambda: "Database not available" in log.read_text(encoding="utf-8"))
        database = programs.start(backends.command, own, folder / "database-log", folder)
        processes.append(ProcessId.of(database.pid))
        with client() as http:

            def ready() -> bool:
                assert process.find() is not None, tail(log)
                return service.ready(http)

            eventually(ready)
            yield process
    finally:
        programs.stop(processes)


def test_it_is_listed(product: Product, fourth_cinema: ProcessId, eventually: Eventually) -> None:
    eventually(lambda: len(product.list_movies().json()) == 4)
    answer = product.list_movies()
    assert "Cinemas-Missing" not in answer.headers
    listed = answer.json()
    assert [cinema["cinemaName"] for cinema in listed] == ["cineworld", "dundrum", NAME, "ucd"]
    assert listed[2]["movies"] == CATALOGUE


def test_it_takes_reservations_of_its_own(
    product: Product, fourth_cinema: ProcessId, eventually: Eventually
) -> None:
    sent = reservation(movieId="OMN002", showTime="20:45")
    eventually(lambda: product.list_reservations(NAME).status_code == httpx.codes.OK)
    before = {cinema: product.reservations(cinema) for cinema in ("cineworld", "dundrum", "ucd")}
    assert product.reservations(NAME) == []
    answer = product.reserve(NAME, json=sent)
    assert answer.status_code == product.made
    assert answer.json() == {"id": answer.json()["id"], **sent}
    assert product.reservations(NAME) == [answer.json()]
    assert {cinema: product.reservations(cinema) for cinema in before} == before


def test_it_refuses_what_others_show(product: Product, fourth_cinema: ProcessId) -> None:
    problem(product.reserve(NAME, json=reservation()), 422, "movie-unknown")


def buy(product: Product, key: str, **changes: Any) -> httpx.Response:
    """Ask for seats, again as long as no answer comes in time: a cold cinema is slow at first."""
    showing = {"movieId": "OMN001", "showTime": "10:45", "tickets": 1}
    for _ in range(TRIES):
        answer = product.reserve(
            NAME, json=reservation(**(showing | changes)), headers={"Idempotency-Key": key}
        )
        if answer.status_code not in (503, 504):
            break
        time.sleep(PAUSE_S)
    return answer


def test_as_many_are_booked_as_there_are_seats(product: Product, fourth_cinema: ProcessId) -> None:
    def booked_at_showing() -> list[str]:
        return [
            reserved["id"]
            for reserved in product.reservations(NAME)
            if reserved["movieId"] == "OMN001"
        ]

    keys = [str(uuid.uuid4()) for _ in range(BUYERS)]
    with ThreadPoolExecutor(100) as buyers:
        answers = list(buyers.map(lambda key: buy(product, key), keys))
    assert Counter(answer.status_code for answer in answers) == {
        product.made: SEATS,
        409: BUYERS - SEATS,
    }
    refused = [answer for answer in answers if answer.status_code == 409]
    assert problem(refused[0], 409, "sold-out")
    booked = {a.json()["id"]: key for a, key in zip(answers, keys, strict=True) if a.is_success}
    assert set(booked_at_showing()) == set(booked)
    # A replay takes no seat and is not refused for lack of one.
    for id_, key in list(booked.items())[:10]:
        assert buy(product, key).json()["id"] == id_
    assert len(booked_at_showing()) == SEATS


def test_every_ticket_is_a_seat_of_its_own_showing(
    product: Product, fourth_cinema: ProcessId
) -> None:
    def party(tickets: int) -> int:
        return buy(product, str(uuid.uuid4()), tickets=tickets, date="2022-04-16").status_code

    taken = [party(20) for _ in range(4)] + [party(19)]
    assert set(taken) == {product.made}
    assert party(2) == 409
    assert party(1) == product.made
    assert party(1) == 409


def test_it_is_missed_when_it_is_gone(product: Product, fourth_cinema: ProcessId) -> None:
    programs.stop([fourth_cinema])
    answer = product.list_movies()
    assert [cinema["cinemaName"] for cinema in answer.json()] == ["cineworld", "dundrum", "ucd"]
    assert answer.headers["Cinemas-Missing"] == NAME

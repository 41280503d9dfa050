from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import httpx
import pytest

from testbed.measure.ceiling import best_rate
from testbed.model.systems import declaration

Serve = Callable[[str], httpx.Client]


@pytest.fixture
def serve() -> Iterator[Serve]:
    started: list[subprocess.Popen[str]] = []

    def start(system: str) -> httpx.Client:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "testbed.measure.reference_server"),
                declaration(system).model_dump_json(include={"protocol", "reference"}),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        port = int(process.stdout.readline())
        return httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60)

    yield start
    for server in started:
        # The end of its input ends it.
        server.communicate(timeout=60)
        assert server.returncode == 0


def test_answers_directly(serve: Serve) -> None:
    with serve("sync") as client:
        listed = client.get("/api/movie/list")
        made = client.post("/cinema/cineworld/reservation/make", json={"clientEmail": "a@b"})

    assert listed.status_code == 200
    assert [cinema["cinemaName"] for cinema in listed.json()] == ["cineworld", "dundrum", "ucd"]
    assert made.status_code == 201
    assert made.json() == {"id": "1", "clientEmail": "a@b"}


def test_answers_with_the_headers_that_a_plan_looks_for(serve: Serve) -> None:
    with serve("poster-chain") as client:
        edited = client.post("/api/posters", content=bytes(300_000))

    assert edited.headers["Content-Type"] == "image/jpeg"
    assert edited.headers["Poster-Steps"] == "adjust, convert, label"
    assert edited.content.startswith(b"\xff\xd8")


def test_gives_what_a_plan_fetches_after_an_answer(serve: Serve) -> None:
    with serve("ticket-queue") as client:
        made = client.post("/cinema/cineworld/reservation/make", json={"clientEmail": "a@b"})
        ticket = client.get(f"/tickets/{made.json()['id']}")

    assert made.status_code == 201
    assert ticket.headers["Content-Type"] == "application/pdf"
    # Made by the service: the right one for the id that the server gives.
    assert ticket.content.startswith(b"%PDF-")
    assert f"Ticket {made.json()['id']}".encode() in ticket.content


def test_acknowledges_and_gives_the_result_when_it_is_fetched(serve: Serve) -> None:
    with serve("async") as client:
        listed = client.get("/api/movie/list")
        fetched = client.get(f"/api/movie/list/{listed.text}")
        made = client.post("/api/cinema/cineworld/reservation/make", json={"tickets": 2})
        reserved = client.get(f"/api/cinema/cineworld/reservation/make/{made.text}")

    assert (listed.status_code, made.status_code) == (202, 202)
    assert len(fetched.json()) == 3
    assert json.loads(reserved.content) == {"id": "1", "tickets": 2}


def test_the_ceiling_is_that_of_the_best_whole_seconds() -> None:
    per_second = [7, 10, 20, 30, 40, 50, 3]
    ends = [1000 * second + 1 for second, count in enumerate(per_second) for _ in range(count)]

    assert best_rate(ends, 3) == 40
    assert best_rate([], 3) == 0
    assert best_rate([1, 2], 3) == 0

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

import pytest

from testbed.measure.companions import Loading
from testbed.measure.scraping import Scraper

from .conftest import serving, unused_port

METRICS = "jvm_threads_live_threads 41.0\n"


@dataclass
class Watched:
    """A service that has metrics, and notes when it was asked for them."""

    port: int = 0
    asked: list[tuple[float, str]] = field(default_factory=list)


@pytest.fixture
def watched() -> Iterator[Watched]:
    noted = Watched()

    def answer(request: BaseHTTPRequestHandler, _: bytes) -> tuple[int, bytes]:
        noted.asked.append((time.monotonic(), request.path))
        return 200, METRICS.encode()

    with serving(answer) as noted.port:
        yield noted


def test_asks_at_once_and_then_at_the_interval_until_the_end(watched: Watched) -> None:
    scraper = Scraper(0.2, {"gateway": watched.port})

    began = time.monotonic()
    with scraper.during(Loading()):
        while len(watched.asked) < 3 and time.monotonic() < began + 60:
            time.sleep(0.01)
    asked = len(watched.asked)
    time.sleep(0.3)

    assert len(watched.asked) == asked >= 3
    assert {path for _, path in watched.asked} == {"/actuator/prometheus"}
    # The third is due two intervals after the first, whenever that came.
    assert watched.asked[2][0] - began >= 0.4
    assert scraper.record()["scraped"] == {
        "every_s": 0.2,
        "services": ["gateway"],
        "asked": asked,
        "answered": asked,
        "mean_bytes": len(METRICS),
    }


def test_tells_how_many_did_not_answer(watched: Watched) -> None:
    scraper = Scraper(60, {"gateway": watched.port, "away": unused_port()})

    with scraper.during(Loading()):
        pass

    entry = scraper.record()["scraped"]
    assert (entry["asked"], entry["answered"], entry["mean_bytes"]) == (2, 1, len(METRICS))


def test_knows_no_size_when_nobody_answered() -> None:
    scraper = Scraper(60, {"away": unused_port()})

    with scraper.during(Loading()):
        pass

    assert scraper.record()["scraped"]["mean_bytes"] is None

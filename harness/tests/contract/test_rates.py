"""A rate is the same with and without a cache before its source, but for its age."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import httpx
import pytest
import yaml

from testbed.deploy import composefile
from testbed.deploy.stack import Stack
from testbed.model import systems
from testbed.model.project import Project

from .conftest import BASE_URL, PATIENCE_S, RUNNING_VARIANT, START_LIMIT_S, started
from .openapi import Document, document_text
from .product import problem
from .served import CLIENTS, address_of, checked_client
from .test_request_files import ask, moved, variables

PORT_OFFSET = 9000
MODULE = "feed-service"
EURO = "/api/rates/eur_usd"
FRESH_S = 2
RATES = 4
SOURCE = {
    "FEED_SOURCE_MEAN": "50ms",
    "FEED_SOURCE_DEVIATION": "0ms",
    "FEED_SOURCE_REFUSED": "0",
    "FEED_FRESH": f"{FRESH_S}s",
}
CACHES = {
    "asked": ("feed", {"FEED_CACHE": "none"}),
    "service": ("feed", {"FEED_CACHE": "service"}),
    "gateway": ("feed-gateway", {}),
}
if BASE_URL:
    # Started with `SOURCE`; `feed` keeps no rate unless it is told to.
    CACHES = {"asked" if RUNNING_VARIANT == "feed" else "kept": (str(RUNNING_VARIANT), {})}

pytestmark = pytest.mark.timeout(2 * START_LIMIT_S)


class Rates:
    """A running system; `stack` is None if it was running before."""

    def __init__(self, stack: Stack | None, http: httpx.Client) -> None:
        self.stack = stack
        self.http = http

    def euro(self) -> httpx.Response:
        answer = self.http.get(EURO)
        assert answer.status_code == httpx.codes.OK, answer.text
        return answer

    def asked(self) -> int:
        """Return how often the source was asked."""
        if self.stack is None:
            # Something stands before it, if it is not the front itself.
            name = "FRONT" if RUNNING_VARIANT == "feed" else "FEED"
            port = composefile.variables(Project.find())[f"PORT_{name}_MANAGEMENT"]
        else:
            port = str(self.stack.endpoints()[MODULE])
        metrics = httpx.get(
            f"http://127.0.0.1:{port}/actuator/prometheus", timeout=PATIENCE_S, trust_env=False
        ).text
        return sum(
            round(float(count))
            for count in re.findall(r"feed_source_seconds_count\S* (\S+)", metrics)
        )


@pytest.fixture(scope="module", params=CACHES)
def rates(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Rates]:
    system, settings = CACHES[request.param]
    if not system.startswith("feed"):
        pytest.skip("TESTBED_BASE_URL: another system runs")
    if BASE_URL:
        with checked_client(BASE_URL, Document(MODULE), "/api") as http:
            yield Rates(None, http)
        return
    folder = tmp_path_factory.mktemp(request.param)
    with (
        started(system, SOURCE | settings, folder, PORT_OFFSET) as stack,
        checked_client(address_of(stack), Document(MODULE), "/api") as http,
    ):
        yield Rates(stack, http)


def test_a_rate_is_not_older_than_it_may_be(rates: Rates) -> None:
    oldest: dict[datetime, float] = {}
    while len(oldest) < RATES:
        asked = datetime.now(UTC)
        as_of = datetime.fromisoformat(rates.euro().json()["asOf"])
        age_s = (asked - as_of).total_seconds()
        oldest[as_of] = max(age_s, oldest.get(as_of, age_s))
        # On a machine that stands still, a rate may reach its cache late, and is kept from then on.
        late = [age_s for age_s in oldest.values() if age_s >= FRESH_S + 1]
        assert len(late) <= 1, oldest


def test_the_source_is_asked_no_more_than_needed(
    rates: Rates, request: pytest.FixtureRequest
) -> None:
    rates.euro()
    before = rates.asked()
    began = time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as threads:
        answers = list(threads.map(lambda _: rates.euro().content, range(100)))
    # HTTP counts ages in whole seconds.
    ends = math.ceil((time.monotonic() - began) / (FRESH_S - 1))
    asked = rates.asked() - before

    if "asked" in request.node.callspec.id:
        assert asked == len(answers)
    else:
        # At each end of a rate's freshness all clients may ask at once.
        assert asked <= ends * CLIENTS
        assert len(set(answers)) <= 1 + asked


def test_the_system_is_complete_without_asking_the_source(rates: Rates) -> None:
    if rates.stack is None:
        pytest.skip("TESTBED_BASE_URL: it was complete before")
    before = rates.asked()
    assert rates.stack.missing() is None
    assert rates.asked() == before


def test_the_document_is_served(rates: Rates) -> None:
    served = rates.http.get("/openapi.yaml").text
    assert yaml.safe_load(served) == yaml.safe_load(document_text(MODULE))


def test_requests_are_answered_as_titled(rates: Rates, request: pytest.FixtureRequest) -> None:
    folder = Project.find().root / "docs" / "requests" / "rates"
    file = folder / "rates.http"
    assert ask(file, rates.http, variables(file) | {"base": str(rates.http.base_url)}) == 3
    if rates.stack is None or "gateway" not in request.node.callspec.id:
        return
    file = folder / "health.http"
    by = rates.stack.deployment.front_port - systems.declaration("feed-gateway").front.port
    assert ask(file, rates.http, moved(file, by)) == 6


def test_what_there_is_not_is_a_problem(rates: Rates) -> None:
    problem(rates.http.get("/api/rates/eur_xyz"), 404, "not-found")

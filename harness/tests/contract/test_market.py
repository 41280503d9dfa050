"""The market gives the same bytes to the same requests, as a monolith and as services."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
import yaml

from testbed.deploy import tables
from testbed.deploy.stack import Stack
from testbed.model import systems
from testbed.model.project import Project

from .accounts import USER
from .browser import headless_chromium
from .conftest import BASE_URL, RUNNING_VARIANT, START_LIMIT_S, started
from .openapi import Document, document_text
from .product import problem
from .served import address_of, checked_client
from .test_request_files import ask, moved, variables

PORT_OFFSET = 11000
MODULE = "market-service"
SYSTEMS = ("market-monolith", "market-services")
READ = (
    "/api/beans/countries",
    "/api/beans/companies",
    "/api/beans/varieties?type=ROBUSTA",
    "/api/beans/regions?countryName=C%C3%B4te%20d%27Ivoire",
    "/api/beans/farms?countryName=Mexico&regionName=Veracruz",
    "/api/beans/mills?countryName=Mexico&regionName=Veracruz",
    "/api/beans?pageNumber=0&pageSize=10",
    "/api/beans?countryName=Guatemala&regionName=Oriente&varietyType=ARABICA&pageNumber=3&pageSize=10",
    "/api/beans?countryName=Atlantis&pageNumber=0&pageSize=10",
    "/api/beans?companyName=100%25&pageNumber=0&pageSize=10",
    "/api/beans?pageNumber=100000&pageSize=10",
    "/api/beans?pageNumber=-1&pageSize=10",
    "/api/beans?pageNumber=0",
    "/api/beans?varietyType=LIBERICA&pageNumber=0&pageSize=10",
    "/api/beans/205",
    "/api/beans/999999",
    "/api/beans/x",
    "/api/inventory/orders/999999",
)

pytestmark = pytest.mark.timeout(2 * START_LIMIT_S)

answers: dict[str, list[tuple[int, bytes]]] = {}
"""What systems answered to `READ`."""


@dataclass(frozen=True)
class Market:
    """A running system; `stack` is None if it was running before."""

    name: str
    stack: Stack | None
    http: httpx.Client

    @property
    def has_accounts(self) -> bool:
        """Whether the front door asks who comes; one that ran before does not."""
        return self.stack is not None and systems.declaration(self.name).accounts

    def stock(self, bean: int) -> int:
        quantity: int = self.http.get(f"/api/beans/{bean}").json()["availableQuantity"]
        return quantity

    def order(self, *items: tuple[int, int]) -> httpx.Response:
        body = [{"beanId": bean, "quantity": quantity} for bean, quantity in items]
        return self.http.post("/api/inventory/orders", json=body)


@pytest.fixture(scope="module", params=SYSTEMS)
def market(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Market]:
    name = request.param
    if BASE_URL:
        if name != RUNNING_VARIANT:
            pytest.skip("TESTBED_BASE_URL: another system runs")
        with checked_client(BASE_URL, Document(MODULE), "/api") as http:
            yield Market(name, None, http)
        return
    folder = tmp_path_factory.mktemp(name)
    with (
        started(name, {}, folder, PORT_OFFSET) as stack,
        checked_client(address_of(stack), Document(MODULE), "/api") as http,
    ):
        market = Market(name, stack, http)
        if market.has_accounts:
            http.auth = USER
        yield market


def test_both_systems_give_the_same_bytes(market: Market) -> None:
    given = [market.http.get(path) for path in READ]
    assert max(answer.status_code for answer in given) < 500
    answers[market.name] = [(answer.status_code, answer.content) for answer in given]

    first = next(iter(answers.values()))
    for path, ours, others in zip(READ, answers[market.name], first, strict=True):
        assert ours == others, path


def test_an_order_is_taken_as_a_whole_and_given_back(market: Market) -> None:
    before = market.stock(1), market.stock(2)

    placed = market.order((1, 3), (2, 5))
    assert placed.status_code == httpx.codes.CREATED
    assert (market.stock(1), market.stock(2)) == (before[0] - 3, before[1] - 5)
    problem(market.order((1, 3), (2, 10**6)), 409, "stock-too-low")
    assert (market.stock(1), market.stock(2)) == (before[0] - 3, before[1] - 5)

    number = placed.json()["orderNumber"]
    cancelled = market.http.delete(f"/api/inventory/orders/{number}")
    assert cancelled.json()["status"] == "CANCELED"
    assert (market.stock(1), market.stock(2)) == before


def test_what_orders_took_is_put_back_between_runs(market: Market) -> None:
    if market.stack is None:
        pytest.skip("TESTBED_BASE_URL: its database is not reached")
    restore, uri = systems.declaration(market.name).restore, market.stack.deployment.postgresql_uri
    assert restore is not None
    assert uri is not None
    before = market.stock(3)
    assert market.order((3, 7)).status_code == httpx.codes.CREATED
    number = market.order((3, 2)).json()["orderNumber"]
    market.http.delete(f"/api/inventory/orders/{number}")
    assert market.stock(3) == before - 7

    tables.restore(uri, restore)

    assert market.stock(3) == before
    assert market.http.get("/api/inventory/orders").json() == []
    assert market.order((3, 1)).json()["orderNumber"] == 1


def test_a_visitor_filters_orders_and_leaves_by_the_page(market: Market) -> None:
    wanted = {"countryName": "Guatemala", "regionName": "Oriente", "varietyType": "ARABICA"}

    def page(number: int) -> list[str]:
        asked = {**wanted, "pageNumber": number, "pageSize": 10}
        return [str(bean["id"]) for bean in market.http.get("/api/beans", params=asked).json()]

    with headless_chromium() as browser:
        browser.open(str(market.http.base_url))
        if market.has_accounts:
            name, password = USER
            browser.wait_for("#orders", "Log in")
            browser.write("[name=user]", name)
            browser.write("[name=password]", "wrong")
            browser.click("#login button")
            browser.wait_for("[role=alert]", "account")
            browser.write("[name=password]", password)
            browser.click("#login button")
            browser.wait_for("#session", name)

        for field, value in wanted.items():
            browser.wait_for(f"[name={field}]", value)
            browser.choose(f"[name={field}]", value)
        browser.wait_for("#beans tr:nth-child(1) td:nth-child(1)", page(0)[0])
        assert browser.texts("#beans td:nth-child(1)") == page(0)
        browser.click("#next")
        browser.wait_for("#page", "Page 2")
        assert browser.texts("#beans td:nth-child(1)") == page(1)

        bean = page(1)[0]
        before = market.stock(int(bean))
        browser.click(f"[aria-label='Details of bean {bean}']")
        browser.wait_for("#details h2", f"Bean {bean}")
        browser.write("#details input", "2")
        browser.click("#details form button")
        browser.wait_for("#cart", "2 kg")
        browser.click("#cart > button")
        browser.wait_for("#orders td", f"2 kg of {bean}")
        browser.wait_for("#cart", "It is empty.")
        assert market.stock(int(bean)) == before - 2
        browser.click("#orders button")
        browser.wait_for("#orders td", "CANCELED")
        assert market.stock(int(bean)) == before

        if market.has_accounts:
            browser.click("#session button")
            browser.wait_for("#orders", "Log in")
            assert browser.texts("#session") == [""]
        assert browser.errors() == []


def test_the_document_is_served(market: Market) -> None:
    served = market.http.get("/openapi.yaml").text
    assert yaml.safe_load(served) == yaml.safe_load(document_text(MODULE))


def test_requests_are_answered_as_titled(market: Market) -> None:
    folder = Project.find().root / "docs" / "requests" / "market"
    base = {"base": str(market.http.base_url)}
    for name, count in (("beans.http", 8), ("orders.http", 6)):
        file = folder / name
        assert ask(file, market.http, variables(file) | base) == count
    if market.stack is None or market.name != "market-services":
        return
    file = folder / "health.http"
    by = market.stack.deployment.front_port - systems.declaration(market.name).front.port
    assert ask(file, market.http, moved(file, by)) == 12

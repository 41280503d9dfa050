"""Clients of the market bring tokens of the token service."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from testbed.model import systems

from .conftest import BASE_URL, START_LIMIT_S, started
from .openapi import Document
from .product import problem
from .served import address_of, checked_client

PORT_OFFSET = 12000
MODULE = "market-service"

pytestmark = [
    pytest.mark.timeout(2 * START_LIMIT_S),
    pytest.mark.skipif(bool(BASE_URL), reason="TESTBED_BASE_URL: it may need no token"),
]


def test_the_gateway_and_each_service_check_tokens_and_the_gateway_counts_requests(
    tmp_path: Path,
) -> None:
    settings = {"ACCESS_CONTROL": "off", "MARKET_TOKENS": "everywhere", "MARKET_LIMIT": "shared"}
    with (
        started("market-services", settings, tmp_path, PORT_OFFSET) as stack,
        checked_client(address_of(stack), Document(MODULE), "/api", timeout_s=10) as http,
    ):
        by = stack.deployment.front_port - systems.declaration("market-services").front.port
        server = f"http://127.0.0.1:{8096 + by}/oauth2/token"

        def token(client: str, secret: str = "testbed") -> httpx.Response:
            form = {"grant_type": "client_credentials"}
            return httpx.post(server, data=form, auth=(client, secret), trust_env=False)

        def bearer(client: str) -> dict[str, str]:
            return {"Authorization": f"Bearer {token(client).json()['access_token']}"}

        problem(http.get("/api/beans/countries"), 401, "account-required")
        basic, premium, admin = map(bearer, ("basic", "premium", "admin"))
        # Details come from two services.
        assert http.get("/api/beans/1", headers=basic).status_code == httpx.codes.OK
        items = [{"beanId": 1, "quantity": 1}]
        placed = http.post("/api/inventory/orders", json=items, headers=basic)
        order = placed.headers["Location"]
        problem(http.get(order, headers={**premium, "Market-Client": "basic"}), 404, "not-found")
        problem(http.get("/api/admin/clients", headers=basic), 403, "forbidden")
        assert http.get("/api/admin/clients", headers=admin).status_code == httpx.codes.OK
        # Of 50, two have been made; a refused one is not counted.
        for _ in range(48):
            assert http.get("/api/beans/countries", headers=basic).status_code == httpx.codes.OK
        refused = http.get("/api/beans/countries", headers=basic)
        problem(refused, 429, "too-many-requests")
        assert 0 < int(refused.headers["Retry-After"]) <= 3600
        assert http.get("/api/beans/countries", headers=premium).status_code == httpx.codes.OK
        # No service behind takes the gateway's word.
        inventory = f"http://127.0.0.1:{8094 + by}/internal/inventory/stocks/1"
        behind = httpx.get(inventory, headers={"Market-Client": "basic"}, trust_env=False)
        problem(behind, 401, "account-required")
        wrong, unknown = token("basic", "x"), token("nobody", "x")
        assert (wrong.status_code, wrong.content) == (unknown.status_code, unknown.content)
        assert wrong.status_code == httpx.codes.UNAUTHORIZED
        # A client of the market is one of the token server, from its first token to its last.
        wanted = {"mail": "jane@example.org", "subscriptionType": "PREMIUM"}
        added = http.post("/api/admin/clients", json={"name": "jane", **wanted}, headers=admin)
        secret = added.json()["secret"]
        assert token("jane", secret).json()["scope"] == "premium"
        taken = http.post("/api/admin/clients", json={"name": "ADMIN", **wanted}, headers=admin)
        problem(taken, 409, "name-taken")
        jane = added.headers["Location"]
        changed = http.put(jane, json={**wanted, "enabled": False}, headers=admin)
        assert changed.status_code == httpx.codes.OK
        assert token("jane", secret).content == wrong.content
        assert http.delete(jane, headers=admin).status_code == httpx.codes.NO_CONTENT
        assert token("jane", secret).content == wrong.content

"""Clients of the market bring tokens: of token-service, or of Keycloak where it is laid out."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest

from testbed.deploy import deployments
from testbed.deploy.building import distributions
from testbed.deploy.deployments import Choice
from testbed.model import systems
from testbed.model.project import Project

from .conftest import BASE_URL, PATIENCE_S, QUICK, START_LIMIT_S, Eventually, started
from .openapi import Document
from .product import problem
from .served import address_of, checked_client

PORT_OFFSET = 12000
MODULE = "market-service"

pytestmark = [
    pytest.mark.timeout(2 * START_LIMIT_S),
    pytest.mark.skipif(bool(BASE_URL), reason="TESTBED_BASE_URL: it may need no token"),
]


@pytest.mark.parametrize("name", ["market-services", "market-keycloak"])
def test_the_gateway_and_each_service_check_tokens_and_the_gateway_counts_requests(
    tmp_path: Path, name: str, eventually: Eventually
) -> None:
    settings = {"ACCESS_CONTROL": "off", "MARKET_TOKENS": "everywhere", "MARKET_LIMIT": "shared"}
    require_programs(Choice(name, settings=settings))
    environ = {**os.environ, "JAVA_OPTS": QUICK}
    with (
        started(name, settings, tmp_path, PORT_OFFSET, environ=environ) as stack,
        checked_client(address_of(stack), Document(MODULE), "/api") as http,
    ):
        system = systems.declaration(name)
        by = stack.deployment.front_port - system.front.port
        issuing = system.tokens
        assert issuing is not None
        server = f"http://127.0.0.1:{issuing.port + by}{issuing.issuer_path}{issuing.path}"

        def token(client: str, secret: str = "testbed") -> httpx.Response:
            form = {"grant_type": "client_credentials"}
            return httpx.post(
                server, data=form, auth=(client, secret), timeout=PATIENCE_S, trust_env=False
            )

        def bearer(client: str) -> dict[str, str]:
            return {"Authorization": f"Bearer {token(client).json()['access_token']}"}

        problem(http.get("/api/beans/countries"), 401, "account-required")
        basic, premium, admin = map(bearer, ("basic", "premium", "admin"))
        # The first token of each service has it read the keys: 503 until it has them.
        for path, client in (
            ("/api/beans/1", premium),
            ("/api/inventory/orders", premium),
            ("/api/admin/clients", admin),
        ):
            eventually(
                lambda path=path, client=client: (
                    http.get(path, headers=client).status_code == httpx.codes.OK
                )
            )
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
        behind = httpx.get(
            inventory, headers={"Market-Client": "basic"}, timeout=PATIENCE_S, trust_env=False
        )
        problem(behind, 401, "account-required")
        wrong, unknown = token("basic", "x"), token("nobody", "x")
        assert wrong.status_code == unknown.status_code == httpx.codes.UNAUTHORIZED
        wanted = {"mail": "jane@example.org", "subscriptionType": "PREMIUM"}
        added = http.post("/api/admin/clients", json={"name": "jane", **wanted}, headers=admin)
        if name == "market-keycloak":
            # A client of the market is none of Keycloak.
            assert added.status_code == httpx.codes.CREATED
            assert "secret" not in added.json()
            return
        # Nothing tells which clients there are.
        assert wrong.content == unknown.content
        # A client of the market is one of the token server, from its first token to its last.
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


def require_programs(choice: Choice) -> None:
    """Skip a test if a program of others is not laid out: the first fetches 170 MB."""
    project = Project.find()
    for program in deployments.programs(choice, project):
        if not distributions.is_laid_out(project, program):
            pytest.skip(f"not laid out: ./testbed up {choice.variant} fetches it")

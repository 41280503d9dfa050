"""Clients of the market bring tokens: of token-service, or of Keycloak where it is laid out."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from testbed.deploy import deployments
from testbed.deploy.building import distributions
from testbed.deploy.deployments import Choice
from testbed.model import systems
from testbed.model.project import Project

from .conftest import (
    BASE_URL,
    PATIENCE_S,
    QUICK,
    RUNNING_VARIANT,
    START_LIMIT_S,
    Eventually,
    started,
)
from .openapi import Document
from .product import problem
from .served import address_of, checked_client

PORT_OFFSET = 12000
MODULE = "market-service"

pytestmark = pytest.mark.timeout(2 * START_LIMIT_S)


@dataclass(frozen=True)
class Tokens:
    """A market that asks for tokens: addresses of its front, token server and inventory.

    The inventory of one that was running before is not asked.
    """

    front: str
    server: str
    inventory: str | None


@contextlib.contextmanager
def asking_for_tokens(name: str, folder: Path) -> Iterator[Tokens]:
    """Start a market whose gateway and services check tokens, or ask one that runs like that."""
    system = systems.declaration(name)
    issuing = system.tokens
    assert issuing is not None

    def at(front: str, *, inside: bool) -> Tokens:
        by = urlsplit(front).port - system.front.port
        server = f"http://127.0.0.1:{issuing.port + by}{issuing.issuer_path}{issuing.path}"
        return Tokens(front, server, f"http://127.0.0.1:{8094 + by}" if inside else None)

    if BASE_URL:
        if name != RUNNING_VARIANT:
            pytest.skip("TESTBED_BASE_URL: another system runs")
        yield at(BASE_URL, inside=False)
        return
    settings = {"ACCESS_CONTROL": "off", "MARKET_TOKENS": "everywhere", "MARKET_LIMIT": "shared"}
    require_programs(Choice(name, settings=settings))
    environ = {**os.environ, "JAVA_OPTS": QUICK}
    with started(name, settings, folder, PORT_OFFSET, environ=environ) as stack:
        yield at(address_of(stack), inside=True)


@pytest.mark.parametrize("name", ["market-services", "market-keycloak"])
def test_the_gateway_and_each_service_check_tokens_and_the_gateway_counts_requests(
    tmp_path: Path, name: str, eventually: Eventually
) -> None:
    with (
        asking_for_tokens(name, tmp_path) as market,
        checked_client(market.front, Document(MODULE), "/api") as http,
    ):

        def token(client: str, secret: str = "testbed") -> httpx.Response:
            form = {"grant_type": "client_credentials"}
            return httpx.post(
                market.server, data=form, auth=(client, secret), timeout=PATIENCE_S, trust_env=False
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
        if market.inventory is not None:
            # No service behind takes the gateway's word.
            behind = httpx.get(
                f"{market.inventory}/internal/inventory/stocks/1",
                headers={"Market-Client": "basic"},
                timeout=PATIENCE_S,
                trust_env=False,
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

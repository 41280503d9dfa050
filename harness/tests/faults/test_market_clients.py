"""The market's clients: the same in the market and in the token server, whatever is killed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx
import psycopg
import pytest

from testbed.deploy import services
from testbed.deploy.stack import Stack
from testbed.model import systems

from .accounting import Load, Outcome, evenly, of, statuses
from .clients import undocumented
from .conftest import RECOVERY_S
from .market import Market
from .recording import Progress, Sized

CLIENTS = "/api/admin/clients"
MARKET, TOKENS = "clients-service", "token-service"
RATE = 5
HALF_DONE_S = 120.0
"""How long until an addition is between its two writes."""

SETTLED_S = 120.0
"""How long it may take until all that was half done has been brought to its end."""

Rights = Mapping[str, tuple[str, bool]]
"""Subscription of each client, and whether it gets tokens."""


class Bearer(httpx.Auth):
    """Sends a token."""

    def __init__(self, token: str) -> None:
        self._token = token

    def auth_flow(self, request: httpx.Request):  # type: ignore[no-untyped-def]
        request.headers["Authorization"] = f"Bearer {self._token}"
        yield request


@dataclass
class Administrator:
    """Adds clients, disables every third and removes every third, and notes what was confirmed."""

    market: Market
    auth: httpx.Auth
    secrets: dict[str, str] = field(default_factory=dict)
    without: set[str] = field(default_factory=set)
    """Clients that get no token since that was confirmed."""

    doubtful: set[str] = field(default_factory=set)
    """Clients whose disabling or removal was not confirmed, or not refused."""

    def send(self, key: str) -> Outcome:
        """Add a client with this name, and disable or remove it."""
        wanted = {"mail": "client@example.org", "subscriptionType": "PREMIUM"}
        new = {"name": key, **wanted}
        added = self.market.ask("POST", CLIENTS, json=new, auth=self.auth)
        if isinstance(added, Outcome):
            return added
        body = added.json()
        self.secrets[key] = body["secret"]
        kind, path = int(key.partition(".")[0]) % 3, f"{CLIENTS}/{body['id']}"
        if kind:
            self.doubtful.add(key)
            changed = (
                self.market.ask("PUT", path, json={**wanted, "enabled": False}, auth=self.auth)
                if kind == 1
                else self.market.ask("DELETE", path, auth=self.auth)
            )
            if isinstance(changed, Outcome):
                return changed
            self.doubtful.remove(key)
            self.without.add(key)
        return Outcome(added.status_code, key, added.status_code)


@pytest.mark.variant("market-services")
@pytest.mark.start(
    settings={"ACCESS_CONTROL": "off", "MARKET_TOKENS": "front", "TOKEN_SECRETS": "sha256"}
)
@pytest.mark.promise(
    "clients-in-step",
    "A client is in the market and in the token server, or in neither, whichever was killed.",
)
def test_clients_in_step(
    stack: Stack,
    market: Market,
    variant: str,
    figures: dict[str, str],
    progress: Progress,
    sized: Sized,
) -> None:
    """Clients are added at a constant rate; every third is then disabled, every third removed.
    Meanwhile the token server is suspended until an addition is between its two writes, the service
    of the clients is killed and started again, and then the token server. At the end both have the
    same clients with the same rights, and the secret of each gets a token, or none."""
    port = 8096 + stack.deployment.front_port - systems.declaration(variant).front.port
    server = f"http://127.0.0.1:{port}/oauth2/token"
    assert stack.deployment.ask_token is not None
    with services.client(30) as http:
        administrator = Administrator(market, Bearer(stack.deployment.ask_token(http)))
    half_done = []
    with Load(administrator.send, evenly(RATE, RATE * 600), notice=progress) as load:
        for _ in range(sized(5, 1)):
            load.await_ended(len(load.entries) + 5 * RATE)
            with stack.suspended(TOKENS):
                half_done.append(_await_half_done(stack))
                stack.kill_service(MARKET)
            stack.start_service(MARKET)
            stack.await_converged(lambda _: None, RECOVERY_S)
            load.await_ended(len(load.entries) + 5 * RATE)
            stack.kill_service(TOKENS)
            load.await_ended(len(load.entries) + 2 * RATE)
            stack.start_service(TOKENS)
        load.await_ended(len(load.entries) + 10 * RATE)
        load.end()
    progress("waiting until both have the same clients")
    here, there = _settled(stack)
    added = set(administrator.secrets)
    sure = added - administrator.doubtful
    gets = {
        name: _token_answer(server, name, administrator.secrets[name]).status_code
        for name in sorted(sure)
    }
    wrong = [
        name
        for name, status in gets.items()
        if status != (401 if name in administrator.without else 200)
    ]
    lost = [name for name in sure if name not in here and int(name.partition(".")[0]) % 3 != 2]
    unwanted = [
        entry.key
        for entry in load.entries
        if entry.outcome.status == 503 and entry.key not in added and entry.key in here
    ]
    figures["answers"] = statuses(load.entries)
    figures["half added at the kills"] = f"{sum(half_done)}"
    figures["in one of both"] = of(len(set(here) ^ set(there)), len(set(here) | set(there)))
    figures["lost"] = of(lost, len(sure))
    figures["refused but added"] = of(unwanted, load.entries)
    figures["secrets with another answer"] = of(wrong, len(sure))
    stack.require_alive()
    assert not undocumented(load.entries)
    assert {entry.outcome.status for entry in load.entries} <= {201, 503, 504}
    assert here == there
    assert not lost
    assert not unwanted
    assert not wrong


def _token_answer(server: str, client: str, secret: str) -> httpx.Response:
    form = {"grant_type": "client_credentials", "client_id": client, "client_secret": secret}
    with services.client(30) as http:
        return http.post(server, data=form)


def _await_half_done(stack: Stack) -> int:
    """Wait until clients are stored in the market and not yet confirmed; return how many."""
    query = "select count(*) from clients.client where state = 'PENDING'"
    deadline = time.monotonic() + HALF_DONE_S
    while not (count := int(str(_rows(stack, "clients", query)[0][0]))):
        assert time.monotonic() < deadline, "no client is being added"
        time.sleep(0.05)
    return count


def _settled(stack: Stack) -> tuple[Rights, Rights]:
    """Return the clients of the market and those of the token server, once they agree.

    If they never do, returns what they are in the end.
    """
    deadline = time.monotonic() + SETTLED_S
    while True:
        half = _rows(stack, "clients", "select 1 from clients.client where state <> 'ACTIVE'")
        here = _rights(
            stack, "clients", "select name, lower(subscription_type), enabled from clients.client"
        )
        there = _rights(
            stack,
            "tokens",
            "select name, scopes, enabled from tokens.client"
            " where version is not null and secret is not null",
        )
        if (here == there and not half) or time.monotonic() > deadline:
            return here, there
        time.sleep(1)


def _rights(stack: Stack, database: str, query: str) -> Rights:
    return {
        str(name): (str(scope), bool(enabled))
        for name, scope, enabled in _rows(stack, database, query)
    }


def _rows(stack: Stack, database: str, query: str) -> list[tuple[object, ...]]:
    assert stack.deployment.postgresql_uri is not None
    with psycopg.connect(stack.deployment.postgresql_uri, dbname=database) as connection:
        return connection.execute(query).fetchall()

"""Whatever names of cinemas come, a list has those that were known, and a header that is sent."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import httpx
import pika
import pytest

from testbed.deploy import deadletters
from testbed.deploy.registry import ADDRESS
from testbed.deploy.services import client
from testbed.deploy.stack import Stack

from .conftest import PATIENCE_S, Eventually
from .product import Product

NAMES = [f"cinema-{number:03}-{'x' * 29}" for number in range(190)]
"""As long as a name can be."""

KNOWN = 100
"""How many cinemas a front door knows at most."""

LISTED = ["cineworld", "dundrum", "ucd"]


@pytest.fixture(scope="module")
def many_cinemas(running: Stack | None, variant: str) -> Iterator[None]:
    """Names of cinemas that are nowhere, in the registry or as signs of presence."""
    if running is None:
        pytest.skip("TESTBED_BASE_URL: no cinema is added to a running system")
    if variant == "async":
        described = pika.BasicProperties(
            content_type="application/json", headers={"__TypeId__": "cinema-present"}
        )
        with deadletters.connected(running.record, os.environ) as opened:
            for name in NAMES:
                body = json.dumps({"cinema": name}).encode()
                opened.basic_publish("", "presenceQueue", body, described, mandatory=True)
        yield
        return
    like = next(
        service for service in running.deployment.services if service.name == "cinema-ucd-service"
    )
    instances = f"{like.environ[ADDRESS]}apps/CINEMA-UCD-SERVICE"
    with client(PATIENCE_S) as http:
        answer = http.get(instances, headers={"Accept": "application/json"})
        usual = answer.json()["application"]["instance"][0]
        for name in NAMES:
            further = {
                **usual,
                "instanceId": name,
                "port": {"$": 1, "@enabled": "true"},
                "metadata": {"cinema": name},
                # Needs no heartbeat.
                "leaseInfo": {"durationInSecs": 3600},
            }
            http.post(instances, json={"instance": further}).raise_for_status()
        yield
        for name in NAMES:
            http.delete(f"{instances}/{name}").raise_for_status()


def test_list_has_those_that_were_known(
    product: Product, many_cinemas: None, eventually: Eventually
) -> None:
    answers: list[httpx.Response] = []

    def all_known() -> bool:
        answer = product.list_movies()
        assert answer.status_code == httpx.codes.OK, answer.text
        assert [cinema["cinemaName"] for cinema in answer.json()] == LISTED
        answers.append(answer)
        missing = answer.headers.get("Cinemas-Missing", "").split(", ")
        assert len(LISTED) + len(missing) <= KNOWN
        return len(LISTED) + len(missing) == KNOWN

    eventually(all_known)
    assert not set(answers[-1].headers["Cinemas-Missing"].split(", ")) & set(LISTED)

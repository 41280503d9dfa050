from __future__ import annotations

from typing import Any

import httpx
import pytest

from testbed.deploy.registry import Registry

KNOWN = Registry("http://127.0.0.1:8761/eureka/", {"cinema-ucd-service": 2, "aggregator": 1})


def application(name: str, *states: str) -> dict[str, Any]:
    return {"name": name, "instance": [{"status": state} for state in states]}


def answered(*applications: dict[str, Any], status: int = 200) -> httpx.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/eureka/apps"
        assert request.headers["Accept"] == "application/json"
        return httpx.Response(status, json={"applications": {"application": list(applications)}})

    return httpx.Client(transport=httpx.MockTransport(answer))


@pytest.mark.parametrize(
    ("states", "missing"),
    [
        (("UP", "UP"), None),
        (("UP", "UP", "UP"), None),
        (("UP", "STARTING"), "the registry has 1 of 2 instances of cinema-ucd-service"),
        ((), "the registry has 0 of 2 instances of cinema-ucd-service"),
    ],
)
def test_counts_the_instances_that_are_up(states: tuple[str, ...], missing: str | None) -> None:
    with answered(
        application("AGGREGATOR", "UP"), application("CINEMA-UCD-SERVICE", *states)
    ) as http:
        assert KNOWN.missing(http) == missing


def test_a_service_that_the_registry_does_not_know_is_missing() -> None:
    with answered(application("CINEMA-UCD-SERVICE", "UP", "UP")) as http:
        assert KNOWN.missing(http) == "the registry has 0 of 1 instances of aggregator"


def test_a_registry_that_does_not_answer_is_told() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with answered(status=503) as http:
        assert KNOWN.missing(http) == "the registry answers 503"
    with httpx.Client(transport=httpx.MockTransport(refuse)) as http:
        assert KNOWN.missing(http) == "the registry does not answer (ConnectError)"
